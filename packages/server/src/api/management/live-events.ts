import { ProblemError } from '@countersign/gate';
import { defineHandlers } from '../handlers.ts';
import { queryInvalid } from '../request-query.ts';

export const liveEventHandlers = defineHandlers(({ eventStreams }) => ({
  streamEvents: ({ query: { account } }, { caller, isStillAdmitted }) => {
    if (account === undefined) throw queryInvalid('account is the accountId of the account to follow');
    // The caller was admitted for this account. Without a way to check that again, no stream is opened.
    if (caller.kind !== 'person' || caller.accountId !== account || isStillAdmitted === undefined)
      throw new ProblemError('not_found');
    const listenerId = caller.person.userId;
    if (!eventStreams.hasRoom(listenerId)) {
      throw new ProblemError('rate_limited', {
        members: { reason: 'too many event streams are open', retryAfterSeconds: 30 },
      });
    }
    const listening = { accountId: account, listenerId, isAdmitted: isStillAdmitted };
    return { status: 200, stream: eventStreams.stream(listening) };
  },
}));
