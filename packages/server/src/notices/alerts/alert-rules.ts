import { type AlertCondition, alertLimits, newId } from '@countersign/contract';
import type { Selectable, Transaction } from 'kysely';
import { difference, recordAudited } from '../../registry/store/audit.ts';
import { changeFor } from '../../registry/store/caller.ts';
import { checkVersion } from '../../registry/store/client-change.ts';
import type { ChangeContext } from '../../registry/store/context.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { endAlertsOf } from './end-alerts.ts';
import type { AlertRulesTable } from './tables.ts';

/** How people are told of a rule's alerts. */
export interface AlertChannels {
  readonly inInbox: boolean;
  readonly byMail: boolean;
  readonly byWebhook: boolean;
}

/** What people decide about a rule. */
export interface AlertRuleContent {
  readonly name: string;
  readonly condition: AlertCondition;
  /** Null for the whole account. */
  readonly clientId: string | null;
  readonly isEnabled: boolean;
  readonly channels: AlertChannels;
}

export interface AlertRuleRecord extends AlertRuleContent {
  readonly alertRuleId: string;
  readonly accountId: string;
  /** When it began to look for its condition. */
  readonly watchedFromMs: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** What changes of a rule. */
export type AlertRuleUpdate = {
  readonly [Member in keyof AlertRuleContent]?: AlertRuleContent[Member] | undefined;
};

/** Lists an account's rules, oldest first. */
export async function listAlertRules(
  database: Database,
  page: { readonly accountId: string; readonly afterId?: string | undefined; readonly limit: number },
): Promise<readonly AlertRuleRecord[]> {
  let query = database.selectFrom('alert_rules').selectAll().where('account_id', '=', page.accountId);
  if (page.afterId !== undefined) query = query.where('alert_rule_id', '>', page.afterId);
  const rows = await query.orderBy('alert_rule_id').limit(page.limit).execute();
  return rows.map(alertRuleOf);
}

/**
 * Reads one rule.
 *
 * @param accountId the only account whose rules are visible; undefined for every account
 * @throws RegistryError `alert_rule_unknown`
 */
export async function readAlertRule(
  database: Database,
  alertRuleId: string,
  accountId: string | undefined,
): Promise<AlertRuleRecord> {
  const row = await database
    .selectFrom('alert_rules')
    .selectAll()
    .where('alert_rule_id', '=', alertRuleId)
    .executeTakeFirst();
  if (row === undefined || (accountId !== undefined && row.account_id !== accountId))
    throw new RegistryError('alert_rule_unknown', 'There is no such alert rule: check the alertRuleId.');
  return alertRuleOf(row);
}

/**
 * Adds a rule to an account.
 *
 * @throws RegistryError `alert_rules_too_many`, `alert_rule_invalid`
 */
export async function addAlertRule(
  database: Database,
  accountId: string,
  content: AlertRuleContent,
  initialContext: ChangeContext,
): Promise<AlertRuleRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    await checkClient(transaction, accountId, content.clientId);
    await checkRoom(transaction, accountId);
    const alertRuleId = newId('alertrule', context.nowMs);
    const rule = { alertRuleId, accountId };
    const version = await record(transaction, 'added', rule, { after: shown(content) }, context);
    await transaction
      .insertInto('alert_rules')
      .values({
        alert_rule_id: alertRuleId,
        account_id: accountId,
        ...columnsOf(content),
        watched_from_ms: context.nowMs,
        created_at_ms: context.nowMs,
        updated_at_ms: context.nowMs,
        version,
      })
      .execute();
    return readAlertRule(transaction, alertRuleId, undefined);
  });
}

/**
 * Changes a rule. Another condition or client, and switching it off, ends the alerts that last.
 *
 * @throws RegistryError `alert_rule_unknown`, `alert_rule_invalid`, `version_changed`
 */
export async function updateAlertRule(
  database: Database,
  alertRuleId: string,
  change: AlertRuleUpdate,
  initialContext: ChangeContext,
): Promise<AlertRuleRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const rule = await readAlertRule(transaction, alertRuleId, context.accountId);
    checkVersion(rule.version, context);
    const next = contentAfter(rule, change);
    const differs = difference(shown(rule), shown(next));
    if (differs === undefined) return rule;
    if (next.clientId !== rule.clientId) await checkClient(transaction, rule.accountId, next.clientId);
    const version = await record(transaction, 'updated', rule, differs, context);
    const isOther = next.clientId !== rule.clientId || shown(next)['condition'] !== shown(rule)['condition'];
    if (isOther || !next.isEnabled)
      await endAlertsOf(transaction, rule, next.isEnabled ? 'rule_changed' : 'rule_off', context.nowMs);
    const isFresh = isOther || (next.isEnabled && !rule.isEnabled);
    await transaction
      .updateTable('alert_rules')
      .set({
        ...columnsOf(next),
        ...(isFresh && { watched_from_ms: context.nowMs }),
        updated_at_ms: context.nowMs,
        version,
      })
      .where('alert_rule_id', '=', alertRuleId)
      .execute();
    return readAlertRule(transaction, alertRuleId, undefined);
  });
}

/**
 * Removes a rule, which ends its alerts. Returns it as it was.
 *
 * @throws RegistryError `alert_rule_unknown`, `version_changed`
 */
export async function removeAlertRule(
  database: Database,
  alertRuleId: string,
  initialContext: ChangeContext,
): Promise<AlertRuleRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const rule = await readAlertRule(transaction, alertRuleId, context.accountId);
    checkVersion(rule.version, context);
    await endAlertsOf(transaction, rule, 'rule_off', context.nowMs);
    await transaction.deleteFrom('alert_rules').where('alert_rule_id', '=', alertRuleId).execute();
    await record(transaction, 'removed', rule, { before: shown(rule) }, context);
    return rule;
  });
}

/** @throws RegistryError `alert_rule_invalid` for a client of another account, or none */
export async function checkClient(
  database: Database,
  accountId: string,
  clientId: string | null,
): Promise<void> {
  if (clientId === null) return;
  const client = await database
    .selectFrom('clients')
    .select('status')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (client?.status === 'active' || client?.status === 'disabled') return;
  throw new RegistryError('alert_rule_invalid', 'The account has no such client, or it is revoked.', {
    member: ['clientId'],
  });
}

async function checkRoom(transaction: Transaction<Schema>, accountId: string): Promise<void> {
  const rows = await transaction
    .selectFrom('alert_rules')
    .select('alert_rule_id')
    .where('account_id', '=', accountId)
    .execute();
  if (rows.length < alertLimits.perAccountMax) return;
  throw new RegistryError(
    'alert_rules_too_many',
    `An account has at most ${alertLimits.perAccountMax} alert rules.`,
  );
}

async function record(
  transaction: Transaction<Schema>,
  what: 'added' | 'updated' | 'removed',
  { alertRuleId, accountId }: Pick<AlertRuleRecord, 'alertRuleId' | 'accountId'>,
  differs: {
    readonly before?: Readonly<Record<string, unknown>>;
    readonly after?: Readonly<Record<string, unknown>>;
  },
  context: ChangeContext,
): Promise<number> {
  const targets = [{ type: 'alert_rule', id: alertRuleId } as const];
  const action = `alert_rule.${what}` as const;
  // No node reloads anything.
  const change = {
    subject: 'member',
    subjectId: alertRuleId,
    accountId,
    action,
    targets,
    ...differs,
  } as const;
  return recordAudited(transaction, change, context);
}

function contentAfter(rule: AlertRuleRecord, change: AlertRuleUpdate): AlertRuleContent {
  return {
    name: change.name ?? rule.name,
    condition: change.condition ?? rule.condition,
    clientId: change.clientId === undefined ? rule.clientId : change.clientId,
    isEnabled: change.isEnabled ?? rule.isEnabled,
    channels: change.channels ?? rule.channels,
  };
}

/** The members that the audit log shows. */
function shown({
  name,
  condition,
  clientId,
  isEnabled,
  channels,
}: AlertRuleContent): Record<string, unknown> {
  const { inInbox, byMail, byWebhook } = channels;
  return { name, condition: conditionText(condition), clientId, isEnabled, inInbox, byMail, byWebhook };
}

/** Returns a condition as JSON, always with its members in the same order. */
function conditionText({
  kind,
  percentAbove,
  timesAbove,
  requestsMin,
  minutes,
  days,
}: AlertCondition): string {
  return JSON.stringify({ kind, percentAbove, timesAbove, requestsMin, minutes, days });
}

function columnsOf({
  name,
  condition,
  clientId,
  isEnabled,
  channels,
}: AlertRuleContent): Pick<
  Selectable<AlertRulesTable>,
  'name' | 'condition' | 'client_id' | 'is_enabled' | 'in_inbox' | 'by_mail' | 'by_webhook'
> {
  return {
    name,
    condition: conditionText(condition),
    client_id: clientId,
    is_enabled: isEnabled ? 1 : 0,
    in_inbox: channels.inInbox ? 1 : 0,
    by_mail: channels.byMail ? 1 : 0,
    by_webhook: channels.byWebhook ? 1 : 0,
  };
}

export function alertRuleOf(row: Selectable<AlertRulesTable>): AlertRuleRecord {
  return {
    alertRuleId: row.alert_rule_id,
    accountId: row.account_id,
    name: row.name,
    condition: JSON.parse(row.condition) as AlertCondition,
    clientId: row.client_id,
    isEnabled: row.is_enabled === 1,
    channels: {
      inInbox: row.in_inbox === 1,
      byMail: row.by_mail === 1,
      byWebhook: row.by_webhook === 1,
    },
    watchedFromMs: row.watched_from_ms,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    version: row.version,
  };
}
