import type { Kysely } from 'kysely';

/** Keys can be registered for another algorithm than the usual one of their kind; null for that one. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('client_keys').addColumn('algorithm', 'text').execute();
}
