import { findings } from '@countersign/explain';
import type { FindingSentence } from '../finding-sentence.ts';

/** Returns the title of a mistake; undefined for one that only a newer service knows. */
export function findingTitle(code: string): string | undefined {
  return Object.hasOwn(findings, code) ? findings[code as keyof typeof findings].title : undefined;
}

/** Returns what is wrong, or how to fix it, as the explainer says it. */
export function findingSentence(_code: string, _part: 'cause' | 'fix', text: string): FindingSentence {
  return { text };
}
