import { addNotice } from '../../src/notices/add-notice.ts';
import { type Database, inTransaction } from '../../src/storage/transaction.ts';

/** Writes a notice about a key into an account, and returns its id. */
export async function addedNotice(
  database: Database,
  accountId: string,
  mark: string,
  nowMs: number,
): Promise<string> {
  const notice = { accountId, kind: 'key_due', mark, happenedAtMs: nowMs } as const;
  await inTransaction(database, (transaction) => addNotice(transaction, notice, { nowMs, isMailed: false }));
  const { notice_id: noticeId } = await database
    .selectFrom('notices')
    .select('notice_id')
    .where('account_id', '=', accountId)
    .where('mark', '=', mark)
    .executeTakeFirstOrThrow();
  return noticeId;
}
