import { permissionTexts } from './permission-texts.ts';

/** Returns what a permission allows. A deployment's own permissions have the words of the deployment. */
export function permissionWords(name: string, summary: string): string {
  return Object.hasOwn(permissionTexts, name)
    ? permissionTexts[name as keyof typeof permissionTexts]
    : summary;
}
