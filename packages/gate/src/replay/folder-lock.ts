import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A lock that ends with its process, even after a crash. */
export interface FolderLock {
  release(): void;
}

/**
 * Makes this process the only one that serves from a data folder: two guards on one folder would each accept a
 * signature once. Uses SQLite's file lock, because the operating system releases it when a process is killed. Throws
 * an Error that says what to do if another process holds the lock, or if it can't be taken at all.
 *
 * @param alternative ends the advice "Stop it first, or …"
 */
export function lockFolder(dataFolder: string, alternative: string): FolderLock {
  const file = join(dataFolder, 'service.lock');
  let database: DatabaseSync | undefined;
  try {
    makePrivateFile(file);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw new Error(isBusy(error) ? anotherService(dataFolder, alternative) : cannotLock(file, error), {
      cause: error,
    });
  }
  const locked = database;
  return { release: () => locked.close() };
}

/**
 * Creates the file for its owner only, because anyone who can open it can hold the lock. An existing file is not
 * opened, because closing it again would release any lock that this process holds on it (POSIX record locks).
 */
function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** SQLite's primary result code 5: another process holds the lock. */
function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
}

function anotherService(dataFolder: string, alternative: string): string {
  return (
    `Another Countersign service is already using the data folder ${dataFolder}. ` +
    `Stop it first, or ${alternative}.`
  );
}

function cannotLock(file: string, error: unknown): string {
  return (
    `The lock ${file} cannot be taken (${(error as Error).message}). ` +
    'Check the data folder, its permissions and its disk, or remove that file when no service is running.'
  );
}
