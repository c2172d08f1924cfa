import { dirname, join } from 'node:path';
import type { SharedBuckets } from '@countersign/gate';
import { lockFolder } from '@countersign/gate/folder-lock';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import type { Configuration } from '../configuration/load.ts';
import { DiskWatch, type FreeBytes } from '../health/disk-watch.ts';
import { whenStoresRespond } from '../lifecycle/store-wait.ts';
import { type ChangeSignal, openMemoryRegistry, type RegistryFollower } from '../registry/memory-registry.ts';
import { databaseFileName } from '../registry/registry-place.ts';
import { registryChannel } from '../registry/store/changes.ts';
import { openGuard } from '../replay/open-guard.ts';
import { connectDatabase, type DatabasePlace, openDatabase } from '../storage/database.ts';
import { nodeConnections } from '../storage/node-connections.ts';
import type { RedisConnection } from '../storage/redis/redis-connection.ts';
import type { Database } from '../storage/transaction.ts';
import { closeAll, type Closers } from './closers.ts';
import { windowOf } from './decision.ts';
import type { Ground } from './ground.ts';
import type { Stores } from './parts.ts';

/** Options for opening the stores. */
export interface OpenStoresOptions {
  /** Receives every change of the registry. */
  readonly follower: RegistryFollower | undefined;
  /** Returns the free space of a disk; tests simulate a full one. */
  readonly freeBytes: FreeBytes | undefined;
  /** Interrupts the opening. */
  readonly interruption: AbortSignal | undefined;
}

/** Opens storage, registry and guard, and adds a closer for each. Waits while PostgreSQL or Redis is unavailable. */
export function openStores(
  settings: Configuration,
  ground: Ground,
  options: OpenStoresOptions,
  closers: Closers,
): Promise<Stores> {
  const { interruption } = options;
  const openOnce = async (): Promise<Stores> => {
    const opened: Closers = [];
    try {
      const stores = await openNow(settings, ground, options, opened);
      interruption?.throwIfAborted();
      closers.push(...opened);
      return stores;
    } catch (error) {
      // The operator needs the first error, not one from closing.
      await closeAll(opened).catch(() => undefined);
      throw error;
    }
  };
  const { logger } = ground;
  return whenStoresRespond(openOnce, { secondsMax: settings.startSecondsMax, logger, interruption });
}

async function openNow(
  settings: Configuration,
  { nowMs, monotonicMs, logger, times }: Ground,
  { follower, freeBytes }: OpenStoresOptions,
  closers: Closers,
): Promise<Stores> {
  const database = await openStorage(settings, closers);
  const ownConnections = await openOwnConnections(settings, closers);
  const lookDatabase = ownConnections ?? (await openLookConnection(settings, closers));
  const addedPermissions = { ...settings.routing?.permissions, ...settings.permissions };
  const registry = await openMemoryRegistry({
    database,
    lookDatabase,
    monotonicNowMs: monotonicMs,
    wallNowMs: nowMs,
    changeSignal: await changeSignal(settings),
    addedPermissions,
    follower,
    onLook: (durationMs, isFailed) => times.database.note(durationMs, isFailed),
    onError: (error) => logger.error({ error }, 'the registry could not be read'),
  });
  closers.push(() => registry.close());
  const guard = await openGuard(settings, {
    database: ownConnections ?? database,
    window: windowOf(settings),
    nowMs,
    monotonicMs,
    logger,
    openBuckets,
  });
  closers.push(() => guard.close());
  const disk = await DiskWatch.start(writtenFolders(settings), freeBytes);
  closers.push(() => disk.close());
  return { database, registry, guard, disk, addedPermissions };
}

/** Opens the rate limits that all nodes share. Loads the code for Redis only when it is used. */
async function openBuckets(connection: RedisConnection): Promise<SharedBuckets> {
  const { RedisBuckets } = await import('../limits/redis-buckets.ts');
  return new RedisBuckets(connection);
}

/** Opens the database, and locks the data folder if it stores anything there. */
async function openStorage(settings: Configuration, closers: Closers): Promise<Database> {
  const { dataFolder } = settings;
  if (usesDataFolder(settings)) {
    makeDataFolder(dataFolder);
    const lock = lockFolder(dataFolder, 'start this one with another COUNTERSIGN_DATA_FOLDER');
    closers.push(() => lock.release());
  }
  const database = await openDatabase({
    ...databasePlace(settings),
    poolMax: settings.databaseConnectionsMax,
    connectTimeoutMs: settings.databaseConnectTimeoutMs,
    statementTimeoutMs: settings.databaseStatementTimeoutMs,
  });
  closers.push(() => database.destroy());
  return database;
}

/** Returns the folders that this node writes to, with their contents. */
function writtenFolders(settings: Configuration): ReadonlyMap<string, string> {
  const { logFile, dataFolder } = settings;
  return new Map([
    ...(logFile === '' ? [] : [[dirname(logFile), 'log'] as const]),
    ...(usesDataFolder(settings) ? [[dataFolder, 'data folder'] as const] : []),
  ]);
}

/** Returns true if this node stores anything in its data folder. */
export function usesDataFolder({ databaseUrl, guard }: Configuration): boolean {
  return databaseUrl === undefined || guard === 'memory';
}

/** Returns the location of the database, according to the settings. */
export function databasePlace({ databaseUrl, dataFolder }: Configuration): DatabasePlace {
  return databaseUrl === undefined
    ? { file: join(dataFolder, databaseFileName) }
    : { url: databaseUrl.reveal() };
}

/**
 * Opens the connections on which every request depends: for reading the registry, and for the guard's mark.
 * They are separate from the API's, so that one client's slow statements cannot cause rejections for all.
 * Undefined if the database is not a server.
 */
async function openOwnConnections(
  { databaseUrl, databaseConnectTimeoutMs, databaseStatementTimeoutMs }: Configuration,
  closers: Closers,
): Promise<Database | undefined> {
  if (databaseUrl === undefined) return undefined;
  const { connectPostgres, lockTimeoutFor } = await import('../storage/postgres-database.ts');
  const database = connectPostgres({
    url: databaseUrl.reveal(),
    connectionsMax: nodeConnections.registry,
    applicationName: 'countersign registry',
    connectTimeoutMs: databaseConnectTimeoutMs,
    statementTimeoutMs: databaseStatementTimeoutMs,
    lockTimeoutMs: lockTimeoutFor(databaseStatementTimeoutMs),
  });
  closers.push(() => database.destroy());
  return database;
}

/**
 * Opens the connection to the database file on which the registry is read. A change of many clients occupies
 * the other connection for seconds, and the registry would be out of date meanwhile.
 */
async function openLookConnection(settings: Configuration, closers: Closers): Promise<Database> {
  const database = await connectDatabase(databasePlace(settings), 'countersign registry');
  closers.push(() => database.destroy());
  return database;
}

/** Opens the channel on which other nodes announce changes immediately; undefined if there is none. */
async function changeSignal({ databaseUrl }: Configuration): Promise<ChangeSignal | undefined> {
  if (databaseUrl === undefined) return undefined;
  const { PostgresListener } = await import('../storage/postgres-listener.ts');
  return new PostgresListener({ url: databaseUrl.reveal(), channel: registryChannel });
}

/** Creates the data folder if it is missing. */
export function makeDataFolder(dataFolder: string): void {
  try {
    makePrivateFolder(dataFolder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The data folder ${dataFolder} cannot be created (${code}): choose another one with COUNTERSIGN_DATA_FOLDER.`,
      { cause: error },
    );
  }
}
