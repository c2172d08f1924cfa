import type { Kysely } from 'kysely';

/** Named filters of the request log, of people in accounts. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('saved_views')
    .addColumn('saved_view_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('search_name', 'text', (column) => column.notNull())
    .addColumn('query', 'text', (column) => column.notNull())
    .addColumn('is_shared', 'integer', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('saved_views_by_name')
    .on('saved_views')
    .columns(['account_id', 'user_id', 'search_name'])
    .unique()
    .execute();
}
