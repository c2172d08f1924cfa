import { isMemberRole, memberRoles, noticeKindNames, noticeKinds } from '@countersign/contract';
import type { NoticeDigest } from '../identity/identity.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { type InboxOwner, listNotices } from './inbox.ts';
import { readNoticePreferences } from './notice-preferences.ts';
import { noticeSentence } from './notice-sentence.ts';

export interface MailingContext {
  readonly nowMs: number;
  /** Rejects when the mail could not be handed over. */
  readonly send: (digest: NoticeDigest) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** A person is mailed at most once in this time. */
const mailEveryMs = 15 * 60_000;
/** What could not be mailed for this long stays in the inbox alone. */
const retriedMs = 86_400_000;
const personsPerTurn = 50;
const linesMax = 30;

/** Mails everybody who is due the notices that wait for them, as one mail. */
export async function mailDigests(database: Database, context: MailingContext): Promise<void> {
  const due = await database
    .selectFrom('notice_mails')
    .leftJoin('notice_mail_times', 'notice_mail_times.user_id', 'notice_mails.user_id')
    .select('notice_mails.user_id')
    .distinct()
    .where((row) =>
      row.or([row('mailed_at_ms', 'is', null), row('mailed_at_ms', '<=', context.nowMs - mailEveryMs)]),
    )
    .limit(personsPerTurn)
    .execute();
  for (const { user_id: userId } of due) await mailDigest(database, userId, context);
}

async function mailDigest(database: Database, userId: string, context: MailingContext): Promise<void> {
  const taken = await takeQueue(database, userId, context.nowMs);
  if (taken.length === 0) return;
  try {
    const digest = await readDigest(database, userId, new Set(taken.map((row) => row.notice_id)));
    if (digest !== undefined) await context.send(digest);
  } catch (error) {
    context.onError(error);
    await putBack(database, taken, context.nowMs);
  }
}

interface QueuedNotice {
  readonly user_id: string;
  readonly notice_id: string;
  readonly queued_at_ms: number;
}

/** Takes what waits for a person, unless another node was faster. Whoever takes it mails it: no mail is sent twice. */
function takeQueue(database: Database, userId: string, nowMs: number): Promise<readonly QueuedNotice[]> {
  return inTransaction(database, async (transaction) => {
    await transaction
      .insertInto('notice_mail_times')
      .values({ user_id: userId, mailed_at_ms: 0 })
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .execute();
    const claimed = await transaction
      .updateTable('notice_mail_times')
      .set({ mailed_at_ms: nowMs })
      .where('user_id', '=', userId)
      .where('mailed_at_ms', '<=', nowMs - mailEveryMs)
      .executeTakeFirst();
    if (claimed.numUpdatedRows === 0n) return [];
    return transaction.deleteFrom('notice_mails').where('user_id', '=', userId).returningAll().execute();
  });
}

async function putBack(database: Database, taken: readonly QueuedNotice[], nowMs: number): Promise<void> {
  const kept = taken.filter((row) => row.queued_at_ms > nowMs - retriedMs);
  for (const row of kept) {
    // A notice may be gone meanwhile.
    await database
      .insertInto('notice_mails')
      .columns(['user_id', 'notice_id', 'queued_at_ms'])
      .expression((query) =>
        query
          .selectFrom('notices')
          .select((notice) => [
            notice.val(row.user_id).as('user_id'),
            'notice_id',
            notice.val(row.queued_at_ms).as('queued_at_ms'),
          ])
          .where('notice_id', '=', row.notice_id),
      )
      .onConflict((conflict) => conflict.columns(['user_id', 'notice_id']).doNothing())
      .execute();
  }
}

/** Reads what a person may still see, wants mailed and has not read; undefined for nothing. */
async function readDigest(
  database: Database,
  userId: string,
  noticeIds: ReadonlySet<string>,
): Promise<NoticeDigest | undefined> {
  const memberships = await database
    .selectFrom('members')
    .innerJoin('persons', 'persons.user_id', 'members.user_id')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .select(['members.account_id', 'members.role', 'accounts.name as account_name'])
    .select(['persons.name', 'persons.email'])
    .where('members.user_id', '=', userId)
    .orderBy('members.account_id')
    .execute();
  const [person] = memberships;
  if (person === undefined) return undefined;
  const preferences = await readNoticePreferences(database, userId);
  const wanted = new Set(preferences.filter(({ byMail }) => byMail).map(({ kind }) => kind));
  const accounts: { accountName: string; lines: readonly string[] }[] = [];
  let [linesLeft, moreCount] = [linesMax, 0];
  for (const { account_id: accountId, role, account_name: accountName } of memberships) {
    const held = isMemberRole(role) ? memberRoles[role].permissions : [];
    const kinds = noticeKindNames.filter(
      (kind) => wanted.has(kind) && held.includes(noticeKinds[kind].permission),
    );
    const owner: InboxOwner = { accountId, userId, kinds };
    const unread = await listNotices(database, owner, { onlyUnread: true, limit: lookedAtMax });
    const news = unread.filter(({ noticeId }) => noticeIds.has(noticeId));
    const lines = news.slice(0, linesLeft).map(noticeSentence);
    linesLeft -= lines.length;
    moreCount += news.length - lines.length;
    if (lines.length > 0) accounts.push({ accountName, lines });
  }
  return accounts.length === 0 ? undefined : { email: person.email, name: person.name, accounts, moreCount };
}

const lookedAtMax = 1000;
