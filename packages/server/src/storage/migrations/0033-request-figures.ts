import { type Kysely, sql } from 'kysely';

/** Figures of requests by operation, status, cause, key and address, with response times. Earlier requests have none. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('request_figures')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('span', 'text', (column) => column.notNull())
    .addColumn('starts_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('figures', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('request_figures_key', ['account_id', 'span', 'starts_at_ms', 'client_id'])
    .addCheckConstraint('request_figures_span', sql`span in ('hour', 'day')`)
    .execute();
  // Every account and span has a sum, which is used to find old figures.
  await sql`create index request_figures_sums on request_figures (span, starts_at_ms, account_id)
    where client_id = ''`.execute(database);
}
