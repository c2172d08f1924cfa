import type { Logger } from 'pino';
import type { Configuration } from '../configuration/load.ts';
import { demoCredentials, isLocalDemonstration } from '../demonstration/demo-credentials.ts';
import { type DemoDataSeeder, openDemoDataSeeder } from '../demonstration/demo-data.ts';
import { StopProgress } from '../lifecycle/stop-stages.ts';
import { openPeople, type People } from '../people/identity/identity.ts';
import { languageOf } from '../pages/page-language.ts';
import { Threads } from '../threads/threads.ts';
import { openChecks } from './authorizers.ts';
import { startBackground } from './background.ts';
import { closeAll, type Closers } from './closers.ts';
import { decisionOf } from './decision.ts';
import { buildGate } from './doors.ts';
import { openGround } from './ground.ts';
import {
  addressAt,
  addressOf,
  isGateway,
  listenerLimits,
  type Listeners,
  openListeners,
} from './listeners.ts';
import { loadUpstreams, openForwarding, openForwardingKeys, startThreads } from './open-forwarding.ts';
import { openStores } from './open-stores.ts';
import { loadMetrics, openMetrics, openTelemetry, serveMetrics } from './open-telemetry.ts';
import { openStreams } from './open-streams.ts';
import { openWebhooks } from './open-webhooks.ts';
import type { Parts } from './parts.ts';
import type { ServiceOverrides } from './service-overrides.ts';
import { exchangeRouting, settingsThatNeedRestart } from './use-configuration.ts';

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
  /** Fetches the directories of keys that are due now. Normally that happens every few seconds. */
  followDirectories(): Promise<void>;
  /** Sends the events that are due to webhooks. Normally that happens every second. */
  deliverWebhooks(): Promise<void>;
  /** Links the audit log to its chain, and sends streams. Normally that happens every second. */
  sendStreams(): Promise<void>;
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
 * port is taken.
 *
 * @param interruption interrupts the start, unless the service already listens; it then rejects with its reason
 */
export async function startService(
  settings: Configuration,
  logger: Logger,
  overrides: ServiceOverrides = {},
  interruption?: AbortSignal,
): Promise<Service> {
  const closers: Closers = [];
  try {
    return await start(settings, logger, { overrides, interruption }, closers);
  } catch (error) {
    // The operator needs the first error, not one from closing.
    await closeAll(closers).catch(() => undefined);
    throw error;
  }
}

async function start(
  settings: Configuration,
  logger: Logger,
  {
    overrides,
    interruption,
  }: { readonly overrides: ServiceOverrides; readonly interruption: AbortSignal | undefined },
  closers: Closers,
): Promise<Service> {
  const { limits = listenerLimits(settings), freeBytes } = overrides;
  const threads = new Threads(settings);
  const { follower, monotonicMs } = threads;
  const stages = new StopProgress(threads.setStage);
  const ground = openGround({ logger, stages, monotonicMs }, overrides, closers);
  const stores = await openStores(settings, ground, { follower, freeBytes, interruption }, closers);
  const decision = decisionOf(settings, { ground, stores }, overrides);
  const keys = await openForwardingKeys(settings, { ground, stores }, threads, closers);
  const upstreamCode = await loadUpstreams(settings);
  const metricsCode = await loadMetrics(settings);
  interruption?.throwIfAborted();
  const listeners = await openListeners(settings, limits, logger, closers);
  const { configuration } = listeners;

  // No await from here to `attach`, so that no request arrives before there is a gate.
  const people = openPortalPeople(configuration, { ground, stores }, overrides, closers);
  const background = startBackground(configuration, { ground, stores, decision, people }, overrides, closers);
  const webhooks = openWebhooks(configuration, { ground, stores }, keys, overrides);
  closers.push(() => webhooks.close());
  const streams = openStreams(configuration, { ground, stores }, keys, overrides);
  closers.push(() => streams.close());
  const forwarding = openForwarding(upstreamCode, configuration, ground, { keys, threads }, closers);
  const metrics =
    metricsCode &&
    openMetrics(metricsCode, configuration, { stores, background, forwarding, streams }, listeners, closers);
  const telemetry = openTelemetry(configuration, { ground, stores, background }, metrics);
  const parts: Parts = { ground, stores, decision, people, background, forwarding, telemetry };
  const grpc = buildGate(configuration, parts, overrides, listeners);
  // Requests end before the parts they use. Event streams would otherwise stay open for as long as anyone
  // listens.
  closers.push(listeners.stop, () => background.eventStreams.close());
  const checks = grpc && (await openChecks(grpc, settings, logger, listeners.connections));
  if (checks) closers.push(() => checks.stop(settings.stopSecondsMax * 1000));
  closers.push(() => threads.stop());
  await startThreads(configuration, parts, limits, overrides);
  const served = await serveMetrics(metricsCode, metrics, settings, ground, closers);
  return {
    configuration,
    ...addressesOf(settings, listeners, checks, served),
    people,
    seedDemoData: openDemoData(configuration, parts, closers)?.seed,
    readRegistry: () => stores.registry.refresh(),
    followDirectories: () => background.directories.run(),
    deliverWebhooks: () => webhooks.run(),
    sendStreams: () => streams.run(),
    useRouting: async (next) => {
      await exchangeRouting(next, configuration, parts);
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

/** Opens the writer of demo data; undefined outside a demonstration. */
function openDemoData(
  configuration: Configuration,
  {
    ground,
    stores,
    decision,
    people,
    background,
  }: Pick<Parts, 'ground' | 'stores' | 'decision' | 'people' | 'background'>,
  closers: Closers,
): DemoDataSeeder | undefined {
  const [baseUrl] = configuration.publicBaseUrls;
  if (!configuration.demonstration || baseUrl === undefined) return undefined;
  const { nowMs, logger } = ground;
  const { database, registry } = stores;
  const { requestStore, explanations } = background;
  const { rules } = decision;
  const seeder = openDemoDataSeeder(
    { database, registry, requestStore, explanations, people, rules, baseUrl, nowMs },
    logger,
  );
  closers.push(() => seeder.close());
  return seeder;
}

/** Opens the portal's sign-in; undefined without a portal. */
function openPortalPeople(
  configuration: Configuration,
  { ground, stores }: Pick<Parts, 'ground' | 'stores'>,
  { passwordCost }: Pick<ServiceOverrides, 'passwordCost'>,
  closers: Closers,
): People | undefined {
  if (!configuration.portal) return undefined;
  const { nowMs, monotonicMs, logger, times } = ground;
  const people = openPeople({
    languageOf,
    configuration,
    database: stores.database,
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

/** Wraps work so that it runs once; further calls return the same promise. */
function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let promise: Promise<void> | undefined;
  return () => (promise ??= work());
}
