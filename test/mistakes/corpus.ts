import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Account } from './account.ts';

/** One wrongly signed request, and the expected findings. */
export interface MistakeCase {
  readonly id: string;
  readonly maker: string;
  readonly description: string;
  /** The findings that name the mistake. */
  readonly mistakes: readonly string[];
  /** For a code in `mistakes`: others that name the same thing. */
  readonly sameAs?: Readonly<Record<string, readonly string[]>>;
  /** Findings that are also true but not required. */
  readonly alsoTrue?: readonly string[];
  readonly request: {
    readonly method: string;
    readonly targetUri: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly bodyBase64?: string;
  };
  readonly context: { readonly nowSeconds: number; readonly isRepeated?: boolean };
  /** The base that the client claims to have signed. */
  readonly claimedBase?: string;
}

const folder = fileURLToPath(new URL('../../vectors/mistakes/', import.meta.url));

export const parts = ['single', 'pairs', 'correct'] as const;

export function corpusPath(name: string): string {
  return `${folder}${name}.json`;
}

export function readCases(part: (typeof parts)[number]): readonly MistakeCase[] {
  return (JSON.parse(readFileSync(corpusPath(part), 'utf8')) as { cases: MistakeCase[] }).cases;
}

export function readAccount(): Account {
  return JSON.parse(readFileSync(corpusPath('account'), 'utf8')) as Account;
}
