import { type Kysely, sql } from 'kysely';

/** Keys that have a URL as their name, refreshes of directories on demand, and pauses after failures. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const keys = schema.alterTable('client_keys');
  await keys.addColumn('published_id', 'text').execute();
  await keys.addColumn('is_published', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  await sql`create index client_keys_published_ended on client_keys (ends_at_ms)
    where is_published = 1 and status = 'expired'`.execute(database);
  const directories = schema.alterTable('client_directories');
  await directories.addColumn('origin', 'text', (column) => column.notNull().defaultTo('')).execute();
  await directories.addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  await directories.addColumn('refreshed_at_ms', 'bigint').execute();
  const { rows } = await sql<{ client_id: string; url: string }>`
    select client_id, url from client_directories`.execute(database);
  for (const { client_id: clientId, url } of rows)
    await sql`update client_directories set origin = ${new URL(url).origin} where client_id = ${clientId}`.execute(
      database,
    );
  // Keys are registered or in a directory, never both at a time.
  await sql`update client_keys set is_published = 1 where status = 'active' and client_id in
    (select client_id from client_directories where last_success_at_ms is not null)`.execute(database);
}
