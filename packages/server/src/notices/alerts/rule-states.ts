import type { Alert, AlertValue } from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import { contentOf, shownAlert } from './alert-content.ts';
import type { AlertRuleRecord } from './alert-rules.ts';
import { measure } from './measure.ts';

/** What a rule is doing now. */
export interface AlertRuleState {
  readonly client: { readonly clientId: string; readonly name: string; readonly isActive: boolean } | null;
  readonly firing: readonly Alert[];
  readonly lastFiredAtMs: number | undefined;
  readonly current: AlertValue;
}

/** Reads what a rule measures and what fires. */
export async function readRuleState(
  database: Database,
  rule: AlertRuleRecord,
  nowMs: number,
): Promise<AlertRuleState> {
  const client = await readClient(database, rule);
  const rows = await database
    .selectFrom('alerts')
    .selectAll()
    .where('alert_rule_id', '=', rule.alertRuleId)
    .where('resolved_at_ms', 'is', null)
    .orderBy('fired_at_ms', 'desc')
    .execute();
  const last = await database
    .selectFrom('alerts')
    .select('fired_at_ms')
    .where('alert_rule_id', '=', rule.alertRuleId)
    .orderBy('fired_at_ms', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    client,
    firing: rows.map((row) => shownAlert(row, contentOf(row))),
    lastFiredAtMs: last?.fired_at_ms,
    current: client?.isActive === false ? nothing : await readValue(database, rule, nowMs),
  };
}

const nothing: AlertValue = { value: null, isMet: false };

/** Measures a condition now. */
export async function readValue(
  database: Database,
  {
    accountId,
    condition,
    clientId,
    watchedFromMs = 0,
  }: Pick<AlertRuleRecord, 'accountId' | 'condition' | 'clientId'> & { readonly watchedFromMs?: number },
  nowMs: number,
): Promise<AlertValue> {
  const place = { accountId, clientId: clientId ?? undefined, nowMs, watchedFromMs };
  const { value, requests, findings } = await measure(database, condition, place);
  return {
    value,
    ...(requests !== undefined && { requests }),
    isMet: findings.some(({ isOver = false }) => !isOver),
  };
}

async function readClient(
  database: Database,
  { clientId, accountId }: AlertRuleRecord,
): Promise<AlertRuleState['client']> {
  if (clientId === null) return null;
  const row = await database
    .selectFrom('clients')
    .select(['name', 'status'])
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return { clientId, name: row?.name ?? clientId, isActive: row?.status === 'active' };
}
