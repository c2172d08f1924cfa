import { type Kysely, sql } from 'kysely';

/** Changes that wait for a second person, the policy that requires one, and who approved what. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable('security_policies')
    .addColumn('is_second_person_required', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('audit_events').addColumn('approved_by', 'text').execute();
  await schema
    .createTable('pending_changes')
    .addColumn('pending_change_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('operation', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('requested_by', 'text', (column) => column.notNull())
    .addColumn('requester', 'text', (column) => column.notNull())
    .addColumn('requested_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('decided_by', 'text')
    .addColumn('decider_name', 'text')
    .addColumn('decided_at_ms', 'bigint')
    .addColumn('reason', 'text')
    .execute();
  await sql`create index pending_changes_by_account on pending_changes (account_id, pending_change_id)`.execute(
    database,
  );
  await sql`create index pending_changes_waiting on pending_changes (expires_at_ms) where status = 'waiting'`.execute(
    database,
  );
}
