import { type Migration, migrations as allMigrations } from './migrations/migrations.ts';
import { openSqliteDatabase } from './sqlite-database.ts';
import type { Database } from './transaction.ts';

/** The embedded database. */
export interface SqliteOptions {
  /** The file; it and its folder are made, for the owner alone, when they are missing. */
  readonly file: string;
  /** How long a statement waits for another process to end its write; 5,000 unless set. */
  readonly busyTimeoutMs?: number;
  /** For tests; all migrations unless set. */
  readonly migrations?: readonly Migration[];
}

/** A database that several nodes share. */
export interface PostgresOptions {
  /** `postgresql://user:password@host:port/database`. It may hold a password: it is never part of a message. */
  readonly url: string;
  /** Connections at most; 10 unless set. */
  readonly poolMax?: number;
  /** How long a statement waits for what another transaction has locked; 2,500 unless set. */
  readonly busyTimeoutMs?: number;
  /** How long to wait for a connection, a free one or a new one; 800 unless set. */
  readonly connectTimeoutMs?: number;
  /** For tests; all migrations unless set. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the database, SQLite in a file or PostgreSQL at a URL, and brings its schema up to date. Close it with
 * `destroy()`. Of several processes that open one database at once, one migrates.
 *
 * A transaction that is committed survives a crash of the process and of the machine: SQLite has a write-ahead log that
 * every commit synchronises to the disk, and PostgreSQL reports a commit when it is there.
 *
 * @throws StorageError with advice when the database cannot be opened, is none, or is from a newer version
 */
export async function openDatabase(options: SqliteOptions | PostgresOptions): Promise<Database> {
  const { migrations = allMigrations } = options;
  if ('file' in options) return openSqliteDatabase(options.file, options.busyTimeoutMs ?? 5000, migrations);
  // The driver is loaded only by those who use it: a start on SQLite has no use for it.
  const { openPostgresDatabase } = await import('./postgres-database.ts');
  return openPostgresDatabase(options, migrations);
}
