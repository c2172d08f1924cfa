import { type NoticeKind, noticeKinds } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { readMemberRoles } from '../registry/store/member-roles.ts';
import type { Schema } from '../storage/schema.ts';

/** A notice that may have to be mailed. */
export interface MailedNotice {
  readonly noticeId: string;
  readonly accountId: string;
  readonly kind: NoticeKind;
  readonly lastHappenedAtMs?: number;
  readonly happenedAtMs: number;
  readonly byUserId?: string | undefined;
}

/** Queues a notice for each member of its account who wants mail of its kind, may see it, and did not cause it. */
export async function queueMails(
  transaction: Transaction<Schema>,
  { noticeId, accountId, kind, byUserId, happenedAtMs, lastHappenedAtMs = happenedAtMs }: MailedNotice,
  nowMs: number,
): Promise<void> {
  // If the service learns of an event late, after days without running, its notice is only put into the inbox.
  if (lastHappenedAtMs < nowMs - newsMs) return;
  const members = await transaction
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .leftJoin('notice_preferences', (join) =>
      join
        .onRef('notice_preferences.user_id', '=', 'members.user_id')
        .on('notice_preferences.kind', '=', kind),
    )
    .select(['members.user_id', 'members.role', 'accounts.is_operator', 'notice_preferences.by_mail'])
    .where('members.account_id', '=', accountId)
    .execute();
  const [first] = members;
  if (first === undefined) return;
  const roles = await readMemberRoles(transaction, { accountId, isOperator: first.is_operator === 1 }, {});
  const { permission, byMail } = noticeKinds[kind];
  const recipients = members.filter(
    (member) =>
      member.user_id !== byUserId &&
      roles.get(member.role)?.permissions.has(permission) === true &&
      (member.by_mail === null ? byMail : member.by_mail === 1),
  );
  if (recipients.length === 0) return;
  await transaction
    .insertInto('notice_mails')
    .values(
      recipients.map((member) => ({ user_id: member.user_id, notice_id: noticeId, queued_at_ms: nowMs })),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'notice_id']).doNothing())
    .execute();
}

const newsMs = 172_800_000;
