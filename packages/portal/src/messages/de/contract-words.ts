import { problems } from '@countersign/contract/problems';
import { permissionTexts } from './permission-texts.ts';
import { problemTexts } from './problem-texts.ts';

/** Returns the title and the advice of a problem code; undefined for a code that only a newer service knows. */
export function problemWords(code: string): { readonly title: string; readonly detail: string } | undefined {
  if (!Object.hasOwn(problems, code)) return undefined;
  const [title, detail] = problemTexts[code as keyof typeof problems];
  return { title, detail };
}

/** Returns what a permission allows. A deployment's own permissions have the words of the deployment. */
export function permissionWords(name: string, summary: string): string {
  return Object.hasOwn(permissionTexts, name)
    ? permissionTexts[name as keyof typeof permissionTexts]
    : summary;
}
