import type { AuditEvent, NoticeKind } from '@countersign/contract';
import { sql } from 'kysely';
import { readAuditEvents } from '../registry/store/audit.ts';
import { type Database, inSnapshot } from '../storage/transaction.ts';
import type { NoticeContent } from './add-notice.ts';

/** A notice as one person sees it. */
export interface NoticeRecord extends NoticeContent {
  readonly noticeId: string;
  readonly kind: NoticeKind;
  readonly happenedAtMs: number;
  readonly lastHappenedAtMs: number;
  readonly count: number;
  readonly isRead: boolean;
  readonly client: { readonly clientId: string; readonly name: string } | undefined;
  readonly event: AuditEvent | undefined;
}

/** The inbox of a person in an account. Only members have one, not people who act for the account. */
export interface InboxOwner {
  readonly accountId: string;
  readonly userId: string;
  /** The kinds that the person may see and wants. */
  readonly kinds: readonly NoticeKind[];
  /** True to include notices that are only mailed. Default false. */
  readonly includesMailed?: boolean;
}

export interface InboxFilter {
  readonly onlyUnread?: boolean | undefined;
  readonly noticeId?: string | undefined;
  /** Only notices before this one. */
  readonly beforeNoticeId?: string | undefined;
  readonly limit: number;
}

/** Lists a person's notices, newest first. */
export async function listNotices(
  database: Database,
  owner: InboxOwner,
  { onlyUnread = false, noticeId, beforeNoticeId, limit }: InboxFilter,
): Promise<NoticeRecord[]> {
  if (owner.kinds.length === 0) return [];
  return inSnapshot(database, async (transaction) => {
    let query = inbox(transaction, owner)
      .leftJoin('clients', (join) =>
        join
          .onRef('clients.client_id', '=', 'notices.client_id')
          .onRef('clients.account_id', '=', 'notices.account_id'),
      )
      .selectAll('notices')
      .select(['clients.name as client_name', isRead.as('is_read')]);
    if (onlyUnread) query = query.where(isUnread);
    if (noticeId !== undefined) query = query.where('notices.notice_id', '=', noticeId);
    if (beforeNoticeId !== undefined) query = query.where('notices.notice_id', '<', beforeNoticeId);
    const rows = await query.orderBy('notices.notice_id', 'desc').limit(limit).execute();
    const eventIds = rows.flatMap((row) => row.event_id ?? []);
    const events = await readAuditEvents(transaction, eventIds, owner.accountId);
    return rows.map((row) => ({
      noticeId: row.notice_id,
      kind: row.kind,
      happenedAtMs: row.happened_at_ms,
      lastHappenedAtMs: row.last_happened_at_ms,
      count: row.count,
      isRead: row.is_read === 1,
      client:
        row.client_id === null || row.client_name === null
          ? undefined
          : { clientId: row.client_id, name: row.client_name },
      event: row.event_id === null ? undefined : events.get(row.event_id),
      ...(JSON.parse(row.content) as NoticeContent),
    }));
  });
}

/** Counts the notices that a person has not read. */
export async function countUnread(database: Database, owner: InboxOwner): Promise<number> {
  if (owner.kinds.length === 0) return 0;
  const { unread } = await inbox(database, owner)
    .select(({ fn }) => fn.countAll<number | string>().as('unread'))
    .where(isUnread)
    .executeTakeFirstOrThrow();
  return Number(unread);
}

/** Marks one notice of a person's inbox as read, or all that it contained at a time. */
export async function markRead(
  transaction: Database,
  owner: InboxOwner,
  { noticeId, untilMs }: { readonly noticeId?: string | undefined; readonly untilMs?: number | undefined },
): Promise<void> {
  if (owner.kinds.length === 0) return;
  let unread = inbox(transaction, owner)
    .select((row) => ['notices.notice_id', row.val(owner.userId).as('user_id')])
    .where('notice_reads.user_id', 'is', null);
  if (noticeId !== undefined) unread = unread.where('notices.notice_id', '=', noticeId);
  if (untilMs !== undefined) unread = unread.where('notices.noted_at_ms', '<=', untilMs);
  await transaction
    .insertInto('notice_reads')
    .columns(['notice_id', 'user_id'])
    .expression(unread)
    .onConflict((conflict) => conflict.columns(['notice_id', 'user_id']).doNothing())
    .execute();
}

function inbox(database: Database, { accountId, userId, kinds, includesMailed = false }: InboxOwner) {
  const notices = database
    .selectFrom('notices')
    .innerJoin('members', (join) =>
      join.onRef('members.account_id', '=', 'notices.account_id').on('members.user_id', '=', userId),
    )
    .leftJoin('notice_reads', (join) =>
      join
        .onRef('notice_reads.notice_id', '=', 'notices.notice_id')
        .onRef('notice_reads.user_id', '=', 'members.user_id'),
    )
    .where('notices.account_id', '=', accountId)
    .where('notices.kind', 'in', kinds);
  return includesMailed ? notices : notices.where('notices.in_inbox', '=', 1);
}

/**
 * A notice from before a person joined is not unread for them. Neither is one about something that ended a week
 * before the notice was made, as after an upgrade or in demo data.
 */
const isUnread = sql<boolean>`(notice_reads.user_id is null and notices.noted_at_ms >= members.created_at_ms
  and notices.last_happened_at_ms > notices.noted_at_ms - 604800000)`;
const isRead = sql<number>`case when ${isUnread} then 0 else 1 end`;
