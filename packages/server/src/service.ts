import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { NetworkWhitelist } from '@countersign/contract';
import type { AsyncReplayGuard } from '@countersign/signature/node';
import type { Logger } from 'pino';
import {
  accept,
  type AccessChecks,
  type AccessDependencies,
  admit,
  BaseUrls,
  type ClientAddress,
  clientAddress,
  createLimits,
  createListener,
  type ListenerLimits,
  profileListenerLimits,
  type Registry,
  type Unparsable,
} from '@countersign/gate';
import { complete, type Configuration } from './configuration/load.ts';
import { Explainer } from './explaining/explainer.ts';
import { FailureExplanations } from './explaining/failure-explanations.ts';
import { createGateway, type GatewayParts } from './gateway.ts';
import { EventStreams } from './live/event-streams.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { logUnparsable } from './telemetry/request-record.ts';
import { RequestStore } from './telemetry/request-store.ts';
import { serviceHealthReader } from './telemetry/service-health.ts';
import { openTracing } from './telemetry/tracing.ts';
import { createPublicPages, type Health } from './pages/public-pages.ts';
import { openPeople, type OpenPeopleOptions } from './identity/open-people.ts';
import type { People } from './identity/people.ts';
import { openPortalFiles, type PortalFiles } from './pages/portal-files.ts';
import { databaseFileName } from './registry/local-registry.ts';
import { type ChangeSignal, openMemoryRegistry } from './registry/memory-registry.ts';
import { registryChannel } from './registry/store.ts';
import { startUpkeep } from './registry/upkeep.ts';
import { lockFolder } from './replay/folder-lock.ts';
import { type OpenGuard, openGuard } from './replay/open-guard.ts';
import { connectionFigures } from './storage/connection-figures.ts';
import { openDatabase } from './storage/database.ts';
import type { Database } from './storage/transaction.ts';
import { type Api, createApi } from './api/api.ts';

/** What a test may put in the place of the real thing. */
export interface ServiceOverrides {
  /** The wall clock in milliseconds. */
  readonly nowMs?: () => number;
  /** Milliseconds that never go back. */
  readonly monotonicMs?: () => number;
  readonly limits?: ListenerLimits;
  /** Wraps the guard, for outages that no test can cause otherwise. */
  readonly wrapGuard?: (guard: OpenGuard) => AsyncReplayGuard;
  /** Wraps the database of the API alone, for outages that no test can cause otherwise. */
  readonly wrapApiDatabase?: (database: Database) => Database;
  /** How often the request log is written. */
  readonly requestLogEveryMs?: number;
  /** Other checks, for a benchmark of what ours cost. */
  readonly checks?: AccessChecks;
  /** Another API, for a benchmark without one. */
  readonly api?: Api;
}

/** What closes what is open, in the order in which it was opened. */
type Closers = (() => Promise<void> | void)[];

/** A service that listens. */
export interface Service {
  readonly configuration: Configuration;
  /** The address to connect to, `http://host:port`. */
  readonly address: string;
  /** Where the metrics are served, `http://host:port`; undefined when they are not. */
  readonly metricsAddress: string | undefined;
  /** The people who sign in; undefined where there is no portal. */
  readonly people: People | undefined;
  /** Reads the registry now, for changes of another process that must count at once. Normally it is followed. */
  readRegistry(): Promise<void>;
  /**
   * Stops cleanly: no new request, the running ones finish (for `stopSecondsMax` at most), then the guard's memory is
   * kept for the next start. Resolves when everything is closed; called again, it gives the same promise.
   */
  stop(): Promise<void>;
}

/**
 * Starts the service: opens the data folder, reads the registry, listens. Rejects, with everything closed again, when
 * the folder is in use, the storage cannot be read or the port is taken.
 */
export async function startService(
  settings: Configuration,
  logger: Logger,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  const closers: Closers = [];
  try {
    return await start(settings, logger, overrides, closers);
  } catch (error) {
    // What failed first is what the operator must know.
    await closeAll(closers).catch(() => undefined);
    throw error;
  }
}

async function start(
  settings: Configuration,
  logger: Logger,
  overrides: ServiceOverrides,
  closers: Closers,
): Promise<Service> {
  const {
    nowMs = Date.now,
    monotonicMs = () => performance.now(),
    limits = profileListenerLimits,
  } = overrides;
  const { database, registry, guard, access } = await openParts(settings, logger, overrides, closers);
  const baseUrls = (): readonly string[] => configuration.publicBaseUrls;
  let stopping = false;
  const isStopping = (): boolean => stopping;
  const health = (): Health => healthOf(stopping, guard, registry);
  const shared = { configuration: () => configuration, database, nowMs, logger, isStopping };
  const onAnswered = (outcome: string, ms: number): void => metrics?.answered(outcome, ms);
  const people = openPortalPeople(settings, closers, { ...shared, onAnswered });
  const parts = { database, registry, access, people, baseUrls, health, nowMs, logger, overrides };
  const { api, eventStreams, ...kept } = openApi(settings, parts, closers);
  const figures = { database, registry, guard, ...kept, logger };
  const served = await openMetrics(settings, figures, closers);
  const metrics = served?.metrics;
  // The listener is made before the port is known, and the base URLs may follow from the port. No request is read
  // before this function gives way again.
  const server = createListener(
    (request, response, expectsContinue) => gateway(request, response, expectsContinue),
    () => configuration.problemTypeBase,
    limits,
    noteUnparsable(logger, metrics),
  );
  const port = await listen(server, settings, logger);
  const configuration = complete(settings, port);
  const trustedProxies = NetworkWhitelist.fromTexts(settings.trustedProxies);
  const answerPages = createPublicPages(health, configuration.publicBaseUrls, portalFiles(settings));
  const gateway = createGateway({
    ...access,
    ...createLimits(settings, trustedProxies, monotonicMs, guard.buckets),
    checks: overrides.checks ?? { admit, accept },
    registry,
    api: overrides.api ?? api,
    ...kept,
    shownQueryParameters: new Set(settings.shownQueryParameters),
    metrics,
    tracing: openTracing(),
    baseUrls: new BaseUrls(configuration.publicBaseUrls),
    trustedProxies,
    bodyBytesMax: settings.bodyBytesMax,
    problemTypeBase: configuration.problemTypeBase,
    nowMs,
    logger,
    sessions: people && { people, database },
    answerPublic: withPeople(answerPages, people, trustedProxies),
    isStopping,
  });
  closers.push(
    () => closeServer(server, settings.stopSecondsMax * 1000),
    // They would go on for as long as somebody listens.
    () => eventStreams.close(),
  );
  return {
    configuration,
    address: `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    metricsAddress: served?.address,
    people,
    readRegistry: () => registry.refresh(),
    stop: onlyOnce(async () => {
      stopping = true;
      await closeAll(closers);
    }),
  };
}

function healthOf(isStopping: boolean, guard: OpenGuard, registry: Registry): Health {
  if (isStopping) return { ready: false, reason: 'the service is stopping' };
  if (guard.isReady === false) return { ready: false, reason: 'the replay guard cannot be asked' };
  return registry.isFresh() ? { ready: true } : { ready: false, reason: 'the registry is out of date' };
}

/** Gives the port that was taken. */
async function listen(server: Server, { port, host }: Configuration, logger: Logger): Promise<number> {
  server.listen({ port, host });
  await once(server, 'listening');
  // For example when the system has no descriptors left for one more connection.
  server.on('error', (error) => logger.error({ error }, 'a connection could not be accepted'));
  return (server.address() as AddressInfo).port;
}

/** Those who sign in to the portal; undefined where there is none. */
function openPortalPeople(
  settings: Configuration,
  closers: Closers,
  options: Omit<OpenPeopleOptions, 'settings'>,
): People | undefined {
  if (!settings.portal) return undefined;
  const people = openPeople({ ...options, settings });
  closers.push(() => people.close());
  return people;
}

function noteUnparsable(logger: Logger, metrics: Metrics | undefined): (unparsable: Unparsable) => void {
  return (unparsable) => {
    logUnparsable(logger, unparsable);
    metrics?.answered(unparsable.code, undefined);
  };
}

/** What needs no signature: the pages, and what the portal says to sign people in. */
function withPeople(
  answerPages: GatewayParts['answerPublic'],
  people: People | undefined,
  trustedProxies: NetworkWhitelist,
): GatewayParts['answerPublic'] {
  if (people === undefined) return answerPages;
  const sourceOf = (request: IncomingMessage): ClientAddress => clientAddress(request, trustedProxies);
  return (request, response) => answerPages(request, response) || people.answer(request, response, sourceOf);
}

function portalFiles({ portal }: Configuration): PortalFiles | undefined {
  return portal ? openPortalFiles() : undefined;
}

interface Parts {
  readonly database: Database;
  readonly registry: Registry;
  readonly guard: OpenGuard;
  readonly access: AccessDependencies;
}

/** Opens storage, registry and guard. What is to be closed again is added to the closers one by one. */
async function openParts(
  settings: Configuration,
  logger: Logger,
  overrides: ServiceOverrides,
  closers: Closers,
): Promise<Parts> {
  const { nowMs = Date.now, monotonicMs = () => performance.now() } = overrides;
  const database = await openStorage(settings, closers);
  const ownConnections = await openOwnConnections(settings, closers);
  const registry = await openMemoryRegistry({
    database,
    lookDatabase: ownConnections,
    monotonicNowMs: monotonicMs,
    wallNowMs: nowMs,
    changeSignal: await changeSignal(settings),
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
  const access = { registry, guard: overrides.wrapGuard?.(guard) ?? guard, rules };
  return { database, registry, guard, access };
}

/** What the metrics are read from. */
interface OpenParts extends Omit<Parts, 'access'> {
  readonly requestStore: RequestStore;
  readonly explanations: FailureExplanations;
  readonly logger: Logger;
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

/** The thread that explains; it is closed after all who use it. */
function openExplainer(logger: Logger, closers: Closers): Explainer {
  const explainer = new Explainer({
    onError: (error) => logger.error({ error }, 'a request could not be explained'),
  });
  closers.push(() => explainer.close());
  return explainer;
}

/** What explains refused requests by that thread. */
function openExplanations(
  { shownQueryParameters }: Configuration,
  parts: ApiParts & { readonly explainer: Explainer; readonly requestStore: RequestStore },
  closers: Closers,
): FailureExplanations {
  const { database, registry, access, baseUrls, explainer, requestStore } = parts;
  const explanations = new FailureExplanations({
    database,
    registry,
    explainer,
    baseUrls,
    rules: access.rules,
    shownQueryParameters: new Set(shownQueryParameters),
    keep: (row) => requestStore.addExplanation(row),
    monotonicMs: () => performance.now(),
  });
  closers.push(() => explanations.close());
  return explanations;
}

/** What the API and what works for it are made of. */
interface ApiParts extends Omit<Parts, 'guard'> {
  readonly people: People | undefined;
  readonly baseUrls: () => readonly string[];
  readonly health: () => Health;
  readonly nowMs: () => number;
  readonly logger: Logger;
  readonly overrides: ServiceOverrides;
}

/** The API, and what works for it in the background. */
interface OpenedApi {
  readonly api: Api;
  readonly requestStore: RequestStore;
  readonly explanations: FailureExplanations;
  readonly eventStreams: EventStreams;
}

/** The API that is built in, with what works for it in the background. */
function openApi(settings: Configuration, parts: ApiParts, closers: Closers): OpenedApi {
  const { database, registry, access, people, baseUrls, health, nowMs, logger, overrides } = parts;
  const { wrapApiDatabase, requestLogEveryMs } = overrides;
  const followChange = (): Promise<void> => registry.followChange();
  const explainer = openExplainer(logger, closers);
  const requestStore = new RequestStore({
    database,
    registry,
    nowMs,
    onError: (error) => logger.error({ error }, 'the request log cannot be written'),
    ...(requestLogEveryMs !== undefined && { writeEveryMs: requestLogEveryMs }),
  });
  closers.push(() => requestStore.close());
  const upkeep = startUpkeep({
    database,
    nowMs,
    followChange,
    onError: (error) => logger.error({ error }, 'the upkeep of the registry failed'),
  });
  closers.push(() => upkeep.close());
  const explanations = openExplanations(settings, { ...parts, explainer, requestStore }, closers);
  const eventStreams = new EventStreams({
    database,
    nowMs,
    onError: (error) => logger.error({ error }, 'news of an account could not be read'),
  });
  const api = createApi({
    database: wrapApiDatabase?.(database) ?? database,
    paymentsCompleteAfterSeconds: settings.paymentsCompleteAfterSeconds,
    keyPolicy: {
      modulusBitsMax: settings.rsaModulusBitsMax,
      allowPublishedTestKeys: settings.allowPublishedTestKeys,
    },
    followChange,
    explaining: {
      explain: (task, owner) => explainer.run(task, owner),
      options: () => ({ ...access.rules, baseUrls: baseUrls() }),
    },
    health: serviceHealthReader({
      settings,
      mail: people?.mail ?? 'folder',
      startedAtMs: nowMs(),
      health,
      registryFigures: () => registry.figures(),
      requestStore,
      explanations,
    }),
    eventStreams,
    people,
  });
  return { api, requestStore, explanations, eventStreams };
}

/** The figures of the node, when there is a port for them. */
async function openMetrics(
  { metricsHost: host, metricsPort: port }: Configuration,
  { database, registry, guard, requestStore, explanations, logger }: OpenParts,
  closers: Closers,
): Promise<{ readonly metrics: Metrics; readonly address: string } | undefined> {
  if (port === undefined) return undefined;
  const { Metrics } = await import('./telemetry/metrics.ts');
  const { listenForMetrics } = await import('./telemetry/metrics-listener.ts');
  const metrics = new Metrics({
    guard,
    registryFigures: () => registry.figures(),
    requestStore,
    explanationFigures: () => explanations.figures,
    connectionFigures: () => connectionFigures(database),
  });
  closers.push(() => metrics.close());
  const listener = await listenForMetrics(metrics, { host, port, logger });
  closers.push(() => listener.close());
  return { metrics, address: listener.address };
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

/** Lets the running requests finish, and closes each connection that has nothing more to do. */
async function closeServer(server: Server, waitMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A connection that was busy until now, for example with a health check, would otherwise be kept for the next request.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), waitMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}

/** Closes everything, the last opened first. One that fails does not keep the others open; the first failure is thrown. */
async function closeAll(closers: Readonly<Closers>): Promise<void> {
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

/** A function whose work is done once; further calls get the same promise. */
function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let promise: Promise<void> | undefined;
  return () => (promise ??= work());
}
