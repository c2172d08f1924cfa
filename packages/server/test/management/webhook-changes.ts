import type { AuditEvent } from '@countersign/contract';
import type { StoreContext } from '../../src/registry/store/context.ts';
import {
  addWebhook,
  disableWebhook,
  moveWebhook,
  removeWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../src/registry/store/webhooks.ts';
import type { Database } from '../../src/storage/transaction.ts';

interface OnAccount {
  readonly database: Database;
  readonly accountId: string;
}

/** How each action on a webhook comes about, one by one in this order. */
export const webhookChanges: readonly (readonly [
  AuditEvent['action'],
  (on: OnAccount, context: StoreContext) => Promise<unknown>,
])[] = [
  [
    'webhook.added',
    ({ database, accountId }, context) =>
      addWebhook(
        database,
        accountId,
        {
          url: 'https://hooks.example.com/',
          description: '',
          eventTypes: null,
          isOrdered: false,
          isForAllAccounts: false,
          attemptsPerMinuteMax: null,
          isPaused: false,
          sealSecret: () => 'plain:c2VjcmV0',
        },
        context,
      ),
  ],
  [
    'webhook.updated',
    async (on, context) => updateWebhook(on.database, await idIn(on), { description: 'Changed' }, context),
  ],
  ['webhook.paused', async (on, context) => moveWebhook(on.database, await idIn(on), 'paused', context)],
  ['webhook.resumed', async (on, context) => moveWebhook(on.database, await idIn(on), 'active', context)],
  [
    'webhook.secret_rotated',
    async (on, context) => {
      const rotation = { sealed: 'plain:c2VjcmV0', overlapSeconds: 60 };
      return rotateWebhookSecret(on.database, await idIn(on), rotation, context);
    },
  ],
  [
    'webhook.disabled',
    async (on, context) => disableWebhook(on.database, await idIn(on), 'A test of webhooks', context),
  ],
  ['webhook.removed', async (on, context) => removeWebhook(on.database, await idIn(on), context)],
];

async function idIn({ database }: OnAccount): Promise<string> {
  const row = await database.selectFrom('webhooks').select('webhook_id').executeTakeFirstOrThrow();
  return row.webhook_id;
}
