import { type Kysely, sql } from 'kysely';

/**
 * Replaces the indexes that each insert had to place at random, for sorting and for searching by address, path and
 * status. The indexes by account and by client contain what is searched instead: new rows are at their end, and a search
 * reads them from the newest on without reading the table.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const column of ['source_address', 'url', 'status', 'duration', 'account', 'client'])
    await database.schema.dropIndex(`request_records_by_${column}`).execute();
  const searched = sql.raw('method, url, status, source_address, outcome, is_observed, duration_us');
  await sql`create index request_records_by_account
    on request_records (account_id, request_id, client_id, ${searched})`.execute(database);
  await sql`create index request_records_by_client
    on request_records (client_id, request_id, ${searched})`.execute(database);
}
