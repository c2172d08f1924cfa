import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';

/**
 * The state of shared replay guards: the mark for a guard outside the database, and the PostgreSQL guard's own
 * tables.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('guard_mark')
    .addColumn('singleton', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('epoch', 'text', (column) => column.notNull())
    .addColumn('reserved_seconds', 'bigint', (column) => column.notNull())
    .addColumn('claimed_by', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('horizon_seconds', 'bigint', (column) => column.notNull().defaultTo(0))
    .addCheckConstraint('guard_mark_singleton', sql`singleton = 1`)
    .execute();
  await sql`insert into guard_mark (singleton, epoch, reserved_seconds) values (1, '', 0)`.execute(database);
  if (isPostgres(database)) await addUsedSignatures(database);
}

/** Only for several nodes, which SQLite doesn't support. */
async function addUsedSignatures(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('used_signatures')
    .addColumn('id', 'bytea', (column) => column.primaryKey().notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('created_seconds', 'bigint', (column) => column.notNull())
    .addColumn('first_used_at', 'timestamptz', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('used_signatures_by_created')
    .on('used_signatures')
    .column('created_seconds')
    .execute();
  // Every row is soon deleted, so its space must be reused before the table has doubled.
  await sql`alter table used_signatures set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000)`.execute(
    database,
  );
  await schema
    .createTable('guard_epochs')
    .addColumn('epoch', 'text', (column) => column.primaryKey().notNull())
    .addColumn('is_settled', 'integer', (column) => column.notNull())
    .addColumn('horizon_seconds', 'bigint', (column) => column.notNull())
    .addCheckConstraint('guard_epochs_is_settled', sql`is_settled in (0, 1)`)
    .execute();
  await schema
    .createTable('guard_testimonies')
    .addColumn('epoch', 'text', (column) => column.notNull().references('guard_epochs.epoch'))
    .addColumn('node_id', 'text', (column) => column.notNull())
    .addColumn('accepted_seconds', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('guard_testimonies_key', ['epoch', 'node_id'])
    .execute();
  await preventDeletion(database);
}

/**
 * Prevents deleting rows until their signatures are rejected even without them. Every node notices a TRUNCATE
 * of the whole table, but wouldn't notice a manual DELETE.
 */
async function preventDeletion(database: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_forgetting_signatures() returns trigger language plpgsql as $$
    begin
      if (select max(created_seconds) from forgotten)
        > coalesce((select max(horizon_seconds) from guard_epochs where is_settled = 1), 0)
      then
        raise exception 'These signatures could be used again. To forget them all: truncate used_signatures';
      end if;
      return null;
    end $$`.execute(database);
  await sql`
    create trigger refuse_forgetting after delete on used_signatures
    referencing old table as forgotten for each statement execute function refuse_forgetting_signatures()`.execute(
    database,
  );
}
