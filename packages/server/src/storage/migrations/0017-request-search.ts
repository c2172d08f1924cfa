import { type Kysely, sql } from 'kysely';

/**
 * Indexes for searching and sorting an account's requests. The client and the key of a request need none of their own:
 * there is an index by client, and a key belongs to one client.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const column of ['source_address', 'url', 'status']) {
    await database.schema
      .createIndex(`request_records_by_${column}`)
      .on('request_records')
      .columns(['account_id', column, 'request_id'])
      .execute();
  }
  // The duration can be unknown, and databases differ in where they sort that.
  await sql`create index request_records_by_duration
    on request_records (account_id, (coalesce(duration_us, -1)), request_id)`.execute(database);
  // Most requests are accepted, and are found without an index.
  await sql`create index request_records_by_code
    on request_records (account_id, outcome, request_id) where outcome <> 'accepted'`.execute(database);
}
