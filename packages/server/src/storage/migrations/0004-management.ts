import { type Kysely, sql } from 'kysely';

/** Tables for the management API: audit events, the request log, key rollover, account settings, custom roles. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await extendRegistry(database);
  await replaceChanges(database);
  await addBuiltInRoles(database);
  await addAudit(database);
  await addRequestLog(database);
  await fillSearchNames(database);
}

async function extendRegistry(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const accounts = schema.alterTable('accounts');
  await accounts.addColumn('is_operator', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  await accounts.addColumn('key_age_days_max', 'integer').execute();
  await accounts.addColumn('updated_at_ms', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  await accounts.addColumn('version', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  // Few accounts have their own rules, and each node reads those whenever it reads clients.
  await sql`create index accounts_with_rules on accounts (account_id)
    where (is_operator = 1 or key_age_days_max is not null)`.execute(database);
  await sql`update accounts set updated_at_ms = created_at_ms`.execute(database);
  await schema
    .alterTable('clients')
    .addColumn('search_name', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  const keys = schema.alterTable('client_keys');
  await keys.addColumn('replaces_key_id', 'text').execute();
  await keys.addColumn('overlap_ms', 'bigint').execute();
  await keys.addColumn('first_used_at_ms', 'bigint').execute();
  await keys.addColumn('revocation_reason', 'text').execute();
  const roles = schema.alterTable('roles');
  await roles.addColumn('summary', 'text', (column) => column.notNull().defaultTo('')).execute();
  await roles.addColumn('updated_at_ms', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  await roles.addColumn('version', 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  // For the upkeep, which looks for clients and keys that have ended. Such rows are few.
  await sql`create index clients_revoked on clients (revoked_at_ms) where status = 'revoked'`.execute(
    database,
  );
  await sql`create index client_keys_ending on client_keys (ends_at_ms)
    where ends_at_ms is not null and status in ('pending', 'active', 'retiring')`.execute(database);
  await schema
    .createTable('last_uses')
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('used_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('last_uses_key', ['subject', 'subject_id'])
    .execute();
}

/**
 * Changes may now be about accounts. The list can be dropped, because a node that misses part of it reloads
 * everything.
 */
async function replaceChanges(database: Kysely<unknown>): Promise<void> {
  await database.schema.dropTable('registry_changes').execute();
  await database.schema
    .createTable('registry_changes')
    .addColumn('version', 'bigint', (column) => column.primaryKey().notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('changed_at_ms', 'bigint', (column) => column.notNull())
    .addCheckConstraint('registry_changes_subject', sql`subject in ('client', 'role', 'account')`)
    .execute();
}

async function addBuiltInRoles(database: Kysely<unknown>): Promise<void> {
  // The names are literals, because a migration never changes, even if the contract does.
  for (const name of ['administrator', 'operator', 'keys-manager', 'key-rotator', 'auditor']) {
    await sql`insert into roles (role_id, account_id, name, created_at_ms) values (${name}, null, ${name}, 0)`.execute(
      database,
    );
  }
}

async function addAudit(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('audit_events')
    .addColumn('version', 'bigint', (column) => column.primaryKey().notNull())
    .addColumn('event_id', 'text', (column) => column.notNull().unique())
    .addColumn('happened_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('client_id', 'text')
    .addColumn('actor_kind', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('targets', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('source_address', 'text')
    .addColumn('request_id', 'text')
    .execute();
  await schema
    .createIndex('audit_events_by_account')
    .on('audit_events')
    .columns(['account_id', 'version'])
    .execute();
  await schema
    .createIndex('audit_events_by_client')
    .on('audit_events')
    .columns(['client_id', 'version'])
    .execute();
}

async function addRequestLog(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('request_records')
    .addColumn('request_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('received_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('is_proved', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('source_address', 'text', (column) => column.notNull())
    .addColumn('key_fingerprint', 'text')
    .addColumn('clock_difference_seconds', 'integer')
    .addColumn('duration_us', 'bigint')
    .execute();
  await schema
    .createIndex('request_records_by_account')
    .on('request_records')
    .columns(['account_id', 'request_id'])
    .execute();
  await schema
    .createIndex('request_records_by_client')
    .on('request_records')
    .columns(['client_id', 'request_id'])
    .execute();
  await sql`create index request_records_unproved on request_records (request_id) where is_proved = 0`.execute(
    database,
  );
  await sql`create index request_records_unproved_by_account on request_records (account_id, request_id)
    where is_proved = 0`.execute(database);
}

interface ClientNames {
  clients: { client_id: string; name: string; search_name: string };
}

/**
 * Fills the search names. They are lowercased in JavaScript, because databases differ in which letters they can
 * lowercase.
 */
async function fillSearchNames(database: Kysely<unknown>): Promise<void> {
  const names = database as Kysely<ClientNames>;
  let after = '';
  for (;;) {
    const page = await names
      .selectFrom('clients')
      .select(['client_id', 'name'])
      .where('client_id', '>', after)
      .orderBy('client_id')
      .limit(500)
      .execute();
    for (const { client_id: clientId, name } of page) {
      await names
        .updateTable('clients')
        .set({ search_name: name.normalize('NFKC').toLowerCase() })
        .where('client_id', '=', clientId)
        .execute();
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.client_id;
  }
}
