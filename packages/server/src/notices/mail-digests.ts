import { noticeKindNames, noticeKinds } from '@countersign/contract';
import { mailLanguageOf, type NoticeDigest } from '../people/identity/identity.ts';
import { readMemberRole } from '../registry/store/member-roles.ts';
import type { Database } from '../storage/transaction.ts';
import { type InboxOwner, listNotices } from './inbox.ts';
import { readNoticePreferences } from './notice-preferences.ts';
import { noticeSentence } from './notice-sentence.ts';

export interface MailingContext {
  readonly nowMs: number;
  /** Rejects if the mail could not be handed over. */
  readonly send: (digest: NoticeDigest) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Each person gets at most one mail in this time. */
const mailEveryMs = 15 * 60_000;
/** Notices that could not be mailed for this long stay only in the inbox. */
const retriedMs = 86_400_000;
const personsPerTurn = 50;
const linesMax = 30;
/** The notices in one mail, including those that are only counted. */
const queuedMax = 5000;

/** Sends one mail to each person who is due, with all the notices waiting for them. */
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
  const { nowMs, send, onError } = context;
  if (!(await claim(database, userId, nowMs))) return;
  const queued = await database
    .selectFrom('notice_mails')
    .select(['notice_id', 'queued_at_ms'])
    .where('user_id', '=', userId)
    .orderBy('queued_at_ms')
    .limit(queuedMax)
    .execute();
  let done = queued;
  let hasNews = true;
  try {
    const digest = await readDigest(database, userId, new Set(queued.map((row) => row.notice_id)));
    if (digest === undefined) hasNews = false;
    else await send(digest);
  } catch (error) {
    onError(error);
    done = queued.filter((row) => row.queued_at_ms <= nowMs - retriedMs);
  }
  // Last, so that if a node is killed before, another one sends the mail.
  const noticeIds = done.map((row) => row.notice_id);
  if (noticeIds.length > 0)
    await database
      .deleteFrom('notice_mails')
      .where('user_id', '=', userId)
      .where('notice_id', 'in', noticeIds)
      .execute();
  if (!hasNews) await release(database, userId, nowMs);
}

/** Claims the next mail to a person; returns false if another node was faster. */
async function claim(database: Database, userId: string, nowMs: number): Promise<boolean> {
  await database
    .insertInto('notice_mail_times')
    .values({ user_id: userId, mailed_at_ms: 0 })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
  const claimed = await database
    .updateTable('notice_mail_times')
    .set({ mailed_at_ms: nowMs })
    .where('user_id', '=', userId)
    .where('mailed_at_ms', '<=', nowMs - mailEveryMs)
    .executeTakeFirst();
  return claimed.numUpdatedRows > 0n;
}

/** Releases a claim if there was nothing to mail, so that the next notice does not wait without reason. */
async function release(database: Database, userId: string, claimedAtMs: number): Promise<void> {
  await database
    .updateTable('notice_mail_times')
    .set({ mailed_at_ms: claimedAtMs - mailEveryMs })
    .where('user_id', '=', userId)
    .where('mailed_at_ms', '=', claimedAtMs)
    .execute();
}

/** Reads the notices that a person may still see, wants mailed and has not read; undefined if there are none. */
async function readDigest(
  database: Database,
  userId: string,
  noticeIds: ReadonlySet<string>,
): Promise<NoticeDigest | undefined> {
  const memberships = await database
    .selectFrom('members')
    .innerJoin('persons', 'persons.user_id', 'members.user_id')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .select(['members.account_id', 'members.role', 'accounts.name as account_name', 'is_operator'])
    .select(['persons.name', 'persons.email', 'persons.language'])
    .where('members.user_id', '=', userId)
    .orderBy('members.account_id')
    .execute();
  const [person] = memberships;
  if (person === undefined) return undefined;
  const language = mailLanguageOf(person.language);
  const preferences = await readNoticePreferences(database, userId);
  const wanted = new Set(preferences.filter(({ byMail }) => byMail).map(({ kind }) => kind));
  const accounts: { accountName: string; lines: readonly string[] }[] = [];
  let [linesLeft, moreCount] = [linesMax, 0];
  for (const membership of memberships) {
    const { account_id: accountId, account_name: accountName } = membership;
    const account = { accountId, isOperator: membership.is_operator === 1 };
    const held = (await readMemberRole(database, account, membership.role, {}))?.permissions;
    const kinds = noticeKindNames.filter(
      (kind) => wanted.has(kind) && held?.has(noticeKinds[kind].permission) === true,
    );
    const owner: InboxOwner = { accountId, userId, kinds, includesMailed: true };
    const unread = await listNotices(database, owner, { onlyUnread: true, limit: scannedMax });
    const news = unread.filter(({ noticeId }) => noticeIds.has(noticeId));
    const lines = news.slice(0, linesLeft).map((notice) => noticeSentence(notice, language));
    linesLeft -= lines.length;
    moreCount += news.length - lines.length;
    if (lines.length > 0) accounts.push({ accountName, lines });
  }
  const { email, name } = person;
  return accounts.length === 0 ? undefined : { email, name, language, accounts, moreCount };
}

const scannedMax = 1000;
