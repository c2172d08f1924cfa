import { type Migration, migrations as allMigrations } from './migrations/migrations.ts';
import { nodeConnections } from './node-connections.ts';
import { checkSqlite, connectSqlite, openSqliteDatabase } from './sqlite-database.ts';
import type { Database } from './transaction.ts';

/** The embedded database. */
export interface SqliteOptions {
  /** The file. If it or its folder is missing, it is created for the owner only. */
  readonly file: string;
  /** A statement waits this long for another process to finish writing. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** For tests. Default all migrations. */
  readonly migrations?: readonly Migration[];
  /** Opens the database even if a move to it hasn't ended. */
  readonly isMoveTarget?: boolean;
  /** Syncs the write-ahead log to disk. For tests. */
  readonly syncLog?: () => Promise<void>;
}

/** A database that several nodes share. */
export interface PostgresOptions {
  /** `postgresql://user:password@host:port/database`. It may contain a password, so it is never part of a message. */
  readonly url: string;
  /** Maximum connections. Default 10. */
  readonly poolMax?: number;
  /** A statement may take this long. Default 3,000. */
  readonly statementTimeoutMs?: number;
  /** A statement waits this long for another transaction's lock. Default five sixths of `statementTimeoutMs`. */
  readonly busyTimeoutMs?: number;
  /** Timeout for getting a free or new connection. Default 800. */
  readonly connectTimeoutMs?: number;
  /** For tests. Default all migrations. */
  readonly migrations?: readonly Migration[];
  /** Opens the database even if a move to it hasn't ended. */
  readonly isMoveTarget?: boolean;
}

/** The location of a database: enough for another thread or process to open it. */
export type DatabasePlace = { readonly file: string } | { readonly url: string };

/**
 * Opens the database, SQLite in a file or PostgreSQL at a URL, and migrates its schema to the current version.
 * Close it with `destroy()`. If several processes open a database at once, one of them migrates it.
 *
 * A committed transaction survives a crash of the process and of the machine. In SQLite, a commit returns once
 * the write-ahead log is synced to disk, with one sync for all transactions that commit at the same time;
 * PostgreSQL reports a commit once it is on disk.
 *
 * @throws StorageError with advice if the database can't be opened, isn't a database, or is from a newer
 *   version
 */
export async function openDatabase(options: SqliteOptions | PostgresOptions): Promise<Database> {
  const { migrations = allMigrations } = options;
  if ('file' in options) return openSqliteDatabase(options, migrations);
  // Loads the driver only if it is used: a start on SQLite doesn't need it.
  const { openPostgresDatabase } = await import('./postgres-database.ts');
  return openPostgresDatabase(options, migrations);
}

/** Checks that this version can use a database, without changing anything. Rejects like `openDatabase`. */
export async function checkDatabase(place: DatabasePlace): Promise<void> {
  if ('file' in place) return checkSqlite(place.file, allMigrations);
  const { checkPostgres } = await import('./postgres-database.ts');
  return checkPostgres(place.url, allMigrations);
}

/**
 * Opens one more connection to a database whose schema is up to date, for background work, whose statements may
 * take longer than those of requests.
 *
 * @param applicationName the name that PostgreSQL shows for it
 */
export async function connectDatabase(place: DatabasePlace, applicationName: string): Promise<Database> {
  if ('file' in place) return connectSqlite(place.file, busyTimeoutMs);
  const { connectPostgres } = await import('./postgres-database.ts');
  return connectPostgres({
    url: place.url,
    connectionsMax: nodeConnections.requestLog,
    applicationName,
    statementTimeoutMs: backgroundStatementTimeoutMs,
    lockTimeoutMs: 2500,
    connectTimeoutMs: 800,
  });
}

const busyTimeoutMs = 5000;
const backgroundStatementTimeoutMs = 60_000;
