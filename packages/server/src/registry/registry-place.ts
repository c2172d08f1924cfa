import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../storage/database.ts';
import type { Database } from '../storage/transaction.ts';
import { RegistryError } from './registry-error.ts';

/** The database's file name in the data folder. */
export const databaseFileName = 'countersign.sqlite';

/** The registry's location: a data folder or a PostgreSQL database. */
export type RegistryPlace = { readonly dataFolder: string } | { readonly databaseUrl: string };

/** Opens the database of a registry. Throws `RegistryError` if there is none, unless it may be created. */
export async function openPlace(
  place: RegistryPlace & { readonly createIfMissing?: boolean },
): Promise<Database> {
  // Waits, because an operator would rather wait than retry.
  if ('databaseUrl' in place)
    return openDatabase({ url: place.databaseUrl, poolMax: 2, connectTimeoutMs: 5000 });
  const { dataFolder, createIfMissing = false } = place;
  const file = createIfMissing ? join(dataFolder, databaseFileName) : existingDatabaseFile(dataFolder);
  return openDatabase({ file });
}

/** Returns the path of a data folder's database. Throws `RegistryError` if there is none. */
export function existingDatabaseFile(dataFolder: string): string {
  const file = join(dataFolder, databaseFileName);
  if (existsSync(file)) return file;
  throw new RegistryError(
    'registry_missing',
    `There is no registry in ${dataFolder}: specify the service's data folder, or start the service once.`,
  );
}
