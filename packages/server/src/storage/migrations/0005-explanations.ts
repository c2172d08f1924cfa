import type { Kysely } from 'kysely';

/** Why refused requests failed, and whether a client lets strangers be told. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable('clients')
    .addColumn('allow_explanations', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('request_explanations')
    .addColumn('request_id', 'text', (column) =>
      column.primaryKey().notNull().references('request_records.request_id').onDelete('cascade'),
    )
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('explanation', 'text', (column) => column.notNull())
    .execute();
  // Each account keeps its newest.
  await schema
    .createIndex('request_explanations_by_account')
    .on('request_explanations')
    .columns(['account_id', 'request_id'])
    .execute();
  // The newest keys of an account are what a failed request is tried with.
  await schema
    .createIndex('client_keys_by_account')
    .on('client_keys')
    .columns(['account_id', 'key_id'])
    .execute();
}
