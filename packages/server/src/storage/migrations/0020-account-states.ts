import { type Kysely, sql } from 'kysely';

/** Accounts can be suspended and closed, with a reason. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const add = () => database.schema.alterTable('accounts');
  await add()
    .addColumn('status', 'text', (column) =>
      column
        .notNull()
        .defaultTo('active')
        .check(sql`status in ('active', 'suspended', 'closed')`),
    )
    .execute();
  await add().addColumn('status_reason', 'text').execute();
  await add().addColumn('status_changed_at_ms', 'bigint').execute();
  await sql`drop index accounts_with_rules`.execute(database);
  await sql`create index accounts_with_rules on accounts (account_id)
    where (is_operator = 1 or key_age_days_max is not null or requests_per_minute_max is not null
      or requests_burst_max is not null or status <> 'active')`.execute(database);
}
