import { type Kysely, sql } from 'kysely';

/** Alert rules with their alerts, and what they measure: counts by minute, and the addresses of clients. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await addRules(database);
  await addAlerts(database);
  await addMinutes(database);
  await addAddresses(database);
  await database.schema
    .alterTable('notices')
    .addColumn('in_inbox', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
}

async function addRules({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('alert_rules')
    .addColumn('alert_rule_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('condition', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text')
    .addColumn('is_enabled', 'integer', (column) => column.notNull())
    .addColumn('in_inbox', 'integer', (column) => column.notNull())
    .addColumn('by_mail', 'integer', (column) => column.notNull())
    .addColumn('by_webhook', 'integer', (column) => column.notNull())
    .addColumn('watched_from_ms', 'bigint', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .execute();
  await schema.createIndex('alert_rules_by_account').on('alert_rules').column('account_id').execute();
}

async function addAlerts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('alerts')
    .addColumn('alert_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('alert_rule_id', 'text', (column) =>
      column.notNull().references('alert_rules.alert_rule_id').onDelete('cascade'),
    )
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text')
    .addColumn('fired_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('by_webhook', 'integer', (column) => column.notNull())
    .addColumn('quiet_since_ms', 'bigint')
    .addColumn('resolved_at_ms', 'bigint')
    .execute();
  // However many nodes find the same at once, it fires once.
  await sql`create unique index alerts_open on alerts (alert_rule_id, subject)
    where resolved_at_ms is null`.execute(database);
  await sql`create index alerts_by_rule on alerts (alert_rule_id, fired_at_ms)`.execute(database);
  await sql`create index alerts_resolved on alerts (resolved_at_ms)
    where resolved_at_ms is not null`.execute(database);
}

async function addMinutes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('request_minutes')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('starts_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('passed', 'bigint', (column) => column.notNull())
    .addColumn('failed', 'bigint', (column) => column.notNull())
    .addColumn('rate_limited', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('request_minutes_key', ['account_id', 'client_id', 'starts_at_ms'])
    .execute();
  await schema.createIndex('request_minutes_by_age').on('request_minutes').column('starts_at_ms').execute();
}

async function addAddresses({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('client_addresses')
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('first_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('client_addresses_key', ['client_id', 'address'])
    .execute();
  await schema
    .createIndex('client_addresses_new')
    .on('client_addresses')
    .columns(['account_id', 'first_at_ms'])
    .execute();
  // Whether a client has an older address is looked up for each new one.
  await schema
    .createIndex('client_addresses_known')
    .on('client_addresses')
    .columns(['client_id', 'first_at_ms'])
    .execute();
  await schema.createIndex('client_addresses_by_age').on('client_addresses').column('last_at_ms').execute();
}
