import { dirname, join } from 'node:path';
import type { DeploymentPermissions } from '@countersign/contract';
import type { DecisionMeans, Registry, SharedBuckets } from '@countersign/gate';
import { lockFolder } from '@countersign/gate/folder-lock';
import { makePrivateFolder } from '@countersign/gate/private-folder';
import type { AsyncReplayGuard } from '@countersign/signature/node';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration/load.ts';
import { databaseFileName } from '../registry/registry-place.ts';
import { type ChangeSignal, openMemoryRegistry, type RegistryFollower } from '../registry/memory-registry.ts';
import { registryChannel } from '../registry/store/changes.ts';
import { type OpenGuard, openGuard } from '../replay/open-guard.ts';
import { connectDatabase, type DatabasePlace, openDatabase } from '../storage/database.ts';
import { nodeConnections } from '../storage/node-connections.ts';
import type { RedisConnection } from '../storage/redis/redis-connection.ts';
import type { Database } from '../storage/transaction.ts';
import { whenStoresRespond } from '../lifecycle/store-wait.ts';
import { DiskWatch, type FreeBytes } from '../health/disk-watch.ts';
import type { PartTimes } from '../telemetry/part-times.ts';

/** Functions that close open parts, in the order of opening. */
export type Closers = (() => Promise<void> | void)[];

/** Closes everything, last opened first. A failure does not stop the others from closing; the first one is thrown. */
export async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** The parts without which the service cannot decide. */
export interface OpenParts {
  readonly database: Database;
  readonly registry: Registry;
  readonly guard: OpenGuard;
  /** Everything that the checks need. */
  readonly decision: DecisionMeans;
  readonly disk: DiskWatch;
  /** The permissions that this deployment adds, for its own purposes and for the routes of a protected API. */
  readonly addedPermissions: DeploymentPermissions;
}

/** The clocks, and replacements and wrappers for tests. */
export interface OpenPartsOptions {
  /** The wall clock, in milliseconds. */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Receives every change of the registry. */
  readonly follower?: RegistryFollower | undefined;
  readonly wrapGuard?: ((guard: OpenGuard) => AsyncReplayGuard) | undefined;
  /** Returns the free space of a disk; tests simulate a full one. */
  readonly freeBytes?: FreeBytes | undefined;
  readonly logger: Logger;
  /** Interrupts the opening. */
  readonly interruption?: AbortSignal | undefined;
  /** Durations of the parts. */
  readonly times: PartTimes;
}

/** Opens storage, registry and guard, and adds a closer for each. Waits while PostgreSQL or Redis is unavailable. */
export function openParts(
  settings: Configuration,
  options: OpenPartsOptions,
  closers: Closers,
): Promise<OpenParts> {
  const openOnce = async (): Promise<OpenParts> => {
    const opened: Closers = [];
    try {
      const parts = await openNow(settings, options, opened);
      options.interruption?.throwIfAborted();
      closers.push(...opened);
      return parts;
    } catch (error) {
      // The operator needs the first error, not one from closing.
      await closeAll(opened).catch(() => undefined);
      throw error;
    }
  };
  const { logger, interruption } = options;
  return whenStoresRespond(openOnce, { secondsMax: settings.startSecondsMax, logger, interruption });
}

async function openNow(
  settings: Configuration,
  { nowMs, monotonicMs, follower, wrapGuard, freeBytes, logger, times }: OpenPartsOptions,
  closers: Closers,
): Promise<OpenParts> {
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
  const window = {
    maxAgeSeconds: settings.createdMaxAgeSeconds,
    maxFutureSeconds: settings.createdMaxFutureSeconds,
    maxDateDifferenceSeconds: settings.dateMaxDifferenceSeconds,
  };
  const guardParts = {
    database: ownConnections ?? database,
    window,
    nowMs,
    monotonicMs,
    logger,
    openBuckets,
  };
  const guard = await openGuard(settings, guardParts);
  closers.push(() => guard.close());
  const disk = await DiskWatch.start(writtenFolders(settings), freeBytes);
  closers.push(() => disk.close());
  const rules = { window, nonce: settings.nonce };
  const decision = {
    registry,
    guard: measuredGuard(wrapGuard?.(guard) ?? guard, times),
    rules,
    modulusBitsMax: settings.rsaModulusBitsMax,
  };
  return { database, registry, guard, decision, disk, addedPermissions };
}

/** Opens the rate limits that all nodes share. Loads the code for Redis only when it is used. */
async function openBuckets(connection: RedisConnection): Promise<SharedBuckets> {
  const { RedisBuckets } = await import('../limits/redis-buckets.ts');
  return new RedisBuckets(connection);
}

/** Measures each use of the guard. */
function measuredGuard(guard: AsyncReplayGuard, times: PartTimes): AsyncReplayGuard {
  return {
    use: (signature, nowSeconds) => times.measure(times.guard, () => guard.use(signature, nowSeconds)),
  };
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
      `The data folder ${dataFolder} cannot be made (${code}): choose another one with COUNTERSIGN_DATA_FOLDER.`,
      { cause: error },
    );
  }
}
