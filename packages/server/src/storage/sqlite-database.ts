import { closeSync, fdatasync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { Kysely } from 'kysely';
import type { SqliteOptions } from './database.ts';
import { LogSync } from './log-sync.ts';
import { checkSchema, migrate } from './migrate.ts';
import { rejectUnfinishedMove } from './move/unfinished-move.ts';
import type { Migration } from './migrations/migrations.ts';
import { ensurePrivateFile } from './private-file.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { asStorageError, isNotADatabase, StorageError } from './storage-error.ts';
import type { Database } from './transaction.ts';
import { whenFree } from './when-free.ts';

/**
 * Opens one more connection to a SQLite database whose schema is up to date. Its commits reach the disk with
 * the next commit of a connection that syncs, or after some time.
 */
export async function connectSqlite(file: string, busyTimeoutMs: number): Promise<Database> {
  const database = await connect(file, busyTimeoutMs);
  const dialect = sqliteDialect({ database, busyTimeoutMs, log: undefined, close: () => undefined });
  return new Kysely<Schema>({ dialect });
}

/** Opens the embedded SQLite database and migrates its schema; see `openDatabase`. */
export async function openSqliteDatabase(
  { file, busyTimeoutMs = 5000, isMoveTarget = false, syncLog }: SqliteOptions,
  migrations: readonly Migration[],
): Promise<Database> {
  ensurePrivateFile(file);
  const connection = await connect(file, busyTimeoutMs);
  const logFile = new LogFile(`${file}-wal`);
  const parts = {
    database: connection,
    busyTimeoutMs,
    log: new LogSync(syncLog ?? (() => logFile.sync())),
    close: () => logFile.close(),
  };
  const database = new Kysely<Schema>({ dialect: sqliteDialect(parts) });
  try {
    await migrate(database as unknown as Kysely<unknown>, migrations);
    if (!isMoveTarget) await rejectUnfinishedMove(database);
    return database;
  } catch (error) {
    await database.destroy();
    throw describe(error, file);
  }
}

/** Checks that a database file can be used, without changing anything. */
export async function checkSqlite(file: string, migrations: readonly Migration[]): Promise<void> {
  let database: Kysely<Schema> | undefined;
  try {
    const connection = new DatabaseSync(file, { readOnly: true });
    const parts = { database: connection, busyTimeoutMs: 5000, log: undefined, close: () => undefined };
    database = new Kysely<Schema>({ dialect: sqliteDialect(parts) });
    await checkSchema(database as unknown as Kysely<unknown>, migrations);
    await rejectUnfinishedMove(database);
  } catch (error) {
    throw describe(error, file);
  } finally {
    await database?.destroy();
  }
}

async function connect(file: string, busyTimeoutMs: number): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true });
    await useWriteAheadLog(database, busyTimeoutMs);
    return database;
  } catch (error) {
    database?.close();
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
  // SQLite itself syncs what keeps the database consistent. LogSync syncs commits, several at once.
  connection.exec('pragma synchronous = normal');
}

/** The write-ahead log, which exists from the first commit until the database is closed. */
class LogFile {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  sync(): Promise<void> {
    // Any descriptor syncs the whole file. SQLite's locks are on other files, so closing this one releases
    // none.
    this.#descriptor ??= openSync(this.#file, 'r+');
    return syncData(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

const syncData = promisify(fdatasync);

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
