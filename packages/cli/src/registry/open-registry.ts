import type * as LocalRegistryModule from '@countersign/server/local-registry';
import { resolve } from 'node:path';
import { CommandError, usageError } from '../exits.ts';
import type { Io } from '../terminal/io.ts';
import { serverNotInstalled } from './server-not-installed.ts';

export type MoveProgress = LocalRegistryModule.MoveProgress;

export const registryOptions = {
  data: {
    type: 'string',
    placeholder: 'FOLDER',
    help: 'The data folder of the service. Default: the database of COUNTERSIGN_DATABASE_URL, or ./data.',
  },
} as const;

export interface RegistryToOpen {
  readonly data: string | undefined;
  readonly createIfMissing?: boolean;
}

/** Opens this machine's registry for one piece of work and always closes it. */
export async function withRegistry<Result>(
  { data, createIfMissing = false }: RegistryToOpen,
  io: Io,
  work: (registry: LocalRegistryModule.LocalRegistry) => Promise<Result>,
): Promise<Result> {
  const place = placeOf(data, io);
  return withModule(async ({ openLocalRegistry }) => {
    const registry = await openLocalRegistry({ ...place, createIfMissing, keyPolicy: keyPolicy(io) });
    try {
      return await work(registry);
    } finally {
      await registry.close();
    }
  });
}

/** Copies a data folder's database to a new file. Returns the size of the copy in bytes. */
export async function backUpRegistry(data: string | undefined, copy: string, io: Io): Promise<number> {
  const place = placeOf(data, io);
  if ('databaseUrl' in place)
    throw usageError(
      "COUNTERSIGN_DATABASE_URL is set: use PostgreSQL's own pg_dump. To back up a data folder instead, pass --data FOLDER.",
    );
  return withModule((registry) => registry.backUpRegistry(place.dataFolder, resolve(io.folder, copy)));
}

/** Moves everything that a service has stored to another place: PostgreSQL, or a data folder. */
export async function moveRegistry(
  data: string | undefined,
  to: string,
  onProgress: LocalRegistryModule.RegistryMove['onProgress'],
  io: Io,
): Promise<LocalRegistryModule.MovedRows[]> {
  const from = placeOf(data, io);
  const target = /^postgres(?:ql)?:/.test(to)
    ? { databaseUrl: urlOf(to) }
    : { dataFolder: resolve(io.folder, to) };
  if ('databaseUrl' in from && 'databaseUrl' in target)
    throw usageError('Both places are PostgreSQL databases: use pg_dump and pg_restore.');
  if ('dataFolder' in from && 'dataFolder' in target) {
    throw usageError(
      'Both places are data folders: stop the service and move the folder. For PostgreSQL, pass a URL such as ' +
        'postgresql://user@host/database.',
    );
  }
  return withModule((registry) => registry.moveRegistry({ from, to: target, onProgress }));
}

/** Messages never include the URL, because it may contain a password. */
function urlOf(text: string): string {
  if (URL.canParse(text)) return text;
  throw usageError('--to must be a URL such as postgresql://user@host:5432/database, or a data folder.');
}

/** Turns the registry's errors into CommandErrors. */
async function withModule<Result>(
  work: (registry: typeof LocalRegistryModule) => Promise<Result>,
): Promise<Result> {
  const registry = await loadRegistry();
  try {
    return await work(registry);
  } catch (error) {
    if (error instanceof registry.RegistryError || error instanceof registry.StorageError) {
      throw new CommandError('local', error.code, error.message);
    }
    throw error;
  }
}

/**
 * Follows the service's own order: an explicit folder, then a configured database, then a configured or default
 * folder.
 */
function placeOf(data: string | undefined, { environment, folder }: Io): LocalRegistryModule.RegistryPlace {
  const databaseUrl = environment['COUNTERSIGN_DATABASE_URL'];
  if (data === undefined && databaseUrl) return { databaseUrl };
  return { dataFolder: resolve(folder, data ?? (environment['COUNTERSIGN_DATA_FOLDER'] || 'data')) };
}

async function loadRegistry(): Promise<typeof LocalRegistryModule> {
  try {
    return await import('@countersign/server/local-registry');
  } catch (error) {
    throw serverNotInstalled(error);
  }
}

/** The service's own two settings, so that any key it would accept can be registered here. */
function keyPolicy(io: Io): { modulusBitsMax?: number; allowPublishedTestKeys?: boolean } {
  const { COUNTERSIGN_RSA_MODULUS_BITS_MAX: bits, COUNTERSIGN_ALLOW_PUBLISHED_TEST_KEYS: allow } =
    io.environment;
  if (bits !== undefined && !/^\d{4}$/.test(bits)) {
    throw usageError('COUNTERSIGN_RSA_MODULUS_BITS_MAX must be a whole number from 2048 to 8192.');
  }
  return {
    ...(bits !== undefined && { modulusBitsMax: Number(bits) }),
    allowPublishedTestKeys: allow === 'yes' || allow === 'true',
  };
}
