import { join } from 'node:path';
import { type FolderLock, lockFolder } from '@countersign/gate/folder-lock';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import { sql } from 'kysely';
import { markAsMoved } from '../replay/guard-claim.ts';
import { openDatabase } from '../storage/database.ts';
import { isPostgres } from '../storage/dialect.ts';
import { moveDatabase, type MovedRows, type MoveProgress } from '../storage/move/move-database.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Database } from '../storage/transaction.ts';
import { databaseFileName, existingDatabaseFile, type RegistryPlace } from './registry-place.ts';

export type { MovedRows, MoveProgress } from '../storage/move/move-database.ts';

/** Options of a move. One of the two places is a data folder, the other a PostgreSQL database. */
export interface RegistryMove {
  readonly from: RegistryPlace;
  readonly to: RegistryPlace;
  readonly onProgress: (progress: MoveProgress) => void;
}

/**
 * Moves everything that a service stores from a data folder to PostgreSQL, or back. No service may be running
 * on either, and the target must be new, or the target of an interrupted move.
 *
 * The replay guard's memory does not move: the first service on the target rejects all earlier signatures, and
 * so does a service that is started on the source again.
 *
 * @returns all tables, with their content in both databases
 * @throws StorageError if a service is running, or the target is not empty
 */
export async function moveRegistry({ from, to, onProgress }: RegistryMove): Promise<MovedRows[]> {
  const closers: (() => Promise<void> | void)[] = [];
  try {
    if ('dataFolder' in from) existingDatabaseFile(from.dataFolder);
    const source = await openSide(from, false, closers);
    const target = await openSide(to, true, closers);
    return await moveDatabase({
      source,
      target,
      onProgress,
      finish: async (lockedSource, finishedTarget) => {
        // A service may have been started while rows were copied.
        for (const database of [lockedSource, finishedTarget]) await rejectWhileServed(database);
        for (const database of [lockedSource, finishedTarget]) await markAsMoved(database);
      },
    });
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

async function openSide(
  place: RegistryPlace,
  isTarget: boolean,
  closers: (() => Promise<void> | void)[],
): Promise<Database> {
  const database =
    'dataFolder' in place
      ? await openFolder(place.dataFolder, isTarget, closers)
      : await openServer(place.databaseUrl, isTarget);
  closers.push(() => database.destroy());
  await rejectWhileServed(database);
  return database;
}

async function openFolder(
  dataFolder: string,
  isTarget: boolean,
  closers: (() => Promise<void> | void)[],
): Promise<Database> {
  if (isTarget) makePrivateFolder(dataFolder);
  const lock = lockServiceOut(dataFolder);
  closers.push(() => lock.release());
  return openDatabase({ file: join(dataFolder, databaseFileName), isMoveTarget: isTarget });
}

async function openServer(url: string, isTarget: boolean): Promise<Database> {
  return openDatabase({
    url,
    poolMax: 1,
    statementTimeoutMs: 60_000,
    connectTimeoutMs: 5000,
    isMoveTarget: isTarget,
  });
}

function lockServiceOut(dataFolder: string): FolderLock {
  try {
    return lockFolder(dataFolder, 'wait until it has stopped');
  } catch (error) {
    throw new StorageError('in_use', (error as Error).message, error);
  }
}

/**
 * Throws if a service runs on a PostgreSQL database, where each of its nodes keeps connections open. A data
 * folder has a lock instead.
 */
async function rejectWhileServed(database: Database): Promise<void> {
  if (!isPostgres(database)) return;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name like 'countersign%' and application_name <> 'countersign migration'`.execute(
    database,
  );
  if (Number(rows[0]?.count) === 0) return;
  throw new StorageError(
    'in_use',
    'A Countersign service or command is connected to the PostgreSQL database. Stop all nodes first.',
  );
}
