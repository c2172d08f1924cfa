import { type Kysely, sql } from 'kysely';

const recentMs = 2 * 86_400_000;

/** When the failures that a notice tells ended. Nobody is told that older ones ended. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('notices').addColumn('ended_at_ms', 'bigint').execute();
  await sql`update notices set ended_at_ms = last_happened_at_ms
    where kind = 'first_failure' and last_happened_at_ms < ${Date.now() - recentMs}`.execute(database);
  await sql`create index notices_open on notices (notice_id)
    where kind = 'first_failure' and ended_at_ms is null`.execute(database);
}
