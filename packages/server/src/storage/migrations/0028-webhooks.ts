import { type Kysely, sql } from 'kysely';

/** Webhooks of accounts, the events that they want, and what was sent. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await addWebhooks(database);
  await addEvents(database);
  await addDeliveries(database);
  await addAttempts(database);
}

async function addWebhooks({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('webhooks')
    .addColumn('webhook_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('event_types', 'text')
    .addColumn('is_ordered', 'integer', (column) => column.notNull())
    .addColumn('is_for_all_accounts', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('disabled_reason', 'text')
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('failing_since_ms', 'bigint')
    .addColumn('blocked_until_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('webhooks_by_account').on('webhooks').column('account_id').execute();
  await schema
    .createIndex('webhooks_for_all_accounts')
    .on('webhooks')
    .column('webhook_id')
    .where(sql<boolean>`is_for_all_accounts = 1`)
    .execute();
}

async function addEvents({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('webhook_events')
    .addColumn('event_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('webhook_events_by_age').on('webhook_events').column('created_at_ms').execute();
}

async function addDeliveries({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('webhook_deliveries')
    .addColumn('delivery_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('webhook_id', 'text', (column) =>
      column.notNull().references('webhooks.webhook_id').onDelete('cascade'),
    )
    .addColumn('event_id', 'text', (column) =>
      column.notNull().references('webhook_events.event_id').onDelete('cascade'),
    )
    .addColumn('client_id', 'text')
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempt_count', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at_ms', 'bigint')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  const index = (name: string, columns: readonly string[]): Promise<void> =>
    schema
      .createIndex(name)
      .on('webhook_deliveries')
      .columns([...columns])
      .execute();
  await index('webhook_deliveries_due', ['next_attempt_at_ms']);
  await index('webhook_deliveries_due_by_webhook', ['webhook_id', 'next_attempt_at_ms']);
  await index('webhook_deliveries_by_client', ['webhook_id', 'client_id', 'state', 'position']);
  await index('webhook_deliveries_by_webhook', ['webhook_id', 'delivery_id']);
  await index('webhook_deliveries_by_event', ['event_id']);
}

async function addAttempts({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('webhook_attempts')
    .addColumn('attempt_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('delivery_id', 'text', (column) =>
      column.notNull().references('webhook_deliveries.delivery_id').onDelete('cascade'),
    )
    .addColumn('attempted_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'bigint', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('request_headers', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('answer', 'text')
    .addColumn('problem', 'text')
    .addColumn('next_attempt_at_ms', 'bigint')
    .execute();
  await schema
    .createIndex('webhook_attempts_by_delivery')
    .on('webhook_attempts')
    .columns(['delivery_id', 'attempt_id'])
    .execute();
}
