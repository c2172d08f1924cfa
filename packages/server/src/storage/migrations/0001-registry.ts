import { type Kysely, sql } from 'kysely';

/** Accounts, clients with their keys, networks and roles, and the version that nodes follow. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('accounts')
    .addColumn('account_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('clients')
    .addColumn('client_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('accept_without_date', 'integer', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at_ms', 'bigint')
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addCheckConstraint('clients_status', sql`status in ('active', 'disabled', 'revoked', 'archived')`)
    .addCheckConstraint('clients_accept_without_date', sql`accept_without_date in (0, 1)`)
    .execute();
  await schema.createIndex('clients_by_account').on('clients').columns(['account_id', 'client_id']).execute();
  await schema
    .createTable('client_keys')
    .addColumn('key_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.client_id'))
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('spki_pem', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('modulus_bits', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('starts_at_ms', 'bigint')
    .addColumn('ends_at_ms', 'bigint')
    .addColumn('revoked_at_ms', 'bigint')
    .addUniqueConstraint('client_keys_fingerprint', ['account_id', 'fingerprint'])
    .addCheckConstraint(
      'client_keys_status',
      sql`status in ('pending', 'active', 'retiring', 'expired', 'revoked')`,
    )
    .execute();
  await schema.createIndex('client_keys_by_client').on('client_keys').column('client_id').execute();
  await schema
    .createTable('network_entries')
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.client_id'))
    .addColumn('entry', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('network_entries_key', ['client_id', 'entry'])
    .execute();
  await addRoles(database);
  await addChanges(database);
}

async function addRoles(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('roles')
    .addColumn('role_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.references('accounts.account_id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('roles_name', ['account_id', 'name'])
    .execute();
  await schema
    .createTable('role_permissions')
    .addColumn('role_id', 'text', (column) => column.notNull().references('roles.role_id'))
    .addColumn('permission', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('role_permissions_key', ['role_id', 'permission'])
    .execute();
  await schema
    .createTable('client_roles')
    .addColumn('client_id', 'text', (column) => column.notNull().references('clients.client_id'))
    .addColumn('role_id', 'text', (column) => column.notNull().references('roles.role_id'))
    .addPrimaryKeyConstraint('client_roles_key', ['client_id', 'role_id'])
    .execute();
  await schema.createIndex('client_roles_by_role').on('client_roles').column('role_id').execute();
  // The names are literals, because a migration never changes, even if the contract does.
  for (const name of ['payments-operator', 'payments-reader']) {
    await sql`insert into roles (role_id, account_id, name, created_at_ms) values (${name}, null, ${name}, 0)`.execute(
      database,
    );
  }
}

async function addChanges(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('registry_version')
    .addColumn('singleton', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addCheckConstraint('registry_version_singleton', sql`singleton = 1`)
    .execute();
  await sql`insert into registry_version (singleton, version) values (1, 0)`.execute(database);
  await schema
    .createTable('registry_changes')
    .addColumn('version', 'bigint', (column) => column.primaryKey().notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('changed_at_ms', 'bigint', (column) => column.notNull())
    .addCheckConstraint('registry_changes_subject', sql`subject in ('client', 'role')`)
    .execute();
}
