import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations/migrations.ts';
import { ensurePrivateFile } from './private-file.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { asStorageError, isNotADatabase, StorageError } from './storage-error.ts';
import type { Database } from './transaction.ts';
import { whenFree } from './when-free.ts';

/** Opens one more connection to a SQLite database whose schema is up to date. */
export async function connectSqlite(file: string, busyTimeoutMs: number): Promise<Database> {
  const connection = connect(file);
  try {
    await useWriteAheadLog(connection, busyTimeoutMs);
  } catch (error) {
    connection.close();
    throw describe(error, file);
  }
  return new Kysely<Schema>({ dialect: sqliteDialect(connection, busyTimeoutMs) });
}

/** Opens the embedded SQLite database and migrates its schema; see `openDatabase`. */
export async function openSqliteDatabase(
  file: string,
  busyTimeoutMs: number,
  migrations: readonly Migration[],
): Promise<Database> {
  ensurePrivateFile(file);
  const database = await connectSqlite(file, busyTimeoutMs);
  try {
    await migrate(database as unknown as Kysely<unknown>, migrations);
    return database;
  } catch (error) {
    await database.destroy();
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
