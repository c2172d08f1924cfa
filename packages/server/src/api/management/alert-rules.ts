import type { AlertRule, AlertRuleRequest } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import {
  addAlertRule,
  type AlertRuleContent,
  type AlertRuleRecord,
  checkClient,
  listAlertRules,
  readAlertRule,
  removeAlertRule,
  updateAlertRule,
} from '../../notices/alerts/alert-rules.ts';
import { readRuleState, readValue } from '../../notices/alerts/rule-states.ts';
import type { Database } from '../../storage/transaction.ts';
import { listedAccount, readableAccount } from '../caller-scope.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { pageOf, placeOf } from '../page.ts';
import { timestamp } from '../timestamp.ts';

/** When people are told of something in their account. */
export const alertRuleHandlers = defineHandlers(({ database, change }) => ({
  listAlertRules: async ({ query: { accountId, ...query } }, request) => {
    const { limit, afterId } = placeOf(query, 'alertrule');
    const listed = await listedAccount(request, accountId, database);
    const rows = await listAlertRules(database, { accountId: listed, afterId, limit: limit + 1 });
    const { data, nextCursor } = pageOf(
      rows,
      limit,
      ({ alertRuleId }) => alertRuleId,
      (rule) => rule,
    );
    const shown: AlertRule[] = [];
    for (const rule of data) {
      shown.push(await show(database, rule, request));
      // A file database runs synchronously, so let requests run in between.
      await nextLoopTurn('reports');
    }
    return { status: 200, body: { data: shown, nextCursor } };
  },

  addAlertRule: ({ body }, request) =>
    change(request, async (transaction, context) => {
      const { accountId } = request.caller;
      const rule = await addAlertRule(transaction, accountId, withDefaults(body), context);
      const answer = await answerWith(transaction, rule, request);
      const location = { Location: `/v1/alert-rules/${rule.alertRuleId}` };
      return { ...answer, status: 201, headers: { ...answer.headers, ...location } };
    }),

  previewAlertRule: async ({ body: { condition, clientId = null } }, request) => {
    const { accountId } = request.caller;
    await checkClient(database, accountId, clientId);
    const body = await readValue(database, { accountId, condition, clientId }, request.nowMs);
    return { status: 200, body };
  },

  getAlertRule: async (_input, request) =>
    answerWith(database, await readAlertRule(database, ruleIdOf(request), readableAccount(request)), request),

  updateAlertRule: ({ body }, request) =>
    change(request, async (transaction, context) =>
      answerWith(transaction, await updateAlertRule(transaction, ruleIdOf(request), body, context), request),
    ),

  /** Responds with the rule as it was. */
  removeAlertRule: (_input, request) =>
    change(request, async (transaction, context) => {
      const rule = await removeAlertRule(transaction, ruleIdOf(request), context);
      return { status: 200, body: await show(transaction, rule, request) };
    }),
}));

function ruleIdOf(request: ApiRequest): string {
  return idInPath(request, 'alertRuleId', 'alertrule');
}

/** What a rule has unless its author says otherwise. */
function withDefaults({
  name,
  condition,
  clientId = null,
  isEnabled = true,
  channels = { inInbox: true, byMail: true, byWebhook: false },
}: AlertRuleRequest): AlertRuleContent {
  return { name, condition, clientId, isEnabled, channels };
}

async function answerWith(
  database: Database,
  rule: AlertRuleRecord,
  request: ApiRequest,
): Promise<{ status: 200; headers: { ETag: string }; body: AlertRule }> {
  return {
    status: 200,
    headers: { ETag: entityTag(rule.version) },
    body: await show(database, rule, request),
  };
}

async function show(database: Database, rule: AlertRuleRecord, { nowMs }: ApiRequest): Promise<AlertRule> {
  const { clientId: _clientId, watchedFromMs: _from, version: _version, ...others } = rule;
  const { createdAtMs, updatedAtMs, ...shown } = others;
  const { lastFiredAtMs, ...state } = await readRuleState(database, rule, nowMs);
  return {
    ...shown,
    ...state,
    lastFiredAt: lastFiredAtMs === undefined ? null : timestamp(lastFiredAtMs),
    createdAt: timestamp(createdAtMs),
    updatedAt: timestamp(updatedAtMs),
  };
}
