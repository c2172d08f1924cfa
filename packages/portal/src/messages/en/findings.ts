import type { FindingSentence } from '../finding-sentence.ts';

/** Returns what is wrong, or how to fix it, as the explainer says it. */
export function findingSentence(_code: string, _part: 'cause' | 'fix', text: string): FindingSentence {
  return { text };
}
