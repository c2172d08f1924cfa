import type { Kysely } from 'kysely';

/** The public keys of all nodes that sign forwarded requests. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('forwarding_keys')
    .addColumn('key_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('ends_at_ms', 'bigint', (column) => column.notNull())
    .execute();
}
