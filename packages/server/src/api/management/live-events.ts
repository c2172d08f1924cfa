import { liveEventParameters } from '@countersign/contract';
import { refuseBody } from '../request-body.ts';
import { queryInvalid, readQueryAs } from '../request-query.ts';
import type { Handler } from '../handler.ts';
import { ProblemError } from '@countersign/gate';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/events`: for people, who follow an account with their browsers. */
export function streamEvents({ eventStreams }: Pick<ManagementParts, 'eventStreams'>): Handler {
  return (request) => {
    refuseBody(request);
    const { account } = readQueryAs(request.query, liveEventParameters);
    if (account === undefined) throw queryInvalid('account is the accountId of the account to follow');
    const { caller, isStillAdmitted } = request;
    // Who called was let in for this account; without a way to ask again, nobody follows anything.
    if (caller.kind !== 'person' || caller.accountId !== account || isStillAdmitted === undefined)
      throw new ProblemError('not_found');
    const listenerId = caller.person.userId;
    if (!eventStreams.hasRoom(listenerId)) {
      throw new ProblemError('rate_limited', {
        members: { reason: 'too many streams of events are open', retryAfterSeconds: 30 },
      });
    }
    const listening = { accountId: account, listenerId, isAdmitted: isStillAdmitted };
    return { status: 200, stream: eventStreams.stream(listening) };
  };
}
