import type { Kysely } from 'kysely';

/** The secret before a rotation, how a failing receiver is probed, and listeners that pull events. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const webhooks = schema.alterTable('webhooks');
  await webhooks.addColumn('previous_secret', 'text').execute();
  await webhooks.addColumn('previous_secret_until_ms', 'bigint').execute();
  await webhooks.addColumn('failure_count', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  await webhooks.addColumn('held_until_ms', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  await webhooks.addColumn('probe_delivery_id', 'text').execute();
  await schema
    .createTable('webhook_listeners')
    .addColumn('listener_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('event_types', 'text')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('webhook_listeners_by_account')
    .on('webhook_listeners')
    .column('account_id')
    .execute();
  await schema
    .createTable('webhook_listener_events')
    .addColumn('listener_id', 'text', (column) =>
      column.notNull().references('webhook_listeners.listener_id').onDelete('cascade'),
    )
    .addColumn('event_id', 'text', (column) =>
      column.notNull().references('webhook_events.event_id').onDelete('cascade'),
    )
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_listener_events_key', ['listener_id', 'event_id'])
    .execute();
  await schema
    .createIndex('webhook_listener_events_by_event')
    .on('webhook_listener_events')
    .column('event_id')
    .execute();
}
