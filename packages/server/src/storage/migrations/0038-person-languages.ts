import type { Kysely } from 'kysely';

/** The language of the emails to a person: the one in which they last used the portal; null until then. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('persons').addColumn('language', 'text').execute();
}
