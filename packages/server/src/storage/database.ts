import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { migrate } from './migrate.ts';
import { type Migration, migrations as allMigrations } from './migrations/migrations.ts';
import { ensurePrivateFile } from './private-file.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { asStorageError, isNotADatabase, StorageError } from './storage-error.ts';
import type { Database } from './transaction.ts';
import { whenFree } from './when-free.ts';

/** How to open the embedded database. */
export interface DatabaseOptions {
  /** The file; it and its folder are made, for the owner alone, when they are missing. */
  readonly file: string;
  /** How long a statement waits for another process to end its write; 5,000 unless set. */
  readonly busyTimeoutMs?: number;
  /** For tests; all migrations unless set. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the embedded SQLite database and brings its schema up to date. Close it with `destroy()`.
 *
 * A transaction that is committed survives a crash of the process and of the machine: write-ahead log, with every
 * commit synchronised to the disk.
 *
 * @throws StorageError with advice when the file cannot be opened, is no database, or is from a newer version
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { file, busyTimeoutMs = 5000, migrations = allMigrations } = options;
  ensurePrivateFile(file);
  const connection = connect(file);
  const database = new Kysely<Schema>({ dialect: sqliteDialect(connection, busyTimeoutMs) });
  try {
    await useWriteAheadLog(connection, busyTimeoutMs);
    await migrate(database as unknown as Kysely<unknown>, migrations);
    return database;
  } catch (error) {
    connection.close();
    throw describe(error, file);
  }
}

function connect(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true });
  } catch (error) {
    throw describe(error, file);
  }
}

async function useWriteAheadLog(connection: DatabaseSync, busyTimeoutMs: number): Promise<void> {
  const row = await whenFree(() => connection.prepare('pragma journal_mode = wal').get(), busyTimeoutMs);
  if (row?.['journal_mode'] !== 'wal') {
    throw new StorageError(
      'not_accessible',
      'The database needs a local disk that supports a write-ahead log: move the data folder to one.',
    );
  }
  connection.exec('pragma synchronous = full');
}

function describe(error: unknown, file: string): unknown {
  if (isNotADatabase(error) || (error instanceof StorageError && isNotADatabase(error.cause))) {
    return new StorageError(
      'not_a_database',
      `The file ${file} is not a database: check the data folder, move the file away, or restore a backup.`,
      error,
    );
  }
  return asStorageError(error);
}
