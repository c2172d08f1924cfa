import { problems } from '@countersign/contract/problems';

/** Returns the title and the advice of a problem code; undefined for a code that only a newer service knows. */
export function problemWords(code: string): { readonly title: string; readonly detail: string } | undefined {
  return Object.hasOwn(problems, code) ? problems[code as keyof typeof problems] : undefined;
}

/** Returns what a permission allows. The service says it too, in English. */
export function permissionWords(_name: string, summary: string): string {
  return summary;
}
