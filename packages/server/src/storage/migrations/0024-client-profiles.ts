import type { Kysely } from 'kysely';

/** Clients can have other profiles than the closed ones; null for these. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('clients').addColumn('profile', 'text').execute();
}
