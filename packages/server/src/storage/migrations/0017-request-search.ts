import { type Kysely, sql } from 'kysely';

/**
 * Indexes for searching and sorting an account's requests. Searching by client or key needs no new index: there
 * is one by client, and a key belongs to one client.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const column of ['source_address', 'url', 'status']) {
    await database.schema
      .createIndex(`request_records_by_${column}`)
      .on('request_records')
      .columns(['account_id', column, 'request_id'])
      .execute();
  }
  // The duration can be unknown, and databases sort null differently.
  await sql`create index request_records_by_duration
    on request_records (account_id, (coalesce(duration_us, -1)), request_id)`.execute(database);
  // Most requests are accepted, and are found without an index.
  await sql`create index request_records_by_code
    on request_records (account_id, outcome, request_id) where outcome <> 'accepted'`.execute(database);
}
