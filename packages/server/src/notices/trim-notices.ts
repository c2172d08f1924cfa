import { noticeKindNames } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';

const dayMs = 86_400_000;
/** Notices are kept for this long. */
const keptMs = 90 * dayMs;
/** The number of notices that an account keeps per kind, so that no kind displaces another. */
const keptPerKind = 200;
/**
 * Longer than the time in which the same mark can occur again. Keys get each notice only once, so their marks
 * are kept.
 */
const marksKeptMs = 120 * dayMs;

/** Removes old and excess notices. Removed notices are not made again. */
export async function trimNotices(database: Database, nowMs: number): Promise<void> {
  await database
    .deleteFrom('notices')
    .where('last_happened_at_ms', '<', nowMs - keptMs)
    .execute();
  const full = await database
    .selectFrom('notices')
    .select(['account_id', 'kind'])
    .groupBy(['account_id', 'kind'])
    .having(({ fn }) => fn.countAll(), '>', keptPerKind)
    .execute();
  for (const { account_id: accountId, kind } of full) {
    const ofKind = database
      .selectFrom('notices')
      .select('notice_id')
      .where('account_id', '=', accountId)
      .where('kind', '=', kind);
    const newest = await ofKind
      .orderBy('notice_id', 'desc')
      .limit(1)
      .offset(keptPerKind - 1)
      .executeTakeFirst();
    if (newest === undefined) continue;
    await database
      .deleteFrom('notices')
      .where('account_id', '=', accountId)
      .where('kind', '=', kind)
      .where('notice_id', '<', newest.notice_id)
      .execute();
  }
  const forgotten = noticeKindNames.filter((kind) => kind !== 'key_due');
  await database
    .deleteFrom('notice_marks')
    .where('kind', 'in', forgotten)
    .where('noted_at_ms', '<', nowMs - marksKeptMs)
    .execute();
}
