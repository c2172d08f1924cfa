import type { ListenerLimits } from '@countersign/gate';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration/load.ts';
import { demoCredentials, isLocalDemonstration } from '../demonstration/demo-credentials.ts';
import { type DemoDataSeeder, openDemoDataSeeder } from '../demonstration/demo-data.ts';
import { ForwardingKeys, type ForwardingKeysOptions } from '../forwarding/forwarding-keys.ts';
import { openPeople, type People } from '../people/identity/identity.ts';
import { closeAll, type Closers, type OpenParts, openParts } from './open-parts.ts';
import { LiveRouting } from '../routing/live-routing.ts';
import { connectionFigures } from '../storage/connection-figures.ts';
import type { listenForMetrics } from '../telemetry/metrics-listener.ts';
import { PartTimes } from '../telemetry/part-times.ts';
import { measuredRequests } from '../telemetry/measured-requests.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ServiceOverrides } from './service-overrides.ts';
import { StopProgress } from '../lifecycle/stop-stages.ts';
import { nodeHealth } from '../health/node-health.ts';
import {
  addressAt,
  addressOf,
  isGateway,
  listenerLimits,
  type Listeners,
  openListeners,
} from './listeners.ts';
import { type Surroundings, type Background, startBackground } from './background.ts';
import { buildGate, type GateSurroundings, openObserver } from './doors.ts';
import { Threads } from '../threads/threads.ts';
import { openChecks } from './authorizers.ts';
import { usePermissions, settingsThatNeedRestart, signsForwarded } from './use-configuration.ts';

export type { ServiceOverrides } from './service-overrides.ts';

/** A running service. */
export interface Service {
  readonly configuration: Configuration;
  /** The address to connect to, `http://host:port`. */
  readonly address: string;
  /** The address of the protected API, `http://host:port`; undefined if there is none. */
  readonly apiAddress: string | undefined;
  /** The address for proxies that query over HTTP, `http://host:port`; undefined without authorizers. */
  readonly authorizerAddress: string | undefined;
  /** The address for Envoy's gRPC queries, `http://host:port`; undefined without that authorizer. */
  readonly authorizerGrpcAddress: string | undefined;
  /** The address of the metrics, `http://host:port`; undefined if they are not served. */
  readonly metricsAddress: string | undefined;
  /** The portal's people; undefined without a portal. */
  readonly people: People | undefined;
  /**
   * Writes demo data into an account, in the background; undefined outside a demonstration. Resolves when it is
   * written, or when the service stops.
   */
  readonly seedDemoData: DemoDataSeeder['seed'] | undefined;
  /**
   * Reads the registry now, for another process's change that must apply immediately. Normally the registry
   * follows changes automatically.
   */
  readRegistry(): Promise<void>;
  /**
   * Uses other routes and upstreams from the next request on.
   *
   * @returns the names of settings that also differ and need a restart
   */
  useRouting(next: Configuration): Promise<readonly string[]>;
  /**
   * Hands over to other nodes before a stop. For `delayMs`, serves as before while `/ready` responds with 503,
   * so that balancers that check it switch to other nodes. Then accepts no new connections, and for three
   * seconds serves requests on open ones, closing each with its response: a balancer that does not check
   * `/ready` switches without losing a request.
   *
   * @param signal ends the waiting
   */
  leave(delayMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Stops cleanly: accepts no new requests, lets those in progress finish (for at most `stopSecondsMax`), then
   * stores the guard's memory for the next start. Resolves when everything is closed; further calls return the
   * same promise.
   */
  stop(): Promise<void>;
}

/**
 * Starts the service: opens the data folder, reads the registry, listens. Waits while PostgreSQL or Redis is
 * unavailable. Rejects, with everything closed again, if the folder is in use, storage cannot be read, or the
 * port is taken. If it is interrupted before it listens, rejects with the reason of the interruption.
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
  const threads = new Threads(settings);
  const { follower, useForwardingKeys: onChange } = threads;
  const { limits = listenerLimits(settings), wrapGuard, freeBytes, interruption } = overrides;
  const clocks = clocksOf(overrides, threads, closers);
  const { nowMs, monotonicMs, times } = clocks;
  const parts = await openParts(
    settings,
    { ...clocks, follower, wrapGuard, freeBytes, logger, interruption },
    closers,
  );
  const forwardingKeys = await openForwardingKeys(settings, parts, { nowMs, logger, onChange }, closers);
  const metricsModules = settings.metricsPort === undefined ? undefined : await loadMetrics();
  interruption?.throwIfAborted();
  const listeners = await openListeners(settings, limits, logger, closers);
  const { configuration } = listeners;

  // No await from here to `attach`, so that no request arrives before there is a gate.
  const stages = new StopProgress(threads.setStage);
  const surroundings: Surroundings = { ...clocks, logger, stages };
  const open = { ...parts, ...surroundings };
  const people = openPortalPeople(configuration, open, overrides, closers);
  const background = startBackground(configuration, { ...open, people }, overrides, closers);
  const routing = new LiveRouting(monotonicMs);
  const measured = { ...parts, routing, listeners, threads };
  const scraped =
    metricsModules && makeMetrics(metricsModules.Metrics, settings, measured, background, closers);
  const metrics = measuredRequests(times, scraped);
  closers.push(() => routing.close());
  if (configuration.routing) routing.use(configuration.routing, configuration.apiBaseUrls);
  const upstreamFigures = () => threads.upstreamFigures(routing.figures());
  const own = { people, metrics, routing, forwardingKeys, upstreamFigures };
  const observed = { ...parts, ...background, ...surroundings, ...own };
  const observer = openObserver(configuration, observed);
  const grpc = buildGate(
    configuration,
    { ...observed, observer, limitTables: threads.limitTables(monotonicMs) },
    overrides,
    listeners,
  );
  // Requests end before the parts they use. Event streams would otherwise stay open for as long as anyone
  // listens.
  closers.push(listeners.stop, () => background.eventStreams.close());
  const checks = grpc && (await openChecks(grpc, settings, logger, listeners.connections));
  if (checks) closers.push(() => checks.stop(settings.stopSecondsMax * 1000));
  closers.push(() => threads.stop());
  await startThreads(threads, configuration, { ...observed, observer }, { ...overrides, limits });
  const served = await serveMetrics(metricsModules, scraped, { ...settings, logger }, closers);
  return {
    configuration,
    ...addressesOf(settings, listeners, checks, served),
    people,
    seedDemoData: openDemoData(configuration, observed, closers)?.seed,
    readRegistry: () => parts.registry.refresh(),
    useRouting: async (next) => {
      await exchangeRouting(next, configuration, { ...parts, forwardingKeys, routing, threads });
      return settingsThatNeedRestart(settings, next);
    },
    leave: (delayMs, signal) =>
      stages.leave(delayMs, signal, async () => {
        threads.refuseConnections();
        await listeners.refuseConnections();
      }),
    stop: onlyOnce(async () => {
      stages.stop();
      await closeAll(closers);
    }),
  };
}

function addressesOf(
  settings: Configuration,
  { configuration, console, authorizers }: Listeners,
  checks: { readonly server: Parameters<typeof addressOf>[0] } | undefined,
  metrics: { readonly address: string } | undefined,
): Pick<
  Service,
  'address' | 'apiAddress' | 'authorizerAddress' | 'authorizerGrpcAddress' | 'metricsAddress'
> {
  return {
    address: addressOf(console, settings),
    apiAddress: isGateway(settings) ? addressAt(configuration.apiPort, settings.host) : undefined,
    authorizerAddress: authorizers && addressOf(authorizers, settings),
    authorizerGrpcAddress: checks && addressOf(checks.server, settings),
    metricsAddress: metrics?.address,
  };
}

/** Uses other routes and upstreams, if the service has any. */
async function exchangeRouting(
  next: Configuration,
  { routing: present, apiBaseUrls }: Configuration,
  {
    forwardingKeys,
    routing,
    threads,
    ...parts
  }: OpenParts & {
    readonly forwardingKeys: ForwardingKeys;
    readonly routing: LiveRouting;
    readonly threads: Threads;
  },
): Promise<void> {
  if (!next.routing || !present) return;
  await usePermissions(parts, next.permissions, next.routing);
  if (signsForwarded(next)) await forwardingKeys.start();
  routing.use(next.routing, apiBaseUrls);
  threads.useRouting(next.routing);
}

/** Serves the metrics, if they have a port. */
async function serveMetrics(
  modules: { readonly listenForMetrics: typeof listenForMetrics } | undefined,
  metrics: Metrics | undefined,
  { metricsHost: host, metricsPort: port, logger }: Configuration & Pick<Surroundings, 'logger'>,
  closers: Closers,
): Promise<Awaited<ReturnType<typeof listenForMetrics>> | undefined> {
  if (!modules || !metrics || port === undefined) return undefined;
  const served = await modules.listenForMetrics(metrics, { host, port, logger });
  closers.push(() => served.close());
  return served;
}

/** Returns the clocks, which tests may set, and the measurements that use them. */
function clocksOf({ clock, ...overrides }: ServiceOverrides, threads: Threads, closers: Closers): OpenClocks {
  const clockNowMs = clock ? () => Number(Atomics.load(clock, 0)) : Date.now;
  const { nowMs = clockNowMs, monotonicMs = threads.monotonicMs } = overrides;
  const times = new PartTimes(monotonicMs);
  times.start();
  closers.push(() => times.close());
  return { nowMs, monotonicMs, times };
}

type OpenClocks = Pick<Surroundings, 'nowMs' | 'monotonicMs' | 'times'>;

async function startThreads(
  threads: Threads,
  configuration: Configuration,
  parts: Omit<GateSurroundings, 'limitTables'>,
  { clock, limits }: ServiceOverrides & { readonly limits: ListenerLimits },
): Promise<void> {
  const { guard, registry, decision, observer, metrics, logger } = parts;
  await threads.start({
    configuration,
    rules: decision.rules,
    ...(guard.shared && { guard: guard.shared }),
    registry,
    observer,
    onHandled: (durationMs, upstream) => metrics.handled(durationMs, upstream),
    logger,
    clock,
    listener: limits,
    health: () => nodeHealth({ ...parts, sharesRegistry: false }),
  });
}

/** Opens the keys that sign forwarded requests, and publishes one if an upstream requires signatures. */
async function openForwardingKeys(
  settings: Configuration,
  { database }: OpenParts,
  {
    nowMs,
    logger,
    onChange,
  }: Pick<Surroundings, 'nowMs' | 'logger'> & Pick<ForwardingKeysOptions, 'onChange'>,
  closers: Closers,
): Promise<ForwardingKeys> {
  const keys = new ForwardingKeys({
    database,
    nowMs,
    onChange,
    onError: (error) => logger.error({ error }, 'a key for forwarded requests could not be published'),
  });
  closers.push(() => keys.close());
  if (signsForwarded(settings)) await keys.start();
  return keys;
}

/** Opens the writer of demo data; undefined outside a demonstration. */
function openDemoData(
  configuration: Configuration,
  parts: OpenParts & Background & Surroundings & { readonly people: People | undefined },
  closers: Closers,
): DemoDataSeeder | undefined {
  const [baseUrl] = configuration.publicBaseUrls;
  if (!configuration.demonstration || baseUrl === undefined) return undefined;
  const seeder = openDemoDataSeeder({ ...parts, rules: parts.decision.rules, baseUrl }, parts.logger);
  closers.push(() => seeder.close());
  return seeder;
}

/** Opens the portal's sign-in; undefined without a portal. */
function openPortalPeople(
  configuration: Configuration,
  { database, nowMs, monotonicMs, logger, times }: Pick<OpenParts, 'database'> & Surroundings,
  { passwordCost }: ServiceOverrides,
  closers: Closers,
): People | undefined {
  if (!configuration.portal) return undefined;
  const people = openPeople({
    configuration,
    database,
    passwordCost,
    demoCredentials: () => demoCredentials(configuration),
    isLocalDemonstration: isLocalDemonstration(configuration),
    nowMs,
    monotonicMs,
    logger,
    onMail: (durationMs, isFailed) => times.mail.note(durationMs, isFailed),
  });
  closers.push(() => people.close());
  return people;
}

/** Loads the metrics code, only if they have a port. */
async function loadMetrics(): Promise<{
  readonly Metrics: typeof Metrics;
  readonly listenForMetrics: typeof listenForMetrics;
}> {
  return {
    ...(await import('../telemetry/metrics.ts')),
    ...(await import('../telemetry/metrics-listener.ts')),
  };
}

function makeMetrics(
  constructor: typeof Metrics,
  { guardEntriesMax }: Configuration,
  {
    guard,
    registry,
    database,
    routing,
    listeners,
    threads,
  }: OpenParts & {
    readonly routing: LiveRouting;
    readonly listeners: Listeners;
    readonly threads: Threads;
  },
  { requestStore, explanations }: Background,
  closers: Closers,
): Metrics {
  const metrics = new constructor({
    guard,
    guardEntriesMax,
    registryFigures: () => registry.figures(),
    listenerFigures: () => threads.connectionFigures(listeners.connections.figures),
    requestStore,
    explanationFigures: () => explanations.figures,
    upstreamFigures: () => threads.upstreamFigures(routing.figures()),
    connectionFigures: () => connectionFigures(database),
  });
  closers.push(() => metrics.close());
  return metrics;
}

/** Wraps work so that it runs once; further calls return the same promise. */
function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let promise: Promise<void> | undefined;
  return () => (promise ??= work());
}
