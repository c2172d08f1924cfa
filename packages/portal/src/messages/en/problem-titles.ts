import { problems } from '@countersign/contract/problems';

/** Returns the title of a problem code; undefined for a code that only a newer service knows. */
export function problemTitle(code: string): string | undefined {
  return Object.hasOwn(problems, code) ? problems[code as keyof typeof problems].title : undefined;
}
