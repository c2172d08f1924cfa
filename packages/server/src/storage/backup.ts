import { syncFolder } from '@countersign/gate';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { asStorageError, StorageError } from './storage-error.ts';

/**
 * Copies a SQLite database in a consistent state, even while services write to it. The copy is a single file,
 * readable only by its owner; it is checked and synced to disk before it gets its final name. Neither database is
 * migrated.
 *
 * @returns the copy's size in bytes
 * @throws StorageError if the target file exists, or if either file can't be read or written
 */
export async function backUpDatabase(file: string, copy: string): Promise<number> {
  if (existsSync(copy)) throw notWritten(copy, 'it already exists');
  const unfinished = `${copy}.${process.pid}.unfinished`;
  try {
    closeSync(openSync(unfinished, 'wx', 0o600));
    await copyPages(file, unfinished);
    finish(unfinished);
    renameSync(unfinished, copy);
    syncFolder(dirname(copy));
    return statSync(copy).size;
  } catch (error) {
    rmSync(unfinished, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code)) throw notWritten(copy, code, error);
    throw asStorageError(error);
  }
}

async function copyPages(file: string, copy: string): Promise<void> {
  const source = new DatabaseSync(file, { timeout: 5000 });
  try {
    // Copy in one step: if another connection writes between two steps, SQLite starts over.
    await backup(source, copy, { rate: 0x7fff_ffff });
  } finally {
    source.close();
  }
}

/** Makes the copy a single file without a write-ahead log, checks it, and syncs it to disk. */
function finish(copy: string): void {
  const database = new DatabaseSync(copy);
  try {
    database.exec('pragma journal_mode = delete');
    const found = Object.values(database.prepare('pragma quick_check(1)').get() ?? {})[0];
    if (found !== 'ok')
      throw new StorageError(
        'unavailable',
        'The database is damaged: stop the service and restore a backup.',
      );
  } finally {
    database.close();
  }
  const descriptor = openSync(copy, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function notWritten(copy: string, reason: string, cause?: unknown): StorageError {
  return new StorageError('not_accessible', `The backup ${copy} cannot be written: ${reason}.`, cause);
}
