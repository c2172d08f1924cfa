import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join, dirname } from 'node:path';
import type { Configuration } from '../configuration/load.ts';
import { simpleName } from '../configuration/routing-settings.ts';
import { checkIdentityProvider, checkMailServer } from '../people/identity/identity.ts';
import { usesDataFolder } from './open-stores.ts';
import { databaseFileName } from '../registry/registry-place.ts';
import { checkDatabase } from '../storage/database.ts';
import { checkStreams } from '../webhooks/streams/check-streams.ts';

/**
 * Tests everything that a configuration names, without changing anything: the folders, files and stores that a
 * start needs, and the servers that the service uses later.
 *
 * @returns one sentence for each mistake
 */
export async function checkStart(configuration: Configuration): Promise<readonly string[]> {
  const checks: Readonly<Record<string, () => Promise<unknown> | void>> = {
    COUNTERSIGN_LOG_FILE: () => checkLogFile(configuration),
    COUNTERSIGN_DATA_FOLDER: () => checkDataFolder(configuration),
    COUNTERSIGN_DATABASE_URL: () => checkDatabaseUrl(configuration),
    COUNTERSIGN_REDIS_URL: () => checkRedis(configuration),
    COUNTERSIGN_MAIL_URL: () => checkMailServer(configuration),
    COUNTERSIGN_OIDC_ISSUER: () => checkIdentityProvider(configuration),
  };
  const found = Object.entries(checks).map(async ([setting, check]) => {
    try {
      await check();
      return [];
    } catch (error) {
      return [`${setting}: ${(error as Error).message}`];
    }
  });
  const { streams } = configuration;
  return (await Promise.all([...found, checkUpstreams(configuration), checkStreams(streams)])).flat();
}

function checkLogFile({ logFile }: Configuration): void {
  if (logFile !== '') checkWritable(logFile, 'file');
}

async function checkDataFolder(configuration: Configuration): Promise<void> {
  if (!usesDataFolder(configuration)) return;
  const { dataFolder, databaseUrl } = configuration;
  checkWritable(dataFolder, 'folder');
  const file = join(dataFolder, databaseFileName);
  if (databaseUrl !== undefined || !existsSync(file)) return;
  checkWritable(file, 'file');
  await checkDatabase({ file });
}

/** Throws unless a file or folder is writable, or can be created if it is missing. */
function checkWritable(path: string, kind: 'file' | 'folder'): void {
  const isThere = existsSync(path);
  const tried = isThere ? path : nearestFolder(path);
  const isFolder = statSync(tried).isDirectory();
  if (isFolder !== (kind === 'folder' || !isThere))
    throw new Error(`${tried} is not a ${isThere ? kind : 'folder'}.`);
  try {
    accessSync(
      tried,
      isFolder ? constants.R_OK | constants.W_OK | constants.X_OK : constants.R_OK | constants.W_OK,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `${tried} cannot be written (${code}): chown it to the user of the service, or choose another one.`,
      { cause: error },
    );
  }
}

function nearestFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? folder : nearestFolder(folder);
}

async function checkDatabaseUrl({ databaseUrl }: Configuration): Promise<void> {
  if (databaseUrl !== undefined) await checkDatabase({ url: databaseUrl.reveal() });
}

/** Opens a connection to each address of each upstream. */
async function checkUpstreams({ routing, upstream }: Configuration): Promise<readonly string[]> {
  if (routing === undefined || routing.upstreams.length === 0) return [];
  const { checkUpstream } = await import('@countersign/gate/upstream-check');
  const found = routing.upstreams.map(async (settings) => {
    const isOnlyOne = upstream !== undefined && settings.name === simpleName;
    const place = isOnlyOne ? 'COUNTERSIGN_UPSTREAM' : `COUNTERSIGN_UPSTREAMS: ${settings.name}`;
    return (await checkUpstream(settings)).map((mistake) => `${place}: ${mistake}`);
  });
  return (await Promise.all(found)).flat();
}

async function checkRedis({ redisUrl, allowRedisWithoutAppendOnlyFile }: Configuration): Promise<void> {
  if (redisUrl === undefined) return;
  const { RedisConnection } = await import('../storage/redis/redis-connection.ts');
  const connection = new RedisConnection({
    url: redisUrl.reveal(),
    allowWithoutAppendOnlyFile: allowRedisWithoutAppendOnlyFile,
  });
  try {
    await connection.open();
  } finally {
    connection.close();
  }
}
