import { ProblemError } from '@countersign/gate';
import { withFindingCodes } from '../../request-log/records/explanations.ts';
import { readRequestRecord } from '../../request-log/records/request-records.ts';
import { readableAccount } from '../caller-scope.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { timestamp } from '../timestamp.ts';

export const requestHandlers = defineHandlers(({ database, findStrangersRequest }) => ({
  /**
   * For a request without an owner, the error includes the outcome, because a caller that has its ID is looking
   * for it.
   */
  getRequest: async (_input, request) => {
    const requestId = idInPath(request, 'requestId', 'request');
    const entry = await readRequestRecord(database, requestId, readableAccount(request));
    if (entry !== undefined) {
      const [body = entry] = await withFindingCodes(database, [entry]);
      return { status: 200, body };
    }
    const stranger = findStrangersRequest(requestId);
    if (stranger === undefined) throw new ProblemError('not_found');
    const unattributed = { outcome: stranger.outcome, receivedAt: timestamp(stranger.receivedAtMs) };
    throw new ProblemError('not_found', { members: { unattributed } });
  },
}));
