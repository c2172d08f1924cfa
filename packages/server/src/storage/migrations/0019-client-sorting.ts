import type { Kysely } from 'kysely';

/** Indexes for lists of an account's clients by name and by age. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const [name, column] of [
    ['clients_by_name', 'search_name'],
    ['clients_by_age', 'created_at_ms'],
  ] as const) {
    await database.schema
      .createIndex(name)
      .on('clients')
      .columns(['account_id', column, 'client_id'])
      .execute();
  }
}
