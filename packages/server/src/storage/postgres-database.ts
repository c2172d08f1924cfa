import { Kysely, sql } from 'kysely';
import { rememberPool } from './connection-figures.ts';
import type { PostgresOptions } from './database.ts';
import { checkSchema, migrate } from './migrate.ts';
import { rejectUnfinishedMove } from './move/unfinished-move.ts';
import type { Migration } from './migrations/migrations.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { openPool, type PostgresPoolOptions } from './postgres-pool.ts';
import type { Schema } from './schema.ts';
import { StorageError } from './storage-error.ts';
import type { Database } from './transaction.ts';

/**
 * Returns the lock timeout for a statement timeout: shorter, so that a statement that waits for a lock can
 * report it.
 */
export function lockTimeoutFor(statementTimeoutMs: number): number {
  return Math.round((statementTimeoutMs * 5) / 6);
}

/** Opens a PostgreSQL database and migrates its schema; see `openDatabase`. */
export async function openPostgresDatabase(
  {
    url,
    poolMax = 10,
    statementTimeoutMs = 3000,
    busyTimeoutMs = lockTimeoutFor(statementTimeoutMs),
    connectTimeoutMs = 800,
    isMoveTarget = false,
  }: PostgresOptions,
  migrations: readonly Migration[],
): Promise<Database> {
  await prepareSchema(url, migrations, isMoveTarget);
  return connectPostgres({
    url,
    connectionsMax: poolMax,
    applicationName: 'countersign',
    statementTimeoutMs,
    lockTimeoutMs: busyTimeoutMs,
    connectTimeoutMs,
  });
}

/** Returns a database with its own connections, whose schema must be up to date. Does not connect yet. */
export function connectPostgres(options: PostgresPoolOptions): Database {
  const pool = openPool(options);
  const database: Database = new Kysely<Schema>({ dialect: postgresDialect(pool) });
  rememberPool(database, pool);
  return database;
}

async function prepareSchema(
  url: string,
  migrations: readonly Migration[],
  isMoveTarget: boolean,
): Promise<void> {
  // A migration may take long or wait for another node's.
  const timeouts = { statementTimeoutMs: 0, lockTimeoutMs: 0 };
  await onOneConnection({ url, applicationName: 'countersign migration', ...timeouts }, async (database) => {
    await checkEncoding(database);
    await migrate(database as unknown as Kysely<unknown>, migrations);
    if (!isMoveTarget) await rejectUnfinishedMove(database);
  });
}

/** Checks that a database can be used, without changing anything. */
export async function checkPostgres(url: string, migrations: readonly Migration[]): Promise<void> {
  const timeouts = { statementTimeoutMs: 10_000, lockTimeoutMs: 5000 };
  await onOneConnection({ url, applicationName: 'countersign check', ...timeouts }, async (database) => {
    await checkEncoding(database);
    await checkSchema(database as unknown as Kysely<unknown>, migrations);
    await rejectUnfinishedMove(database);
  });
}

async function onOneConnection(
  options: Omit<PostgresPoolOptions, 'connectionsMax' | 'connectTimeoutMs'>,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = connectPostgres({ ...options, connectionsMax: 1, connectTimeoutMs: 5000 });
  try {
    await work(database);
  } finally {
    await database.destroy();
  }
}

async function checkEncoding(database: Database): Promise<void> {
  const { rows } = await sql<{
    encoding: string;
  }>`select current_setting('server_encoding') as encoding`.execute(database);
  if (rows[0]?.encoding === 'UTF8') return;
  throw new StorageError(
    'not_accessible',
    'The database cannot store every character: recreate it with the encoding UTF8 (template0), then restart.',
  );
}
