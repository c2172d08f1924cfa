import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { NetworkWhitelist } from '@countersign/contract';
import {
  attach,
  type Authorizer,
  BaseUrls,
  type ClientMeans,
  createAuthorizer,
  createAuthorizerListener,
  createGate,
  createGateway,
  createLimits,
  createListener,
  createUpgradeCheck,
  type decide,
  type Door,
  endSwitched,
  type ListenerLimits,
  type Observer,
  originsOf,
  type ReceivedHead,
  type Registry,
  Spool,
  type Spooling,
  type SocketGateParts,
} from '@countersign/gate';
import type { CheckServer } from '@countersign/gate/envoy-grpc';
import type { AsyncReplayGuard } from '@countersign/signature/node';
import type { Logger } from 'pino';
import { type Api, createApi } from './api/api.ts';
import { grpcAuthorizer, isHttpAuthorizer } from './configuration/authorizer-settings.ts';
import { complete, type Configuration } from './configuration/load.ts';
import { type SettingName, settings as settingsTable } from './configuration/settings.ts';
import { createConsole } from './console.ts';
import type { RoutingConfiguration } from './configuration/routing-settings.ts';
import { demoCredentials } from './demonstration/demo-credentials.ts';
import { Explainer } from './explanations/explainer.ts';
import { FailureExplanations, namedFailure } from './explanations/failure-explanations.ts';
import { ForwardingKeys } from './forwarding/forwarding-keys.ts';
import { openPeople, type PasswordCost, type People } from './identity/identity.ts';
import { EventStreams } from './live/event-streams.ts';
import { type Closers, type OpenParts, openParts } from './open-parts.ts';
import { createDocuments } from './pages/documents.ts';
import { foreignHealth, type Health, healthPages } from './pages/health.ts';
import { createKeyDirectory } from './pages/key-directory.ts';
import { openPortalFiles } from './pages/portal-files.ts';
import { startUpkeep } from './registry/upkeep.ts';
import type { OpenGuard } from './replay/open-guard.ts';
import { LiveRouting } from './routing/live-routing.ts';
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
  /** The address of the protected API, `http://host:port`; undefined if there is none. */
  readonly apiAddress: string | undefined;
  /** The address that proxies ask, `http://host:port`; undefined without authorizers. */
  readonly authorizerAddress: string | undefined;
  /** The address that Envoy asks over gRPC, `http://host:port`; undefined without that authorizer. */
  readonly authorizerGrpcAddress: string | undefined;
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
   * Uses other routes and upstreams from the next request on.
   *
   * @returns the names of settings that also differ and need a restart
   */
  useRouting(next: Configuration): Promise<readonly string[]>;
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
  const forwardingKeys = await openForwardingKeys(settings, parts, { nowMs, logger }, closers);
  const metricsModules = settings.metricsPort === undefined ? undefined : await loadMetrics();
  const listeners = await openListeners(settings, limits, logger, closers);
  const { configuration } = listeners;

  // No await from here to `attach`, so that no request arrives before there is a gate.
  const state = { isStopping: false };
  const surroundings: Surroundings = { nowMs, monotonicMs, logger, isStopping: () => state.isStopping };
  const people = openPortalPeople(configuration, { ...parts, ...surroundings }, overrides, closers);
  const background = startBackground(configuration, { ...parts, ...surroundings }, overrides, closers);
  const routing = new LiveRouting(monotonicMs);
  const metrics =
    metricsModules && makeMetrics(metricsModules.Metrics, { ...parts, routing }, background, closers);
  closers.push(() => routing.close());
  if (configuration.routing) routing.use(configuration.routing, configuration.apiBaseUrls);
  const grpc = buildGate(
    configuration,
    { ...parts, ...background, ...surroundings, people, metrics, routing, forwardingKeys },
    overrides,
    listeners,
  );
  // Requests end before the parts they use. Event streams would otherwise stay open as long as someone listens.
  closers.push(listeners.stop, () => background.eventStreams.close());
  const checks = grpc && (await openChecks(grpc, settings, logger));
  if (checks) closers.push(() => checks.stop(settings.stopSecondsMax * 1000));
  const { metricsHost, metricsPort } = settings;
  const served =
    metrics && metricsPort !== undefined
      ? await metricsModules.listenForMetrics(metrics, { host: metricsHost, port: metricsPort, logger })
      : undefined;
  if (served) closers.push(() => served.close());
  return {
    configuration,
    address: addressOf(listeners.console, settings),
    apiAddress: listeners.api && addressOf(listeners.api, settings),
    authorizerAddress: listeners.authorizers && addressOf(listeners.authorizers, settings),
    authorizerGrpcAddress: checks && addressOf(checks.server, settings),
    metricsAddress: served?.address,
    people,
    readRegistry: () => parts.registry.refresh(),
    useRouting: async (next) => {
      if (next.routing && configuration.routing) {
        await usePermissions(parts, next.permissions, next.routing);
        if (signsForwarded(next)) await forwardingKeys.start();
        routing.use(next.routing, configuration.apiBaseUrls);
      }
      return settingsThatNeedRestart(settings, next);
    },
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
  readonly routing: LiveRouting;
  readonly forwardingKeys: ForwardingKeys;
}

/**
 * Builds the gate, with the console and the protected API behind it, and lets the listeners hand requests to it.
 *
 * @returns the authorizer that is asked over gRPC, if there is one
 */
function buildGate(
  configuration: Configuration,
  parts: GateSurroundings,
  overrides: ServiceOverrides,
  listeners: Listeners,
): ConfiguredAuthorizer | undefined {
  const { registry, guard, decision, logger } = parts;
  const health = (): Health => healthOf(parts.isStopping(), guard, registry);
  const clients: ClientMeans = {
    ...decision,
    registry,
    ...(overrides.decide && { decide: overrides.decide }),
  };
  const consoleDoor = {
    baseUrls: configuration.publicBaseUrls,
    door: openConsole(configuration, { ...parts, health, clients }, overrides),
  };
  const apiDoors = openApiDoors(configuration, { ...parts, clients });
  const observer = openObserver(configuration, parts);
  const trustedProxies = NetworkWhitelist.fromTexts(configuration.trustedProxies);
  const { problemTypeBase, bodyBytesMax } = configuration;
  const shared = {
    answerForeign: (head: ReceivedHead) => foreignHealth(head, health),
    trustedProxies,
    bodyBytesMax,
    spooling: openSpool(configuration),
    ...createLimits(configuration, trustedProxies, parts.monotonicMs, guard.buckets),
    observer,
    tracing: openTracing(),
    problemTypeBase,
    nowMs: parts.nowMs,
    isStopping: parts.isStopping,
  };
  const attachTo = (server: Server, doors: ConstructorParameters<typeof BaseUrls<Door>>[0]): void => {
    const baseUrls = new BaseUrls(doors);
    attach(server, {
      onRequest: createGate({ ...shared, baseUrls }),
      onUnparsable: observer.unparsable,
      mayUpgrade: createUpgradeCheck(baseUrls),
      problemTypeBase,
    });
  };
  // Each listener knows the base URLs of its own doors only, so that a firewall can keep strangers from the console.
  const isShared = listeners.api === listeners.console;
  attachTo(listeners.console, isShared ? [consoleDoor, ...apiDoors] : [consoleDoor]);
  if (listeners.api && !isShared) attachTo(listeners.api, apiDoors);
  const authorizers = createAuthorizers(configuration, { ...parts, clients }, shared);
  if (listeners.authorizers)
    attachAuthorizers(listeners.authorizers, authorizers, configuration, logger, shared);
  return authorizers.find(({ name }) => name === grpcAuthorizer);
}

function openSpool({ spoolFolder, dataFolder, spoolBytesMax, bodyMemoryBytesMax }: Configuration): Spooling {
  const folder = spoolFolder ?? join(dataFolder, 'spool');
  return { spool: new Spool({ folder, bytesMax: spoolBytesMax }), memoryBytesMax: bodyMemoryBytesMax };
}

function openObserver(
  { shownQueryParameters }: Configuration,
  { logger, metrics, registry, requestStore, explanations }: GateSurroundings,
): Observer {
  return createObserver({
    logger,
    metrics,
    registry,
    requestStore,
    noteFailure: (failed) => {
      const named = namedFailure(failed);
      if (named) explanations.note(named);
    },
    shownQueryParameters: new Set(shownQueryParameters),
  });
}

/** An authorizer, and who may ask it. */
interface ConfiguredAuthorizer {
  readonly name: string;
  readonly from: NetworkWhitelist;
  readonly authorize: Authorizer;
}

/** Creates the authorizers. They share their steps and limits with the gateway. */
function createAuthorizers(
  { authorizers, apiBaseUrls }: Configuration,
  { clients, routing, logger }: GateSurroundings & { readonly clients: ClientMeans },
  { answerForeign: _none, ...shared }: Omit<SocketGateParts, 'baseUrls'>,
): readonly ConfiguredAuthorizer[] {
  return Object.entries(authorizers).map(([name, { from, body = 'refuse' }]) => {
    if (body === 'unchecked')
      logger.warn({ authorizer: name }, 'DANGEROUS: bodies that this proxy keeps are accepted unchecked');
    return {
      name,
      from: NetworkWhitelist.fromTexts(from),
      authorize: createAuthorizer({
        ...shared,
        name,
        unseenBody: body,
        clients,
        baseUrls: apiBaseUrls,
        routingOf: (baseUrl) => routing.of(baseUrl),
      }),
    };
  });
}

/** Lets proxies ask over HTTP. */
function attachAuthorizers(
  server: Server,
  authorizers: readonly ConfiguredAuthorizer[],
  { bodyMemoryBytesMax }: Configuration,
  logger: Logger,
  { problemTypeBase, nowMs, trustedProxies, observer }: Omit<SocketGateParts, 'baseUrls'>,
): void {
  attach(server, {
    onRequest: createAuthorizerListener({
      authorizers: authorizers.flatMap(({ name, from, authorize }) =>
        isHttpAuthorizer(name) ? [{ protocol: name, from, authorize }] : [],
      ),
      trustedProxies,
      bodyBytesMax: bodyMemoryBytesMax,
      problemTypeBase,
      nowMs,
      misused: (misuse) => logger.warn(misuse, 'not a hand-over of a proxy'),
    }),
    onUnparsable: observer.unparsable,
    problemTypeBase,
  });
}

/** Opens a door for each base URL of the protected API. */
function openApiDoors(
  { apiBaseUrls }: Configuration,
  { clients, routing, forwardingKeys, metrics }: GateSurroundings & { readonly clients: ClientMeans },
): readonly { readonly baseUrls: readonly string[]; readonly door: Door }[] {
  return apiBaseUrls.map((baseUrl) => ({
    baseUrls: [baseUrl],
    door: createGateway({
      clients,
      routing: () => routing.of(baseUrl),
      signer: forwardingKeys,
      onAnswered: (durationMs, upstream) => metrics?.handled(durationMs, upstream),
    }),
  }));
}

/** Lets Envoy ask over gRPC. Loads that code only for those who use it. */
async function openChecks(
  { name, from, authorize }: ConfiguredAuthorizer,
  { host, authorizerGrpcPort, bodyMemoryBytesMax }: Configuration,
  logger: Logger,
): Promise<CheckServer> {
  const { createCheckServer } = await import('@countersign/gate/envoy-grpc');
  const checks = createCheckServer({
    authorize,
    callers: from,
    bodyBytesMax: bodyMemoryBytesMax,
    onMistake: (reason) => logger.warn({ authorizer: name, reason }, 'not a hand-over of a proxy'),
    onError: (error) => logger.error({ authorizer: name, error }, 'a check could not be answered'),
  });
  await listen(checks.server, { host }, authorizerGrpcPort, logger);
  return checks;
}

function openConsole(
  configuration: Configuration,
  parts: GateSurroundings & { readonly health: () => Health; readonly clients: ClientMeans },
  overrides: ServiceOverrides,
): Door {
  const { database, explanations, people, metrics, health, clients, nowMs, addedPermissions } = parts;
  const { publicBaseUrls } = configuration;
  return createConsole({
    api: overrides.api ?? openApi(configuration, parts, overrides),
    clients,
    sessions: people && { people, database, addedPermissions, ownOrigins: originsOf(publicBaseUrls) },
    pages: [
      healthPages(health),
      createDocuments({ serverUrls: publicBaseUrls, permissions: addedPermissions }),
      ...(configuration.routing ? [createKeyDirectory(() => parts.forwardingKeys.published())] : []),
      ...(people ? [openPortalFiles(), people.route] : []),
    ],
    explainNow: async (failed) => {
      const named = namedFailure(failed);
      return named && explanations.explainNow(named);
    },
    onHandled: (durationMs) => metrics?.handled(durationMs),
    nowMs,
  });
}

/** Opens the keys that sign forwarded requests, and publishes one if an upstream asks for signatures. */
async function openForwardingKeys(
  settings: Configuration,
  { database }: OpenParts,
  { nowMs, logger }: Pick<Surroundings, 'nowMs' | 'logger'>,
  closers: Closers,
): Promise<ForwardingKeys> {
  const keys = new ForwardingKeys({
    database,
    nowMs,
    onError: (error) => logger.error({ error }, 'a key for forwarded requests could not be published'),
  });
  closers.push(() => keys.close());
  if (signsForwarded(settings)) await keys.start();
  return keys;
}

function signsForwarded({ routing }: Configuration): boolean {
  return routing?.upstreams.some(({ sign }) => sign) === true;
}

/** Lets roles permit what the deployment and its routes name now. The table is shared by everything that reads it. */
async function usePermissions(
  { registry, addedPermissions }: OpenParts,
  configured: Configuration['permissions'],
  { permissions }: RoutingConfiguration,
): Promise<void> {
  const next = { ...permissions, ...configured };
  if (JSON.stringify(next) === JSON.stringify(addedPermissions)) return;
  const table = addedPermissions as Record<string, unknown>;
  for (const name of Object.keys(table)) delete table[name];
  Object.assign(table, next);
  await registry.rereadPermissions();
}

/** Returns the environment variables of the changed settings that only a restart can apply. */
function settingsThatNeedRestart(before: Configuration, next: Configuration): readonly string[] {
  const hasBoth =
    before.routing !== undefined && next.routing !== undefined && isGateway(before) === isGateway(next);
  const live: readonly SettingName[] = [
    'upstream',
    'signForwarded',
    'openapi',
    'upstreams',
    'routes',
    'permissions',
  ];
  return (Object.keys(settingsTable) as SettingName[])
    .filter((name) => !(hasBoth && live.includes(name)))
    .filter((name) => JSON.stringify(next[name]) !== JSON.stringify(before[name]))
    .map((name) => settingsTable[name].environment);
}

function healthOf(isStopping: boolean, guard: OpenGuard, registry: Registry): Health {
  if (isStopping) return { ready: false, reason: 'the service is stopping' };
  if (guard.isReady === false) return { ready: false, reason: 'the replay guard cannot be asked' };
  return registry.isFresh() ? { ready: true } : { ready: false, reason: 'the registry is out of date' };
}

/** The servers of a service. */
interface Listeners {
  readonly console: Server;
  /** The same as `console` if both share a port; undefined if no API is protected. */
  readonly api: Server | undefined;
  /** Undefined without authorizers. */
  readonly authorizers: Server | undefined;
  /** With the ports that were assigned. */
  readonly configuration: Configuration;
  readonly stop: () => Promise<void>;
}

/** Starts listening. Nothing is answered yet. */
async function openListeners(
  settings: Configuration,
  limits: ListenerLimits | undefined,
  logger: Logger,
  closers: Closers,
): Promise<Listeners> {
  const console = createListener(limits);
  const servers = [console];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => closeServer(server, settings.stopSecondsMax * 1000)));
  };
  closers.push(stop);
  const openOne = async (port: number): Promise<Server> => {
    const server = createListener(limits);
    servers.push(server);
    await listen(server, settings, port, logger);
    return server;
  };
  const port = await listen(console, settings, settings.port, logger);
  const authorizers = Object.keys(settings.authorizers).some(isHttpAuthorizer)
    ? await openOne(settings.authorizerPort)
    : undefined;
  if (!isGateway(settings))
    return { console, api: undefined, authorizers, configuration: complete(settings, port), stop };
  if (settings.apiPort === settings.port && settings.port !== 0)
    return { console, api: console, authorizers, configuration: complete(settings, port, port), stop };
  const api = await openOne(settings.apiPort);
  return { console, api, authorizers, configuration: complete(settings, port, portOf(api)), stop };
}

/** Returns true if the service forwards to an API, and not only decides for other proxies. */
function isGateway({ routing }: Configuration): boolean {
  return routing !== undefined && routing.upstreams.length > 0;
}

function addressOf(server: NetServer, { host }: Configuration): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`;
}

function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/** Listens, and returns the assigned port. */
async function listen(
  server: NetServer,
  { host }: Pick<Configuration, 'host'>,
  port: number,
  logger: Logger,
): Promise<number> {
  server.listen({ port, host });
  await once(server, 'listening');
  // For example, when the system has no file descriptor left for another connection.
  server.on('error', (error) => logger.error({ error }, 'a connection could not be accepted'));
  return portOf(server);
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
  configuration: Configuration,
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
    baseUrls: calledBaseUrls(configuration),
    rules: decision.rules,
    shownQueryParameters: new Set(configuration.shownQueryParameters),
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

/** Returns all base URLs that clients may have called. */
function calledBaseUrls({ publicBaseUrls, apiBaseUrls, routing }: Configuration): readonly string[] {
  return routing === undefined ? publicBaseUrls : [...apiBaseUrls, ...publicBaseUrls];
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
  const { addedPermissions } = parts;
  return createApi({
    database: wrapApiDatabase?.(database) ?? database,
    paymentsCompleteAfterSeconds: configuration.paymentsCompleteAfterSeconds,
    keyPolicy: {
      modulusBitsMax: configuration.rsaModulusBitsMax,
      allowPublishedTestKeys: configuration.allowPublishedTestKeys,
    },
    addedPermissions,
    followChange: () => registry.followChange(),
    explaining: {
      explain: (task, owner) => explainer.run(task, owner),
      options: () => ({ ...decision.rules, baseUrls: calledBaseUrls(configuration) }),
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
  { guard, registry, database, routing }: OpenParts & { readonly routing: LiveRouting },
  { requestStore, explanations }: Background,
  closers: Closers,
): Metrics {
  const metrics = new constructor({
    guard,
    registryFigures: () => registry.figures(),
    requestStore,
    explanationFigures: () => explanations.figures,
    upstreamFigures: () => routing.figures(),
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
  endSwitched(server);
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
