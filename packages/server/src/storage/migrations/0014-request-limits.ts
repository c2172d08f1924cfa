import { type Kysely, sql } from 'kysely';

/** Request limits for each account and each client; null to use the service's or the account's. */
export async function up(database: Kysely<unknown>): Promise<void> {
  for (const table of ['accounts', 'clients']) {
    for (const column of ['requests_per_minute_max', 'requests_burst_max'])
      await database.schema.alterTable(table).addColumn(column, 'integer').execute();
  }
  await sql`drop index accounts_with_rules`.execute(database);
  await sql`create index accounts_with_rules on accounts (account_id)
    where (is_operator = 1 or key_age_days_max is not null or requests_per_minute_max is not null
      or requests_burst_max is not null)`.execute(database);
}
