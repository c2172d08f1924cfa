import { alertLimits, newId } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { queueEvent } from '../../registry/store/queue-event.ts';
import type { Schema } from '../../storage/schema.ts';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { addNotice, type NotingContext } from '../add-notice.ts';
import { hasRoomToday } from '../daily-room.ts';
import { alertData, type AlertContent, type AlertRow } from './alert-content.ts';
import type { AlertRuleRecord } from './alert-rules.ts';
import type { Finding } from './measure.ts';

const quietMs = alertLimits.quietMinutes * 60_000;

/**
 * Makes an alert of what a rule found, with its notice and its event. Does nothing if any node has made it before, soon
 * after it ended, if the rule has changed meanwhile, or if it has too many alerts.
 */
export async function fireAlert(
  database: Database,
  rule: AlertRuleRecord,
  finding: Finding,
  context: NotingContext,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    if (!(await mayFire(transaction, rule, finding, context))) return;
    const row = rowOf(rule, finding, context);
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('alerts')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (Number(numInsertedOrUpdatedRows ?? 0) === 0) return;
    await tell(transaction, rule, row, context);
  });
}

async function mayFire(
  transaction: Transaction<Schema>,
  { alertRuleId, version }: AlertRuleRecord,
  { subject }: Finding,
  { nowMs }: NotingContext,
): Promise<boolean> {
  const rule = await transaction
    .selectFrom('alert_rules')
    .select('version')
    .where('alert_rule_id', '=', alertRuleId)
    .executeTakeFirst();
  if (rule?.version !== version) return false;
  const alerts = await transaction
    .selectFrom('alerts')
    .select(['subject', 'resolved_at_ms'])
    .where('alert_rule_id', '=', alertRuleId)
    .where((row) => row.or([row('resolved_at_ms', 'is', null), row('resolved_at_ms', '>', nowMs - quietMs)]))
    .limit(alertLimits.firingMax * 10)
    .execute();
  const open = alerts.filter((alert) => alert.resolved_at_ms === null);
  return open.length < alertLimits.firingMax && alerts.every((alert) => alert.subject !== subject);
}

function rowOf(
  { alertRuleId, name, condition, channels }: AlertRuleRecord,
  { subject, clientId, value, requests, keyId, dueAt, sourceAddress }: Finding,
  { nowMs }: NotingContext,
): AlertRow {
  const content: AlertContent = { name, condition, value, requests, keyId, dueAt, sourceAddress };
  return {
    alert_id: newId('alert', nowMs),
    alert_rule_id: alertRuleId,
    subject,
    client_id: clientId ?? null,
    fired_at_ms: nowMs,
    content: JSON.stringify(content),
    by_webhook: channels.byWebhook ? 1 : 0,
    quiet_since_ms: null,
    resolved_at_ms: null,
  };
}

async function tell(
  transaction: Transaction<Schema>,
  { accountId, channels }: AlertRuleRecord,
  row: AlertRow,
  context: NotingContext,
): Promise<void> {
  const { nowMs, isMailed } = context;
  const { inInbox, byMail, byWebhook } = channels;
  const data = alertData(row);
  const clientId = row.client_id ?? undefined;
  const of = { accountId, kind: 'alert' } as const;
  if ((inInbox || byMail) && (await hasRoomToday(transaction, of, context)))
    await addNotice(
      transaction,
      {
        ...of,
        mark: row.alert_id,
        happenedAtMs: nowMs,
        clientId,
        isInInbox: inInbox,
        content: { alert: data },
      },
      { nowMs, isMailed: isMailed && byMail },
    );
  if (!byWebhook) return;
  const eventId = newId('event', nowMs);
  await queueEvent(transaction, {
    eventId,
    type: 'alert.fired',
    accountId,
    clientId,
    happenedAtMs: nowMs,
    data,
  });
}
