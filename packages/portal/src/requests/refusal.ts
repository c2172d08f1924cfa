import { answerCodes } from '@countersign/contract/problems';

/** Returns true if a check rejected a request. An ordinary 404 of the API is the response to an accepted request. */
export function isRefusal(outcome: string): boolean {
  return outcome !== 'accepted' && !(answerCodes as readonly string[]).includes(outcome);
}
