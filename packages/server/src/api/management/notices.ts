import { type Notice, noticeKinds, type NoticePreferences } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import {
  countUnread,
  type InboxOwner,
  listNotices,
  markRead,
  type NoticeRecord,
} from '../../notices/inbox.ts';
import { readNoticePreferences, updateNoticePreferences } from '../../notices/notice-preferences.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { personCaller } from '../caller.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { pageOf, placeOf } from '../page.ts';
import type { ApiParts } from '../parts.ts';
import { timeMsIfAny, timestamp } from '../timestamp.ts';

export const noticeHandlers = defineHandlers((parts) => {
  const { database } = parts;
  return {
    listNotices: async ({ query }, request) => {
      const owner = await inboxOwner(database, request);
      const { limit, afterId } = placeOf(query, 'notice');
      const { kind, show } = query;
      const shown =
        kind === undefined ? owner : { ...owner, kinds: owner.kinds.filter((one) => one === kind) };
      const filter = { onlyUnread: show === 'unread', beforeNoticeId: afterId, limit: limit + 1 };
      const notices = await listNotices(database, shown, filter);
      const page = pageOf(notices, limit, ({ noticeId }) => noticeId, showNotice);
      return { status: 200, body: { ...page, unread: await countUnread(database, owner) } };
    },

    readNotice: (_input, request) =>
      inTransaction(database, async (transaction) => {
        const noticeId = idInPath(request, 'noticeId', 'notice');
        const owner = await inboxOwner(transaction, request);
        await markRead(transaction, owner, { noticeId });
        const [notice] = await listNotices(transaction, owner, { noticeId, limit: 1 });
        if (notice === undefined) throw new ProblemError('not_found');
        return { status: 200, body: showNotice(notice) };
      }),

    readAllNotices: ({ body: { until } }, request) =>
      inTransaction(database, async (transaction) => {
        const owner = await inboxOwner(transaction, request);
        await markRead(transaction, owner, { untilMs: timeMsIfAny(until) });
        return { status: 200, body: { unread: await countUnread(transaction, owner) } };
      }),

    getNoticePreferences: async (_input, request) => ({
      status: 200,
      body: await showPreferences(parts, database, request),
    }),

    updateNoticePreferences: ({ body: { preferences } }, request) =>
      inTransaction(database, async (transaction) => {
        await updateNoticePreferences(transaction, personCaller(request).person.userId, preferences);
        return { status: 200, body: await showPreferences(parts, transaction, request) };
      }),
  };
});

/** Returns the caller's inbox, with the kinds that the role may see and that the person wants there. */
async function inboxOwner(database: Database, request: ApiRequest): Promise<InboxOwner> {
  const { person, accountId, permissions } = personCaller(request);
  const preferences = await readNoticePreferences(database, person.userId);
  const kinds = preferences
    .filter(({ kind, inInbox }) => inInbox && permissions.has(noticeKinds[kind].permission))
    .map(({ kind }) => kind);
  return { accountId, userId: person.userId, kinds };
}

async function showPreferences(
  { people }: Pick<ApiParts, 'people'>,
  database: Database,
  request: ApiRequest,
): Promise<NoticePreferences> {
  const { person, permissions } = personCaller(request);
  const all = await readNoticePreferences(database, person.userId);
  return {
    preferences: all.filter(({ kind }) => permissions.has(noticeKinds[kind].permission)),
    isMailConfigured: people?.mail === 'smtp',
  };
}

function showNotice(record: NoticeRecord): Notice {
  const { happenedAtMs, lastHappenedAtMs, client, event, ...rest } = record;
  return {
    ...rest,
    happenedAt: timestamp(happenedAtMs),
    lastHappenedAt: timestamp(lastHappenedAtMs),
    ...(client && { client }),
    ...(event && { event }),
  };
}
