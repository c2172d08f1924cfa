import type { Kysely } from 'kysely';

/** Tags that group clients, and metadata: texts by key, as JSON. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('client_tags')
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.client_id'))
    .addColumn('tag', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('client_tags_key', ['client_id', 'tag'])
    .execute();
  await database.schema
    .alterTable('clients')
    .addColumn('metadata', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
}
