import { type Kysely, sql } from 'kysely';

/**
 * Whom a role is for, and members who have one of the account's own roles by its ID. A node of an earlier version knows no such
 * role and permits nothing to a member who has one.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable('roles')
    .addColumn('holders', 'text', (column) => column.notNull().defaultTo('clients'))
    .execute();
  // SQLite cannot drop a constraint, so the table is written again.
  await schema
    .createTable('members_next')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('members_account_user', ['account_id', 'user_id'])
    .addCheckConstraint(
      'members_known_role',
      sql`role in ('owner', 'admin', 'developer', 'viewer', 'account-manager', 'operator')
        or substr(role, 1, 5) = 'role_'`,
    )
    .execute();
  await sql`insert into members_next (account_id, user_id, role, created_at_ms)
    select account_id, user_id, role, created_at_ms from members`.execute(database);
  await schema.dropTable('members').execute();
  await schema.alterTable('members_next').renameTo('members').execute();
  await schema.createIndex('members_by_user').on('members').column('user_id').execute();
  await schema.createIndex('members_by_role').on('members').column('role').execute();
}
