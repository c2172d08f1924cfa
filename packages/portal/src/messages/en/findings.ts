import { findings } from '@countersign/explain';

/** Returns the title of a mistake; undefined for one that only a newer service knows. */
export function findingTitle(code: string): string | undefined {
  return Object.hasOwn(findings, code) ? findings[code as keyof typeof findings].title : undefined;
}

/** A sentence, with its language (RFC 5646) if that is not the page's. */
export interface FindingSentence {
  readonly text: string;
  readonly lang?: string | undefined;
}

/** Returns what is wrong, or how to fix it, as the explainer says it. */
export function findingSentence(_code: string, _part: 'cause' | 'fix', text: string): FindingSentence {
  return { text };
}
