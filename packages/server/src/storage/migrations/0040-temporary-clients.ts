import { type Kysely, sql } from 'kysely';

/** Clients can be temporary; null for all others. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('clients').addColumn('expires_at_ms', 'bigint').execute();
  await sql`create index clients_expiring on clients (expires_at_ms)
    where expires_at_ms is not null and status in ('active', 'disabled', 'revoked')`.execute(database);
}
