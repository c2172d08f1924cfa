import { type AlertConditionKind, alertLimits } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import type { Selectable } from 'kysely';
import { StorageError } from '../../storage/storage-error.ts';
import type { Database } from '../../storage/transaction.ts';
import type { NotingContext } from '../add-notice.ts';
import type { AlertRow } from './alert-content.ts';
import { alertRuleOf, type AlertRuleRecord } from './alert-rules.ts';
import { endAlert } from './end-alerts.ts';
import { fireAlert } from './fire-alert.ts';
import { type Finding, measure } from './measure.ts';
import type { AlertRulesTable } from './tables.ts';

/** How long the condition of an alert must not hold before it ends, so that it does not come and go with each request. */
const quietMsOf: Readonly<Record<AlertConditionKind, number>> = {
  failure_rate: alertLimits.quietMinutes * 60_000,
  rate_limited: alertLimits.quietMinutes * 60_000,
  no_requests: 0,
  key_due: 0,
  new_address: 0,
};

/** After a start, clients get this long to come back before any is missed. */
const startMs = 300_000;
const rulesPerRound = 500;
const rulesPerQuery = 100;

interface WatchedRule extends AlertRuleRecord {
  /** False if its client is not active. Nothing is wrong with such a client, and nothing is expected of it. */
  readonly isWatchable: boolean;
}

type RuleRow = Selectable<AlertRulesTable> & { readonly client_status: string | null };

export interface AlertRoundsOptions {
  readonly database: Database;
  /** When the service started. */
  readonly startedAtMs: number;
  /** Called for each rule that cannot be looked at. The others are looked at all the same. */
  readonly onError: (error: unknown) => void;
}

/**
 * Looks at the alert rules of all accounts, a limited number in each round: each rule once before any a second time, so that
 * no account keeps others waiting. What is firing is in the database alone. So any number of nodes may do this, and a
 * restart changes nothing.
 */
export class AlertRounds {
  readonly #database: Database;
  readonly #startedAtMs: number;
  readonly #onError: AlertRoundsOptions['onError'];
  #afterRuleId = '';

  constructor({ database, startedAtMs, onError }: AlertRoundsOptions) {
    this.#database = database;
    this.#startedAtMs = startedAtMs;
    this.#onError = onError;
  }

  async run(context: NotingContext, closing: AbortSignal): Promise<void> {
    for (let looked = 0; looked < rulesPerRound && !closing.aborted; looked += rulesPerQuery) {
      const rows = await readRules(this.#database, this.#afterRuleId);
      const alerts = await readOpenAlerts(this.#database, rows);
      for (const row of rows) {
        if (closing.aborted) return;
        // First of all, so that the next round goes on after this rule even if it fails.
        this.#afterRuleId = row.alert_rule_id;
        const open = alerts.get(row.alert_rule_id) ?? [];
        if (!(await this.#tryToLook(row, open, context))) return;
        // A file database runs synchronously, so let requests run in between.
        await nextLoopTurn('reports');
      }
      if (rows.length < rulesPerQuery) {
        this.#afterRuleId = '';
        return;
      }
    }
  }

  /** Looks at a rule, and reports its failure. Returns false if the database is away, so that no rule can be looked at. */
  async #tryToLook(row: RuleRow, alerts: readonly AlertRow[], context: NotingContext): Promise<boolean> {
    try {
      await this.#look(watchedRule(row), alerts, context);
      return true;
    } catch (error) {
      const message = `The alert rule ${row.alert_rule_id} could not be looked at.`;
      this.#onError(new Error(message, { cause: error }));
      return !(error instanceof StorageError && error.code === 'unavailable');
    }
  }

  async #look(rule: WatchedRule, alerts: readonly AlertRow[], context: NotingContext): Promise<void> {
    const findings = await this.#find(rule, context.nowMs);
    const found = new Set(findings.map(({ subject }) => subject));
    for (const alert of alerts) {
      if (found.has(alert.subject)) await this.#keep(alert);
      else await this.#endQuiet(rule, alert, context);
    }
    const isMissing = rule.condition.kind === 'no_requests';
    if (isMissing && Math.abs(context.nowMs - this.#startedAtMs) < startMs) return;
    const open = new Set(alerts.map(({ subject }) => subject));
    const fresh = findings.filter(({ subject, isOver = false }) => !open.has(subject) && !isOver);
    // All findings keep alerts; only what fires is limited.
    for (const finding of fresh.slice(0, Math.max(0, alertLimits.firingMax - alerts.length)))
      await fireAlert(this.#database, rule, finding, context);
  }

  async #find(
    { isWatchable, condition, accountId, clientId, watchedFromMs }: WatchedRule,
    nowMs: number,
  ): Promise<readonly Finding[]> {
    if (!isWatchable) return [];
    const place = { accountId, clientId: clientId ?? undefined, nowMs, watchedFromMs };
    return (await measure(this.#database, condition, place)).findings;
  }

  async #keep({ alert_id: alertId, quiet_since_ms: quietSinceMs }: AlertRow): Promise<void> {
    if (quietSinceMs !== null) await this.#setQuiet(alertId, null);
  }

  async #endQuiet(rule: WatchedRule, alert: AlertRow, context: NotingContext): Promise<void> {
    const { nowMs } = context;
    if (!rule.isWatchable) return endAlert(this.#database, rule, alert, 'client_gone', context);
    const quietMs = quietMsOf[rule.condition.kind];
    if (nowMs - (alert.quiet_since_ms ?? nowMs) >= quietMs)
      return endAlert(this.#database, rule, alert, 'condition_ended', context);
    if (alert.quiet_since_ms === null) await this.#setQuiet(alert.alert_id, nowMs);
  }

  async #setQuiet(alertId: string, quietSinceMs: number | null): Promise<void> {
    await this.#database
      .updateTable('alerts')
      .set({ quiet_since_ms: quietSinceMs })
      .where('alert_id', '=', alertId)
      .where('resolved_at_ms', 'is', null)
      .execute();
  }
}

/** Reads the rules that are switched on, of accounts that are active. */
async function readRules(database: Database, afterRuleId: string): Promise<readonly RuleRow[]> {
  return database
    .selectFrom('alert_rules')
    .innerJoin('accounts', 'accounts.account_id', 'alert_rules.account_id')
    .leftJoin('clients', 'clients.client_id', 'alert_rules.client_id')
    .selectAll('alert_rules')
    .select('clients.status as client_status')
    .where('alert_rules.is_enabled', '=', 1)
    .where('accounts.status', '=', 'active')
    .where('alert_rule_id', '>', afterRuleId)
    .orderBy('alert_rule_id')
    .limit(rulesPerQuery)
    .execute();
}

function watchedRule(row: RuleRow): WatchedRule {
  const rule = alertRuleOf(row);
  return { ...rule, isWatchable: rule.clientId === null || row.client_status === 'active' };
}

async function readOpenAlerts(
  database: Database,
  rules: readonly RuleRow[],
): Promise<ReadonlyMap<string, readonly AlertRow[]>> {
  if (rules.length === 0) return new Map();
  const rows = await database
    .selectFrom('alerts')
    .selectAll()
    .where(
      'alert_rule_id',
      'in',
      rules.map((rule) => rule.alert_rule_id),
    )
    .where('resolved_at_ms', 'is', null)
    .execute();
  return Map.groupBy(rows, (row) => row.alert_rule_id);
}

/** Removes alerts that ended long ago. */
export async function trimAlerts(database: Database, nowMs: number): Promise<void> {
  await database
    .deleteFrom('alerts')
    .where('resolved_at_ms', '<', nowMs - keptMs)
    .execute();
}

const keptMs = 90 * 86_400_000;
