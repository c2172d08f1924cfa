import type { AuditEvent } from '@countersign/contract';
import { addAlertRule, removeAlertRule, updateAlertRule } from '../../src/notices/alerts/alert-rules.ts';
import type { StoreContext } from '../../src/registry/store/context.ts';
import type { Database } from '../../src/storage/transaction.ts';

interface OnAccount {
  readonly database: Database;
  readonly accountId: string;
}

/** How each action on an alert rule comes about, one by one in this order. */
export const alertRuleChanges: readonly (readonly [
  AuditEvent['action'],
  (on: OnAccount, context: StoreContext) => Promise<unknown>,
])[] = [
  [
    'alert_rule.added',
    ({ database, accountId }, context) =>
      addAlertRule(
        database,
        accountId,
        {
          name: 'Keys end',
          condition: { kind: 'key_due', days: 7 },
          clientId: null,
          isEnabled: true,
          channels: { inInbox: true, byMail: false, byWebhook: false },
        },
        context,
      ),
  ],
  [
    'alert_rule.updated',
    async (on, context) => updateAlertRule(on.database, await idIn(on), { name: 'Changed' }, context),
  ],
  ['alert_rule.removed', async (on, context) => removeAlertRule(on.database, await idIn(on), context)],
];

async function idIn({ database, accountId }: OnAccount): Promise<string> {
  const row = await database
    .selectFrom('alert_rules')
    .select('alert_rule_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return row.alert_rule_id;
}
