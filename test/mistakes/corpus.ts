import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Account } from './account.ts';

/** One request that was signed wrongly, and what must be found out about it. */
export interface MistakeCase {
  readonly id: string;
  readonly maker: string;
  readonly description: string;
  /** The codes of the findings that name what was done. */
  readonly mistakes: readonly string[];
  /** For a code of `mistakes`: others that name the same thing as well. */
  readonly sameAs?: Readonly<Record<string, readonly string[]>>;
  /** Findings that are true too, but need not be made. */
  readonly alsoTrue?: readonly string[];
  readonly request: {
    readonly method: string;
    readonly targetUri: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly bodyBase64?: string;
  };
  readonly context: { readonly nowSeconds: number; readonly isRepeated?: boolean };
  /** The base that the client says it signed. */
  readonly claimedBase?: string;
}

const folder = fileURLToPath(new URL('../../vectors/mistakes/', import.meta.url));

/** The files of the corpus that hold cases. */
export const parts = ['single', 'pairs', 'correct'] as const;

/** Where a file of the corpus is. */
export function corpusPath(name: string): string {
  return `${folder}${name}.json`;
}

/** The cases of one file. */
export function readCases(part: (typeof parts)[number]): readonly MistakeCase[] {
  return (JSON.parse(readFileSync(corpusPath(part), 'utf8')) as { cases: MistakeCase[] }).cases;
}

/** The account that all requests belong to. */
export function readAccount(): Account {
  return JSON.parse(readFileSync(corpusPath('account'), 'utf8')) as Account;
}
