import type { Kysely } from 'kysely';

/** Lets sign-in failures be removed in the order in which they are forgotten, without scanning the others. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createIndex('sign_in_failures_by_end')
    .on('sign_in_failures')
    .column('forgotten_at_ms')
    .execute();
}
