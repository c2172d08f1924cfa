import type { Kysely } from 'kysely';

/** Explanations of rejected requests, and each client's setting for explaining failures to strangers. */
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
  // Each account keeps its newest explanations.
  await schema
    .createIndex('request_explanations_by_account')
    .on('request_explanations')
    .columns(['account_id', 'request_id'])
    .execute();
  // A failed request is tried with the account's newest keys.
  await schema
    .createIndex('client_keys_by_account')
    .on('client_keys')
    .columns(['account_id', 'key_id'])
    .execute();
}
