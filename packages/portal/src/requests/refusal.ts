import { answerCodes } from '@countersign/contract/problems';

/** Returns true if a check refused a request. An ordinary 404 of the API is the answer to an accepted request. */
export function isRefusal(outcome: string): boolean {
  return outcome !== 'accepted' && !(answerCodes as readonly string[]).includes(outcome);
}
