import { type Kysely, sql } from 'kysely';

/** The sandbox payments, and the stored responses to repeated requests. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('payments')
    .addColumn('payment_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.client_id'))
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('reference', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('completes_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('cancelled_at_ms', 'bigint')
    .addCheckConstraint('payments_status', sql`status in ('pending', 'cancelled')`)
    .execute();
  await schema
    .createIndex('payments_by_account')
    .on('payments')
    .columns(['account_id', 'payment_id'])
    .execute();
  await schema
    .createTable('idempotency_keys')
    .addColumn('record_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('headers', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('idempotency_keys_by_expiry')
    .on('idempotency_keys')
    .column('expires_at_ms')
    .execute();
}
