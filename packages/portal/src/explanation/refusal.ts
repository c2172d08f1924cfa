import { passedOutcomes } from '@countersign/contract/problems';

/** Returns true if a check rejected a request. An ordinary 404 of the API is the response to an accepted request. */
export function isRefusal(outcome: string): boolean {
  return !passedOutcomes.has(outcome);
}
