import { type NoticeKind, noticeKindNames, noticeKinds } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';

/** A person's preferences for one kind of notice. */
export interface NoticePreferenceRecord {
  readonly kind: NoticeKind;
  readonly inInbox: boolean;
  readonly byMail: boolean;
}

/** Reads a person's preferences for every kind. */
export async function readNoticePreferences(
  database: Database,
  userId: string,
): Promise<readonly NoticePreferenceRecord[]> {
  const rows = await database
    .selectFrom('notice_preferences')
    .selectAll()
    .where('user_id', '=', userId)
    .execute();
  const chosen = new Map(rows.map((row) => [row.kind, row]));
  return noticeKindNames.map((kind) => {
    const row = chosen.get(kind);
    const { inInbox, byMail } = noticeKinds[kind];
    return row === undefined
      ? { kind, inInbox, byMail }
      : { kind, inInbox: row.in_inbox === 1, byMail: row.by_mail === 1 };
  });
}

/** Changes a person's preferences for some kinds. Queued mails of a kind that is no longer wanted are not sent. */
export async function updateNoticePreferences(
  transaction: Database,
  userId: string,
  preferences: readonly NoticePreferenceRecord[],
): Promise<void> {
  for (const { kind, inInbox, byMail } of preferences) {
    const row = { in_inbox: inInbox ? 1 : 0, by_mail: byMail ? 1 : 0 } as const;
    await transaction
      .insertInto('notice_preferences')
      .values({ user_id: userId, kind, ...row })
      .onConflict((conflict) => conflict.columns(['user_id', 'kind']).doUpdateSet(row))
      .execute();
  }
  const unmailed = preferences.filter(({ byMail }) => !byMail).map(({ kind }) => kind);
  if (unmailed.length === 0) return;
  await transaction
    .deleteFrom('notice_mails')
    .where('user_id', '=', userId)
    .where('notice_id', 'in', (query) =>
      query.selectFrom('notices').select('notice_id').where('kind', 'in', unmailed),
    )
    .execute();
}
