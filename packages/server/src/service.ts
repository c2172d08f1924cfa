import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { NetworkWhitelist } from '@countersign/contract';
import {
  attach,
  type Attachment,
  BaseUrls,
  type ClientMeans,
  createGate,
  createLimits,
  createListener,
  type decide,
  type ListenerLimits,
  originsOf,
  type Registry,
} from '@countersign/gate';
import type { AsyncReplayGuard } from '@countersign/signature/node';
import type { Logger } from 'pino';
import { type Api, createApi } from './api/api.ts';
import { complete, type Configuration } from './configuration/load.ts';
import { createConsole } from './console.ts';
import { demoCredentials } from './demonstration/demo-credentials.ts';
import { Explainer } from './explanations/explainer.ts';
import { FailureExplanations, namedFailure } from './explanations/failure-explanations.ts';
import { openPeople, type PasswordCost, type People } from './identity/identity.ts';
import { EventStreams } from './live/event-streams.ts';
import { type Closers, type OpenParts, openParts } from './open-parts.ts';
import { createDocuments } from './pages/documents.ts';
import { foreignHealth, type Health, healthPages } from './pages/health.ts';
import { openPortalFiles } from './pages/portal-files.ts';
import { startUpkeep } from './registry/upkeep.ts';
import type { OpenGuard } from './replay/open-guard.ts';
import { connectionFigures } from './storage/connection-figures.ts';
import type { Database } from './storage/transaction.ts';
import type { listenForMetrics } from './telemetry/metrics-listener.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { createObserver } from './telemetry/observer.ts';
import { RequestStore } from './telemetry/request-store.ts';
import { serviceHealthReader } from './telemetry/service-health.ts';
import { openTracing } from './telemetry/tracing.ts';

/** Replacements for real parts, for tests and benchmarks. */
export interface ServiceOverrides {
  /** The wall clock, in milliseconds. */
  readonly nowMs?: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs?: () => number;
  readonly limits?: ListenerLimits;
  /** Wraps the guard, to simulate outages that tests cannot cause otherwise. */
  readonly wrapGuard?: (guard: OpenGuard) => AsyncReplayGuard;
  /** Wraps the API's database alone, to simulate outages that tests cannot cause otherwise. */
  readonly wrapApiDatabase?: (database: Database) => Database;
  /** The cost of hashing a password; lower than in production for tests of something else. */
  readonly passwordCost?: PasswordCost | undefined;
  /** The interval at which the request log is written. */
  readonly requestLogEveryMs?: number;
  /** Replaces our decision, for a benchmark of what it costs. */
  readonly decide?: typeof decide;
  /** Replaces the API, for a benchmark without it. */
  readonly api?: Api;
}

/** A running service. */
export interface Service {
  readonly configuration: Configuration;
  /** The address to connect to, `http://host:port`. */
  readonly address: string;
  /** The address of the metrics, `http://host:port`; undefined if they are not served. */
  readonly metricsAddress: string | undefined;
  /** The portal's people; undefined without a portal. */
  readonly people: People | undefined;
  /**
   * Reads the registry now, for another process's change that must apply immediately. Normally the registry follows
   * changes automatically.
   */
  readRegistry(): Promise<void>;
  /**
   * Stops cleanly: accepts no new requests, lets running ones finish (for at most `stopSecondsMax`), then stores the
   * guard's memory for the next start. Resolves when everything is closed; further calls return the same promise.
   */
  stop(): Promise<void>;
}

/**
 * Starts the service: opens the data folder, reads the registry, listens. Rejects, with everything closed again, if the
 * folder is in use, storage cannot be read or the port is taken.
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
    // The operator needs the first error, not one from closing.
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
  const { nowMs = Date.now, monotonicMs = () => performance.now(), limits, wrapGuard } = overrides;
  const parts = await openParts(settings, { nowMs, monotonicMs, wrapGuard, logger }, closers);
  const metricsModules = settings.metricsPort === undefined ? undefined : await loadMetrics();
  const server = createListener(limits);
  const port = await listen(server, settings, logger);
  const stopServer = (): Promise<void> => closeServer(server, settings.stopSecondsMax * 1000);
  closers.push(stopServer);
  const configuration = complete(settings, port);

  // No await from here to `attach`, so that no request arrives before there is a gate.
  const state = { isStopping: false };
  const surroundings: Surroundings = { nowMs, monotonicMs, logger, isStopping: () => state.isStopping };
  const people = openPortalPeople(configuration, { ...parts, ...surroundings }, overrides, closers);
  const background = startBackground(configuration, { ...parts, ...surroundings }, overrides, closers);
  const metrics = metricsModules && makeMetrics(metricsModules.Metrics, parts, background, closers);
  const attachment = buildGate(
    configuration,
    { ...parts, ...background, ...surroundings, people, metrics },
    overrides,
  );
  attach(server, attachment);
  // Requests end before the parts they use. Event streams would otherwise stay open as long as someone listens.
  closers.push(stopServer, () => background.eventStreams.close());
  const { metricsHost, metricsPort } = settings;
  const served =
    metrics && metricsPort !== undefined
      ? await metricsModules.listenForMetrics(metrics, { host: metricsHost, port: metricsPort, logger })
      : undefined;
  if (served) closers.push(() => served.close());
  return {
    configuration,
    address: `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    metricsAddress: served?.address,
    people,
    readRegistry: () => parts.registry.refresh(),
    stop: onlyOnce(async () => {
      state.isStopping = true;
      await closeAll(closers);
    }),
  };
}

/** Everything that requests use. */
interface GateSurroundings extends OpenParts, Background, Surroundings {
  readonly people: People | undefined;
  readonly metrics: Metrics | undefined;
}

/** Builds the gate with the console behind it. */
function buildGate(
  configuration: Configuration,
  parts: GateSurroundings,
  overrides: ServiceOverrides,
): Attachment {
  const { database, registry, guard, decision, requestStore, explanations, people, metrics } = parts;
  const { nowMs, monotonicMs, logger, isStopping } = parts;
  const { publicBaseUrls, problemTypeBase, bodyBytesMax, permissions } = configuration;
  const health = (): Health => healthOf(isStopping(), guard, registry);
  const clients: ClientMeans = {
    ...decision,
    registry,
    ...(overrides.decide && { decide: overrides.decide }),
  };
  const console = createConsole({
    api: overrides.api ?? openApi(configuration, { ...parts, health }, overrides),
    clients,
    sessions: people && {
      people,
      database,
      addedPermissions: permissions,
      ownOrigins: originsOf(publicBaseUrls),
    },
    pages: [
      healthPages(health),
      createDocuments({ serverUrls: publicBaseUrls, permissions }),
      ...(people ? [openPortalFiles(), people.route] : []),
    ],
    explainNow: async (failed) => {
      const named = namedFailure(failed);
      return named && explanations.explainNow(named);
    },
    onHandled: (durationMs) => metrics?.handled(durationMs),
    nowMs,
  });
  const observer = createObserver({
    logger,
    metrics,
    registry,
    requestStore,
    noteFailure: (failed) => {
      const named = namedFailure(failed);
      if (named) explanations.note(named);
    },
    shownQueryParameters: new Set(configuration.shownQueryParameters),
  });
  const trustedProxies = NetworkWhitelist.fromTexts(configuration.trustedProxies);
  const onRequest = createGate({
    baseUrls: new BaseUrls([{ baseUrls: publicBaseUrls, door: console }]),
    answerForeign: (head) => foreignHealth(head, health),
    trustedProxies,
    bodyBytesMax,
    ...createLimits(configuration, trustedProxies, monotonicMs, guard.buckets),
    observer,
    tracing: openTracing(),
    problemTypeBase,
    nowMs,
    isStopping,
  });
  return { onRequest, onUnparsable: observer.unparsable, problemTypeBase };
}

function healthOf(isStopping: boolean, guard: OpenGuard, registry: Registry): Health {
  if (isStopping) return { ready: false, reason: 'the service is stopping' };
  if (guard.isReady === false) return { ready: false, reason: 'the replay guard cannot be asked' };
  return registry.isFresh() ? { ready: true } : { ready: false, reason: 'the registry is out of date' };
}

/** Listens, and returns the assigned port. */
async function listen(server: Server, { port, host }: Configuration, logger: Logger): Promise<number> {
  server.listen({ port, host });
  await once(server, 'listening');
  // For example, when the system has no file descriptor left for another connection.
  server.on('error', (error) => logger.error({ error }, 'a connection could not be accepted'));
  return (server.address() as AddressInfo).port;
}

interface Surroundings {
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
}

/** Opens the portal's sign-in; undefined without a portal. */
function openPortalPeople(
  configuration: Configuration,
  { database, nowMs, logger }: Pick<OpenParts, 'database'> & Surroundings,
  { passwordCost }: ServiceOverrides,
  closers: Closers,
): People | undefined {
  if (!configuration.portal) return undefined;
  const people = openPeople({
    configuration,
    database,
    passwordCost,
    demoCredentials: () => demoCredentials(configuration),
    nowMs,
    logger,
  });
  closers.push(() => people.close());
  return people;
}

/** Everything that runs beside the requests. */
interface Background {
  readonly explainer: Explainer;
  readonly requestStore: RequestStore;
  readonly explanations: FailureExplanations;
  readonly eventStreams: EventStreams;
}

function startBackground(
  { publicBaseUrls, shownQueryParameters }: Configuration,
  { database, registry, decision, nowMs, logger }: OpenParts & Surroundings,
  { requestLogEveryMs }: ServiceOverrides,
  closers: Closers,
): Background {
  const explainer = new Explainer({
    onError: (error) => logger.error({ error }, 'a request could not be explained'),
  });
  closers.push(() => explainer.close());
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
    followChange: () => registry.followChange(),
    onError: (error) => logger.error({ error }, 'the upkeep of the registry failed'),
  });
  closers.push(() => upkeep.close());
  const explanations = new FailureExplanations({
    database,
    registry,
    explainer,
    baseUrls: publicBaseUrls,
    rules: decision.rules,
    shownQueryParameters: new Set(shownQueryParameters),
    keep: (row) => requestStore.addExplanation(row),
    onError: (error) => logger.error({ error }, 'a refused request could not be explained'),
    monotonicMs: () => performance.now(),
  });
  closers.push(() => explanations.close());
  const eventStreams = new EventStreams({
    database,
    nowMs,
    onError: (error) => logger.error({ error }, 'news of an account could not be read'),
  });
  return { explainer, requestStore, explanations, eventStreams };
}

/** The parts that the API is built from, besides settings. */
interface ApiParts extends OpenParts, Background {
  readonly people: People | undefined;
  readonly health: () => Health;
  readonly nowMs: () => number;
}

/** Opens the built-in API. */
function openApi(configuration: Configuration, parts: ApiParts, { wrapApiDatabase }: ServiceOverrides): Api {
  const { database, registry, decision, explainer, requestStore, explanations, people, health } = parts;
  return createApi({
    database: wrapApiDatabase?.(database) ?? database,
    paymentsCompleteAfterSeconds: configuration.paymentsCompleteAfterSeconds,
    keyPolicy: {
      modulusBitsMax: configuration.rsaModulusBitsMax,
      allowPublishedTestKeys: configuration.allowPublishedTestKeys,
    },
    addedPermissions: configuration.permissions,
    followChange: () => registry.followChange(),
    explaining: {
      explain: (task, owner) => explainer.run(task, owner),
      options: () => ({ ...decision.rules, baseUrls: configuration.publicBaseUrls }),
    },
    health: serviceHealthReader({
      settings: configuration,
      mail: people?.mail ?? 'folder',
      startedAtMs: parts.nowMs(),
      health,
      registryFigures: () => registry.figures(),
      requestStore,
      explanations,
    }),
    eventStreams: parts.eventStreams,
    people,
  });
}

/** Loads the metrics code, only if they have a port. */
async function loadMetrics(): Promise<{
  readonly Metrics: typeof Metrics;
  readonly listenForMetrics: typeof listenForMetrics;
}> {
  return {
    ...(await import('./telemetry/metrics.ts')),
    ...(await import('./telemetry/metrics-listener.ts')),
  };
}

function makeMetrics(
  constructor: typeof Metrics,
  { guard, registry, database }: OpenParts,
  { requestStore, explanations }: Background,
  closers: Closers,
): Metrics {
  const metrics = new constructor({
    guard,
    registryFigures: () => registry.figures(),
    requestStore,
    explanationFigures: () => explanations.figures,
    connectionFigures: () => connectionFigures(database),
  });
  closers.push(() => metrics.close());
  return metrics;
}

/** Lets running requests finish, and closes each connection once it is idle. */
async function closeServer(server: Server, waitMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // A connection that was busy until now, for example with a health check, would otherwise stay open for the next
  // request.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), waitMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}

/** Closes everything, last opened first. A failure does not stop the others from closing; the first one is thrown. */
async function closeAll(closers: Closers): Promise<void> {
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

/** Wraps work so that it runs once; further calls return the same promise. */
function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let promise: Promise<void> | undefined;
  return () => (promise ??= work());
}
