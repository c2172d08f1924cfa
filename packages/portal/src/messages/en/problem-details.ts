import { problems } from '@countersign/contract/problems';

/** Returns the advice of a problem code; undefined for a code that only a newer service knows. */
export function problemDetail(code: string): string | undefined {
  return Object.hasOwn(problems, code) ? problems[code as keyof typeof problems].detail : undefined;
}
