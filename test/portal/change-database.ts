import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFileName } from '../../packages/server/src/registry/local-registry.ts';

/** Changes the database of a service that runs in this process, in one transaction, and returns what the change does. */
export async function changeDatabase<Result>(
  { dataFolder }: { readonly dataFolder: string },
  change: (database: DatabaseSync) => Result,
): Promise<Result> {
  const database = new DatabaseSync(join(dataFolder, databaseFileName), { timeout: 0 });
  try {
    await begin(database);
    const result = change(database);
    database.exec('COMMIT');
    return result;
  } finally {
    database.close();
  }
}

/** Waiting for the service's transaction without leaving the thread that it needs would wait forever. */
async function begin(database: DatabaseSync): Promise<void> {
  for (const deadline = performance.now() + 60_000; ; await sleep(20)) {
    try {
      database.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!/locked/.test((error as Error).message) || performance.now() > deadline) throw error;
    }
  }
}
