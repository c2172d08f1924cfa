import { type Kysely, sql } from 'kysely';

/** The hash chain of the audit log, epochs of the request log, and how far streams have come. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('audit_chain')
    .addColumn('position', 'bigint', (column) => column.primaryKey().notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('request_epoch')
    .addColumn('singleton', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('epoch', 'bigint', (column) => column.notNull())
    .execute();
  await sql`insert into request_epoch (singleton, epoch) values (1, 0)`.execute(database);
  await schema.alterTable('request_records').addColumn('epoch', 'bigint').execute();
  await sql`create index request_records_by_epoch on request_records (epoch, request_id)
    where epoch is not null`.execute(database);
  await addCursors(database);
}

async function addCursors({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('stream_cursors')
    .addColumn('stream', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('record_id', 'text', (column) => column.notNull())
    .addColumn('backfill_to_id', 'text')
    .addColumn('from_ms', 'bigint', (column) => column.notNull())
    .addColumn('lease_id', 'text')
    .addColumn('leased_until_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('next_attempt_at_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('failing_since_ms', 'bigint')
    .addColumn('stalled_at_ms', 'bigint')
    .addColumn('problem', 'text')
    .addPrimaryKeyConstraint('stream_cursors_key', ['stream', 'source'])
    .execute();
}
