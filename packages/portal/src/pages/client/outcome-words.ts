import { problems } from '@countersign/contract/problems';

/** An outcome of a request in words: the title of its problem, or the outcome itself when this version does not know it. */
export function outcomeWords(outcome: string): string {
  return Object.hasOwn(problems, outcome) ? problems[outcome as keyof typeof problems].title : outcome;
}
