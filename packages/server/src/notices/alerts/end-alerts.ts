import { type AlertEndReason, newId } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { queueEvent } from '../../registry/store/queue-event.ts';
import type { Schema } from '../../storage/schema.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import type { NoticeContent } from '../add-notice.ts';
import { queueMails } from '../queue-mails.ts';
import { alertData, type AlertRow } from './alert-content.ts';
import type { AlertRuleRecord } from './alert-rules.ts';

type EndedRule = Pick<AlertRuleRecord, 'alertRuleId' | 'accountId' | 'channels'>;

export interface EndContext {
  readonly nowMs: number;
  /** True if the service can send mail. */
  readonly isMailed: boolean;
}

/** Ends all alerts of a rule because people changed it, in the transaction of the change. They know, and get no mail. */
export async function endAlertsOf(
  transaction: Transaction<Schema>,
  rule: EndedRule,
  reason: AlertEndReason,
  nowMs: number,
): Promise<void> {
  const rows = await transaction
    .selectFrom('alerts')
    .selectAll()
    .where('alert_rule_id', '=', rule.alertRuleId)
    .where('resolved_at_ms', 'is', null)
    .execute();
  for (const row of rows) await end(transaction, rule, row, reason, { nowMs, isMailed: false });
}

/** Ends one alert, on whichever node comes first, and tells people. */
export async function endAlert(
  database: Database,
  rule: EndedRule,
  row: AlertRow,
  reason: AlertEndReason,
  context: EndContext,
): Promise<void> {
  await inTransaction(database, (transaction) => end(transaction, rule, row, reason, context));
}

async function end(
  transaction: Transaction<Schema>,
  rule: EndedRule,
  row: AlertRow,
  reason: AlertEndReason,
  { nowMs, isMailed }: EndContext,
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('alerts')
    .set({ resolved_at_ms: nowMs })
    .where('alert_id', '=', row.alert_id)
    .where('resolved_at_ms', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const data = alertData({ ...row, resolved_at_ms: nowMs }, reason);
  await updateNotice(
    transaction,
    rule,
    { alert: data, recoveredAt: data.resolvedAt! },
    {
      nowMs,
      isMailed: isMailed && rule.channels.byMail,
    },
  );
  if (row.by_webhook === 1)
    await queueEvent(transaction, {
      eventId: newId('event', nowMs),
      type: 'alert.resolved',
      accountId: rule.accountId,
      clientId: row.client_id ?? undefined,
      happenedAtMs: nowMs,
      data,
    });
}

/** Notes the end in the alert's notice, and mails that to those who have not read it. */
async function updateNotice(
  transaction: Transaction<Schema>,
  { accountId }: EndedRule,
  content: NoticeContent & Required<Pick<NoticeContent, 'alert'>>,
  { nowMs, isMailed }: EndContext,
): Promise<void> {
  const notice = await transaction
    .updateTable('notices')
    .set({ ended_at_ms: nowMs, content: JSON.stringify(content) })
    .where('account_id', '=', accountId)
    .where('kind', '=', 'alert')
    .where('mark', '=', content.alert.alertId)
    .returning('notice_id')
    .executeTakeFirst();
  if (notice === undefined || !isMailed) return;
  await queueMails(
    transaction,
    { noticeId: notice.notice_id, accountId, kind: 'alert', happenedAtMs: nowMs },
    nowMs,
  );
}
