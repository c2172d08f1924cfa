import { type Kysely, sql } from 'kysely';

/** Notices of events in accounts, with their readers and recipients. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await addNotices(database);
  await addReaders(database);
  await addMails(database);
  await addProgress(database);
}

async function addNotices({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('notices')
    .addColumn('notice_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('mark', 'text', (column) => column.notNull())
    .addColumn('happened_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_happened_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('noted_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('client_id', 'text')
    .addColumn('event_id', 'text')
    .addColumn('content', 'text', (column) => column.notNull())
    .addUniqueConstraint('notices_mark', ['account_id', 'kind', 'mark'])
    .execute();
  await schema
    .createIndex('notices_by_account')
    .on('notices')
    .columns(['account_id', 'kind', 'notice_id'])
    .execute();
  await schema
    .createTable('notice_marks')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.account_id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('mark', 'text', (column) => column.notNull())
    .addColumn('noted_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('notice_marks_key', ['account_id', 'kind', 'mark'])
    .execute();
  await schema
    .createIndex('notice_marks_by_age')
    .on('notice_marks')
    .columns(['kind', 'noted_at_ms'])
    .execute();
}

async function addReaders({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('notice_reads')
    .addColumn('notice_id', 'text', (column) =>
      column.notNull().references('notices.notice_id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('notice_reads_key', ['notice_id', 'user_id'])
    .execute();
  await schema.createIndex('notice_reads_by_user').on('notice_reads').column('user_id').execute();
  await schema
    .createTable('notice_preferences')
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('in_inbox', 'integer', (column) => column.notNull())
    .addColumn('by_mail', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('notice_preferences_key', ['user_id', 'kind'])
    .execute();
}

/** Notices that are waiting to be mailed, and when each person last got a mail. */
async function addMails({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('notice_mails')
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('notice_id', 'text', (column) =>
      column.notNull().references('notices.notice_id').onDelete('cascade'),
    )
    .addColumn('queued_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('notice_mails_key', ['user_id', 'notice_id'])
    .execute();
  await schema.createIndex('notice_mails_by_notice').on('notice_mails').column('notice_id').execute();
  await schema
    .createTable('notice_mail_times')
    .addColumn('user_id', 'text', (column) =>
      column.primaryKey().notNull().references('persons.user_id').onDelete('cascade'),
    )
    .addColumn('mailed_at_ms', 'bigint', (column) => column.notNull())
    .execute();
}

/** Events from before the upgrade cause no notices. */
async function addProgress(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('notice_progress')
    .addColumn('source', 'text', (column) => column.primaryKey().notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into notice_progress (source, position)
    select 'audit', version from registry_version`.execute(database);
}
