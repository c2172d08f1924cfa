import type { NoticeKind } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';
import type { NotingContext } from './add-notice.ts';
import { likeCauseMark } from './told-failures.ts';

/**
 * Returns true if an account can have another notice of a kind. Requests cause only a limited number a day, so
 * that a stranger who knows all the account's clients cannot fill its inbox or anyone's mailbox.
 *
 * @param marks `causes` are notices of further causes of failures, which have room of their own, so that strangers cannot
 *   take it
 */
export async function hasRoomToday(
  database: Database,
  {
    accountId,
    kind,
    marks = 'others',
  }: { readonly accountId: string; readonly kind: NoticeKind; readonly marks?: 'causes' | 'others' },
  { nowMs }: NotingContext,
): Promise<boolean> {
  const rows = await database
    .selectFrom('notice_marks')
    .select('mark')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('noted_at_ms', '>', nowMs - dayMs)
    .where('mark', marks === 'causes' ? 'like' : 'not like', likeCauseMark)
    .limit(noticesPerDayMax)
    .execute();
  return rows.length < noticesPerDayMax;
}

const dayMs = 86_400_000;
const noticesPerDayMax = 50;
