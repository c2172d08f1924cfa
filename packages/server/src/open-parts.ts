import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DecisionMeans, Registry } from '@countersign/gate';
import type { AsyncReplayGuard } from '@countersign/signature/node';
import type { Logger } from 'pino';
import type { Configuration } from './configuration/load.ts';
import { databaseFileName } from './registry/local-registry.ts';
import { type ChangeSignal, openMemoryRegistry } from './registry/memory-registry.ts';
import { registryChannel } from './registry/store/changes.ts';
import { lockFolder } from './replay/folder-lock.ts';
import { type OpenGuard, openGuard } from './replay/open-guard.ts';
import { openDatabase } from './storage/database.ts';
import type { Database } from './storage/transaction.ts';

/** What closes what is open, in the order in which it was opened. */
export type Closers = (() => Promise<void> | void)[];

/** What a service cannot decide without. */
export interface OpenParts {
  readonly database: Database;
  readonly registry: Registry;
  readonly guard: OpenGuard;
  /** What the checks ask. */
  readonly decision: DecisionMeans;
}

/** The clocks, and what a test may put around the guard. */
export interface OpenPartsOptions {
  /** The wall clock in milliseconds. */
  readonly nowMs: () => number;
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
  readonly wrapGuard?: ((guard: OpenGuard) => AsyncReplayGuard) | undefined;
  readonly logger: Logger;
}

/** Opens storage, registry and guard, and adds what closes them to the closers one by one. */
export async function openParts(
  settings: Configuration,
  { nowMs, monotonicMs, wrapGuard, logger }: OpenPartsOptions,
  closers: Closers,
): Promise<OpenParts> {
  const database = await openStorage(settings, closers);
  const ownConnections = await openOwnConnections(settings, closers);
  const registry = await openMemoryRegistry({
    database,
    lookDatabase: ownConnections,
    monotonicNowMs: monotonicMs,
    wallNowMs: nowMs,
    changeSignal: await changeSignal(settings),
    addedPermissions: settings.permissions,
    onError: (error) => logger.error({ error }, 'the registry could not be read'),
  });
  closers.push(() => registry.close());
  const window = {
    maxAgeSeconds: settings.createdMaxAgeSeconds,
    maxFutureSeconds: settings.createdMaxFutureSeconds,
    maxDateDifferenceSeconds: settings.dateMaxDifferenceSeconds,
  };
  const guardParts = { database: ownConnections ?? database, window, nowMs, monotonicMs, logger };
  const guard = await openGuard(settings, guardParts);
  closers.push(() => guard.close());
  const rules = { window, nonce: settings.nonce };
  return { database, registry, guard, decision: { registry, guard: wrapGuard?.(guard) ?? guard, rules } };
}

/** Opens the database, and locks the data folder where something is kept in it. */
async function openStorage(settings: Configuration, closers: Closers): Promise<Database> {
  const { dataFolder, databaseUrl, databaseConnectionsMax } = settings;
  if (databaseUrl === undefined || settings.guard === 'memory') {
    makeFolder(dataFolder);
    const lock = lockFolder(dataFolder);
    closers.push(() => lock.release());
  }
  const database = await openDatabase(
    databaseUrl === undefined
      ? { file: join(dataFolder, databaseFileName) }
      : { url: databaseUrl.reveal(), poolMax: databaseConnectionsMax },
  );
  closers.push(() => database.destroy());
  return database;
}

/**
 * Connections on which every request depends: the looks at the registry, and the mark of the guard. Statements of the API
 * must not keep them waiting, or one client with slow ones would have the requests of all refused. Undefined where the
 * database is no server.
 */
async function openOwnConnections(
  { databaseUrl }: Configuration,
  closers: Closers,
): Promise<Database | undefined> {
  if (databaseUrl === undefined) return undefined;
  const { connectPostgres, usualTimeouts } = await import('./storage/postgres-database.ts');
  const database = connectPostgres({
    url: databaseUrl.reveal(),
    connectionsMax: 2,
    applicationName: 'countersign registry',
    ...usualTimeouts,
  });
  closers.push(() => database.destroy());
  return database;
}

/** What tells of changes by other nodes at once; undefined where there is nothing that does. */
async function changeSignal({ databaseUrl }: Configuration): Promise<ChangeSignal | undefined> {
  if (databaseUrl === undefined) return undefined;
  const { PostgresListener } = await import('./storage/postgres-listener.ts');
  return new PostgresListener({ url: databaseUrl.reveal(), channel: registryChannel });
}

function makeFolder(dataFolder: string): void {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The data folder ${dataFolder} cannot be made (${code}): choose another one with COUNTERSIGN_DATA_FOLDER.`,
      { cause: error },
    );
  }
}
