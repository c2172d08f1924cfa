import type * as LocalRegistryModule from '@countersign/server/local-registry';
import { resolve } from 'node:path';
import { CommandError, usageError } from '../command-error.ts';
import type { Io } from '../terminal/io.ts';

/** The options that name a registry. */
export const registryOptions = {
  data: {
    type: 'string',
    placeholder: 'FOLDER',
    help: 'The data folder of the service. Default: the database of COUNTERSIGN_DATABASE_URL, or ./data.',
  },
} as const;

/** How a registry is opened. */
export interface RegistryToOpen {
  readonly data: string | undefined;
  readonly createIfMissing?: boolean;
}

/** Opens the registry on this machine for one piece of work, and closes it again whatever comes of it. */
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

/** Copies the database of a data folder to a new file, as it is. Gives the size of the copy in bytes. */
export async function backUpRegistry(data: string | undefined, copy: string, io: Io): Promise<number> {
  const place = placeOf(data, io);
  if ('databaseUrl' in place)
    throw usageError(
      'COUNTERSIGN_DATABASE_URL is set, and PostgreSQL has a program for this: pg_dump. Give --data FOLDER for the database of a folder.',
    );
  return withModule((registry) => registry.backUpRegistry(place.dataFolder, resolve(io.folder, copy)));
}

/** Works with the registry of the service; its errors become those of a command. */
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

/** As the service finds it: a database that is set comes before the folder, and what is typed before both. */
function placeOf(data: string | undefined, { environment, folder }: Io): LocalRegistryModule.RegistryPlace {
  const databaseUrl = environment['COUNTERSIGN_DATABASE_URL'];
  if (data === undefined && databaseUrl) return { databaseUrl };
  return { dataFolder: resolve(folder, data ?? (environment['COUNTERSIGN_DATA_FOLDER'] || 'data')) };
}

/** The service is not a part of this package: it is there in the repository, and where somebody installed it. */
async function loadRegistry(): Promise<typeof LocalRegistryModule> {
  try {
    return await import('@countersign/server/local-registry');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The second is its name where it is installed from its package.
    if (code !== 'ERR_MODULE_NOT_FOUND' || !/'(@countersign\/server|countersign-server)'/.test(message))
      throw error;
    throw new CommandError(
      'local',
      'server_not_installed',
      'The commands clients, keys and backup work on the registry of a service on this machine, and the service is not installed ' +
        'beside this command. Install the package countersign-server beside it, or run them in the repository of the ' +
        'service: npx countersign clients list',
    );
  }
}

/** The same two settings as the service reads, so that what it would accept can be registered here. */
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
