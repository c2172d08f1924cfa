import { chmodSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import { StorageError } from './storage-error.ts';

/**
 * Makes sure that a file exists and only its owner can read and write it (0600). Missing folders are created for the
 * owner only (0700). An existing folder keeps its mode, because it may be the operator's.
 *
 * SQLite gives the files that it creates next to the database the same mode as the database.
 */
export function ensurePrivateFile(file: string): void {
  try {
    makePrivateFolder(dirname(file));
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  } catch (error) {
    throw new StorageError(
      'not_accessible',
      `The database ${file} cannot be opened for writing (${reasonOf(error)}): check the data folder and its permissions; chown a restored file to the user of the service.`,
      error,
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
