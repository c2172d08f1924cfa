import type { AlertCondition, AlertEndReason, WebhookData } from '@countersign/contract';
import type { Selectable } from 'kysely';
import type { AlertsTable } from './tables.ts';

/** What an alert keeps of its rule and of what was measured when it fired. */
export interface AlertContent {
  readonly name: string;
  readonly condition: AlertCondition;
  readonly value: number | null;
  readonly requests?: number | undefined;
  readonly keyId?: string | undefined;
  readonly dueAt?: string | undefined;
  readonly sourceAddress?: string | undefined;
}

export type AlertRow = Selectable<AlertsTable>;

/** Returns an alert as notices and events show it. */
export function alertData(row: AlertRow, reason: AlertEndReason = 'condition_ended'): WebhookData<'alert'> {
  const { name, condition, ...measured } = contentOf(row);
  return {
    alertRuleId: row.alert_rule_id,
    name,
    condition,
    ...shownAlert(row, measured),
    ...(row.resolved_at_ms !== null && {
      resolvedAt: new Date(row.resolved_at_ms).toISOString(),
      endReason: reason,
    }),
  };
}

export function contentOf({ content }: Pick<AlertRow, 'content'>): AlertContent {
  return JSON.parse(content) as AlertContent;
}

/** Returns an alert without its rule. */
export function shownAlert(
  row: Pick<AlertRow, 'alert_id' | 'client_id' | 'fired_at_ms'>,
  { value, requests, keyId, dueAt, sourceAddress }: Omit<AlertContent, 'name' | 'condition'>,
): Omit<WebhookData<'alert'>, 'alertRuleId' | 'name' | 'condition'> {
  return {
    alertId: row.alert_id,
    ...(row.client_id !== null && { clientId: row.client_id }),
    firedAt: new Date(row.fired_at_ms).toISOString(),
    value,
    ...(requests !== undefined && { requests }),
    ...(keyId !== undefined && { keyId }),
    ...(dueAt !== undefined && { dueAt }),
    ...(sourceAddress !== undefined && { sourceAddress }),
  };
}
