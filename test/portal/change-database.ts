import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { waitUntil } from '@countersign/testing/wait-until';
import { databaseFileName } from '../../packages/server/src/registry/local-registry.ts';

/**
 * Changes the database of a service that runs in this process, in one transaction, and returns the result of
 * the change. Nothing else on this thread runs between its begin and its end: the service would wait for a
 * lock that only this thread can release.
 */
export async function changeDatabase<Result>(
  { dataFolder }: { readonly dataFolder: string },
  change: (database: DatabaseSync) => Result,
): Promise<Result> {
  const database = new DatabaseSync(join(dataFolder, databaseFileName), { timeout: 0 });
  try {
    // Likewise, waiting here for the service's transaction without leaving the thread would wait forever.
    await waitUntil(() => hasBegun(database), 'the lock of the database');
    const result = change(database);
    database.exec('COMMIT');
    return result;
  } finally {
    database.close();
  }
}

/** Begins a transaction, if no other is under way. */
function hasBegun(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (!/locked/.test((error as Error).message)) throw error;
    return false;
  }
}
