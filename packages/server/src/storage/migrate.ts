import { type Kysely, sql } from 'kysely';
import { isPostgres } from './dialect.ts';
import type { Migration } from './migrations/migrations.ts';
import { StorageError } from './storage-error.ts';

interface MigrationsTable {
  schema_migrations: { version: number; name: string; applied_at_ms: number };
}

/**
 * Migrates a database to the newest schema.
 *
 * Each migration and its record are one transaction, so a crash leaves the schema before it or after it. In a new database, all
 * of them are one: nothing waits for it yet, and each transaction waits for the disk. If several processes start together, one
 * migrates and the others find it done.
 *
 * @throws StorageError if a newer program, or another program, wrote the schema
 */
export async function migrate(database: Kysely<unknown>, migrations: readonly Migration[]): Promise<void> {
  const records = database as Kysely<MigrationsTable>;
  await makeRecords(records);
  const current = await versionOf(records, migrations);
  const pending = migrations.map((migration, index) => ({ migration, version: index + 1 })).slice(current);
  for (const some of current === 0 ? [pending] : pending.map((each) => [each]))
    await records.transaction().execute(async (transaction) => {
      await waitForOthers(transaction);
      // Read again inside the transaction, because another process may have migrated since the last check.
      const newest = await versionOf(transaction, migrations);
      for (const { migration, version } of some) {
        if (version <= newest) continue;
        await migration.up(transaction as unknown as Kysely<unknown>);
        await transaction
          .insertInto('schema_migrations')
          .values({ version, name: migration.name, applied_at_ms: Date.now() })
          .execute();
      }
    });
}

/**
 * Checks that `migrate` can work on a database, without changing anything.
 *
 * @throws StorageError if a newer program, or another program, wrote the schema
 */
export async function checkSchema(
  database: Kysely<unknown>,
  migrations: readonly Migration[],
): Promise<void> {
  const records = database as Kysely<MigrationsTable>;
  const { rows } = isPostgres(records)
    ? await sql<{ name: string | null }>`select to_regclass('schema_migrations') as name`.execute(records)
    : await sql<{ name: string }>`select name from sqlite_master where name = 'schema_migrations'`.execute(
        records,
      );
  if (typeof rows[0]?.name === 'string') await versionOf(records, migrations);
}

async function makeRecords(records: Kysely<MigrationsTable>): Promise<void> {
  const make = (database: Kysely<MigrationsTable>): Promise<void> =>
    database.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.primaryKey().notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('applied_at_ms', 'bigint', (column) => column.notNull())
      .execute();
  if (!isPostgres(records)) return make(records);
  // PostgreSQL requires the permission to create tables even if the table exists.
  const { rows } = await sql<{
    table: string | null;
  }>`select to_regclass('schema_migrations') as table`.execute(records);
  if (typeof rows[0]?.table === 'string') return;
  await records.transaction().execute(async (transaction) => {
    await waitForOthers(transaction);
    await make(transaction);
  });
}

/** An arbitrary number that must never change. */
const migrationLock = 0x636f756e;

/**
 * Waits for other processes that migrate. On SQLite, a transaction that may write already has the lock. The
 * lock ends with the transaction.
 */
async function waitForOthers(transaction: Kysely<MigrationsTable>): Promise<void> {
  if (isPostgres(transaction)) await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
}

async function versionOf(
  records: Kysely<MigrationsTable>,
  migrations: readonly Migration[],
): Promise<number> {
  const applied = await records
    .selectFrom('schema_migrations')
    .select(['version', 'name'])
    .orderBy('version')
    .execute();
  const newest = applied.at(-1)?.version ?? 0;
  if (newest > migrations.length) {
    throw new StorageError(
      'newer_version',
      `A newer version of Countersign has written this database (schema ${newest}, known here up to ${migrations.length}): ` +
        'start that version, or restore a backup from before the upgrade.',
    );
  }
  for (const [index, { version, name }] of applied.entries()) {
    if (version === index + 1 && name === migrations[index]?.name) continue;
    throw new StorageError(
      'foreign_schema',
      'This database has a schema that is not from Countersign: check the data folder, or restore a backup.',
    );
  }
  return newest;
}
