import type { Kysely } from 'kysely';

/** Directories of public keys that clients have their keys from. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('client_directories')
    .addColumn('client_id', 'text', (column) => column.primaryKey().notNull().references('clients.client_id'))
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('form', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('next_fetch_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_attempt_at_ms', 'bigint')
    .addColumn('last_success_at_ms', 'bigint')
    .addColumn('problem', 'text')
    .addColumn('key_count', 'integer', (column) => column.notNull())
    .addColumn('skipped', 'text', (column) => column.notNull())
    .addUniqueConstraint('client_directories_url', ['account_id', 'url'])
    .execute();
  await schema
    .createIndex('client_directories_by_next_fetch')
    .on('client_directories')
    .column('next_fetch_at_ms')
    .execute();
}
