import { type Kysely, sql } from 'kysely';

/** Marks the demonstration's data, so that exactly this data can be removed. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('demo_data')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('demo_data_key', ['account_id', 'subject', 'subject_id'])
    .addCheckConstraint('demo_data_subject', sql`subject in ('client', 'person', 'event')`)
    .execute();
}
