import { type Kysely, sql } from 'kysely';

/** People, how they sign in, which accounts they belong to, and what those accounts require of them. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await addPersons(database);
  await addSessions(database);
  await addSecondFactors(database);
  await addOneTimeThings(database);
  await addMembers(database);
  await extendAudit(database);
}

async function addPersons({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('persons')
    .addColumn('user_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('is_email_verified', 'integer', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('person_credentials')
    .addColumn('credential_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('provider_id', 'text', (column) => column.notNull())
    .addColumn('provider_account_id', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('person_credentials_provider', ['provider_id', 'provider_account_id'])
    .execute();
  await schema.createIndex('person_credentials_by_user').on('person_credentials').column('user_id').execute();
}

async function addSessions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('person_sessions')
    .addColumn('session_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_seen_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('source_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('password_proved_at_ms', 'bigint')
    .addColumn('factor_proved_at_ms', 'bigint')
    .execute();
  await schema.createIndex('person_sessions_by_user').on('person_sessions').column('user_id').execute();
  await schema
    .createIndex('person_sessions_by_expiry')
    .on('person_sessions')
    .column('expires_at_ms')
    .execute();
  await schema
    .createTable('acting_sessions')
    .addColumn('session_id', 'text', (column) =>
      column.primaryKey().notNull().references('person_sessions.session_id').onDelete('cascade'),
    )
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('started_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('ends_at_ms', 'bigint', (column) => column.notNull())
    .execute();
}

async function addSecondFactors({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('person_second_factors')
    .addColumn('user_id', 'text', (column) =>
      column.primaryKey().notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_used_step', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('person_recovery_codes')
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('code_hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('person_recovery_codes_key', ['user_id', 'code_hash'])
    .execute();
  await schema
    .createTable('person_passkeys')
    .addColumn('passkey_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('credential_id', 'text', (column) => column.notNull().unique())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('device_type', 'text', (column) => column.notNull())
    .addColumn('is_backed_up', 'integer', (column) => column.notNull())
    .addColumn('transports', 'text')
    .addColumn('aaguid', 'text')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at_ms', 'bigint')
    .execute();
  await schema.createIndex('person_passkeys_by_user').on('person_passkeys').column('user_id').execute();
}

async function addOneTimeThings(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('person_verifications')
    .addColumn('verification_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('identifier', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('person_verifications_by_identifier')
    .on('person_verifications')
    .column('identifier')
    .execute();
  await schema
    .createIndex('person_verifications_by_expiry')
    .on('person_verifications')
    .column('expires_at_ms')
    .execute();
  await schema
    .createTable('set_up_links')
    .addColumn('token_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('sign_in_failures')
    .addColumn('subject', 'text', (column) => column.primaryKey().notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('locked_until_ms', 'bigint', (column) => column.notNull())
    .addColumn('forgotten_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('people_secret')
    .addColumn('singleton', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addCheckConstraint('people_secret_singleton', sql`singleton = 1`)
    .execute();
}

async function addMembers({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('members')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('members_key', ['account_id', 'user_id'])
    .addCheckConstraint(
      'members_role',
      sql`role in ('owner', 'admin', 'developer', 'viewer', 'account-manager', 'operator')`,
    )
    .execute();
  await schema.createIndex('members_by_user').on('members').column('user_id').execute();
  await schema
    .createTable('invitations')
    .addColumn('invitation_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('invited_by', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('accepted_at_ms', 'bigint')
    .execute();
  await schema
    .createIndex('invitations_by_account')
    .on('invitations')
    .columns(['account_id', 'invitation_id'])
    .execute();
  await schema.createIndex('invitations_by_email').on('invitations').column('email').execute();
  await schema
    .createTable('security_policies')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().notNull().references('accounts.account_id'),
    )
    .addColumn('is_second_factor_required', 'integer', (column) => column.notNull())
    .addColumn('session_hours_max', 'integer')
    .execute();
}

/** Actors can now be people, even on another account's behalf, and changes to members are audited. */
async function extendAudit({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('audit_events').addColumn('actor_name', 'text').execute();
  await schema.alterTable('audit_events').addColumn('acting_reason', 'text').execute();
  // The list of changes can be dropped, because a node that misses part of it reloads everything.
  await schema.dropTable('registry_changes').execute();
  await schema
    .createTable('registry_changes')
    .addColumn('version', 'bigint', (column) => column.primaryKey().notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('changed_at_ms', 'bigint', (column) => column.notNull())
    .addCheckConstraint('registry_changes_subject', sql`subject in ('client', 'role', 'account', 'member')`)
    .execute();
}
