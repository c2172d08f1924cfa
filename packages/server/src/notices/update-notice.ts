import type { NoticeKind } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';
import type { NoticeContent } from './add-notice.ts';

export interface NoticeUpdate {
  readonly accountId: string;
  readonly kind: NoticeKind;
  readonly mark: string;
  readonly count: number;
  readonly lastHappenedAtMs: number;
  /** Default unchanged. */
  readonly content?: NoticeContent;
}

/**
 * Updates a notice's count. It stays read for those who have read it.
 *
 * @returns true if there is, or was, such a notice
 */
export async function updateNotice(
  database: Database,
  { accountId, kind, mark, count, lastHappenedAtMs, content }: NoticeUpdate,
): Promise<boolean> {
  const marked = await database
    .selectFrom('notice_marks')
    .select('mark')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('mark', '=', mark)
    .executeTakeFirst();
  if (marked === undefined) return false;
  await database
    .updateTable('notices')
    .set({
      count,
      last_happened_at_ms: lastHappenedAtMs,
      ...(content && { content: JSON.stringify(content) }),
    })
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('mark', '=', mark)
    .where('count', '<', count)
    .execute();
  return true;
}
