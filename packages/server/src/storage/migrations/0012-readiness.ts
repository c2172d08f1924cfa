import { type Kysely, sql } from 'kysely';

/**
 * Distinguishes rejections that were only observed from enforced ones, and counts requests that name no client
 * by their source.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable('request_records')
    .addColumn('is_observed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable('request_counts')
    .addColumn('observed_count', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await coverObserved(database);
  await schema
    .createTable('unattributed_counts')
    .addColumn('starts_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('last_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_request_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('unattributed_counts_key', ['starts_at_ms', 'source', 'outcome'])
    .execute();
}

/** Failed requests are grouped without reading their rows, so their indexes need the new column. */
async function coverObserved(database: Kysely<unknown>): Promise<void> {
  await sql`drop index request_records_refused`.execute(database);
  await sql`drop index request_records_refused_by_client`.execute(database);
  await sql`create index request_records_refused
    on request_records (account_id, request_id, client_id, outcome, source_address, is_observed)
    where outcome <> 'accepted'`.execute(database);
  await sql`create index request_records_refused_by_client
    on request_records (client_id, request_id, outcome, source_address, is_observed)
    where outcome <> 'accepted'`.execute(database);
}
