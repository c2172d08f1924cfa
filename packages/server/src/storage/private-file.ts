import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageError } from './storage-error.ts';

/**
 * Makes sure that a file exists and that only its owner can read and write it (0600); folders that are missing are
 * made for the owner alone (0700). A folder that exists keeps its mode: it may be the operator's.
 *
 * SQLite gives the files that it puts beside the database the mode of the database.
 */
export function ensurePrivateFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  } catch (error) {
    throw new StorageError(
      'not_accessible',
      `The database ${file} cannot be opened for writing (${reasonOf(error)}): check the data folder and its permissions.`,
      error,
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
