import { webhookFailingDays, webhookFailingStages, webhookLimits } from '@countersign/contract';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NewNotice, type NotingContext } from './add-notice.ts';

const dayMs = 86_400_000;

interface FailingWebhook {
  readonly webhook_id: string;
  readonly account_id: string;
  readonly url: string;
  readonly failing_since_ms: number | null;
}

/**
 * Makes a notice for each webhook that has failed for some days, before it is disabled: once for each stage of a time
 * without a success. If the service learns of two stages at once, only of the last one.
 */
export async function noteFailingWebhooks(database: Database, context: NotingContext): Promise<void> {
  const rows = await database
    .selectFrom('webhooks')
    .select(['webhook_id', 'account_id', 'url', 'failing_since_ms'])
    .where('status', '=', 'active')
    .where('failing_since_ms', '<=', context.nowMs - webhookFailingDays.one_day * dayMs)
    .execute();
  const notices = rows.flatMap((row) => failingNotice(row, context.nowMs) ?? []);
  for (const notice of await withoutNoticed(database, notices))
    await inTransaction(database, (transaction) => addNotice(transaction, notice, context));
}

function failingNotice(row: FailingWebhook, nowMs: number): NewNotice | undefined {
  const { webhook_id: webhookId, account_id: accountId, url, failing_since_ms: sinceMs } = row;
  if (sinceMs === null) return undefined;
  const stage = webhookFailingStages.findLast((one) => nowMs - sinceMs >= webhookFailingDays[one] * dayMs);
  if (stage === undefined) return undefined;
  const webhook = {
    webhookId,
    url,
    stage,
    failingSince: new Date(sinceMs).toISOString(),
    disabledAfter: new Date(sinceMs + webhookLimits.failingDaysMax * dayMs).toISOString(),
  };
  const mark = `${webhookId} ${sinceMs} ${stage}`;
  return { accountId, kind: 'webhook_failing', mark, happenedAtMs: nowMs, content: { webhook } };
}

/** Leaves out what has a notice, so that nothing is written for a webhook that goes on failing. */
async function withoutNoticed(
  database: Database,
  notices: readonly NewNotice[],
): Promise<readonly NewNotice[]> {
  if (notices.length === 0) return [];
  const rows = await database
    .selectFrom('notice_marks')
    .select('mark')
    .where('kind', '=', 'webhook_failing')
    .where(
      'mark',
      'in',
      notices.map(({ mark }) => mark),
    )
    .execute();
  const noticed = new Set(rows.map(({ mark }) => mark));
  return notices.filter(({ mark }) => !noticed.has(mark));
}
