import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A lock that ends with its process, however that ends. */
export interface FolderLock {
  release(): void;
}

/**
 * Makes this process the only one that serves from a data folder: two guards on one folder would each accept a
 * signature once. SQLite's file lock is taken because the operating system frees it when a process is killed.
 * Throws an Error that says what to do when another process holds it.
 */
export function lockFolder(dataFolder: string): FolderLock {
  const file = join(dataFolder, 'service.lock');
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw new Error(
      `Another Countersign service is running on the data folder ${dataFolder}. ` +
        'Stop it first, or start this one with another COUNTERSIGN_DATA_FOLDER.',
      { cause: error },
    );
  }
  return { release: () => database.close() };
}
