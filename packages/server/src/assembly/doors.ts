import type { UpstreamFigures } from '@countersign/gate/upstream';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { NetworkWhitelist } from '@countersign/contract';
import type { Logger } from 'pino';
import {
  attach,
  BaseUrls,
  type ClientMeans,
  createGate,
  createGateway,
  createLimits,
  createUpgradeCheck,
  type Door,
  type LimitTables,
  type Observer,
  originsOf,
  type ReceivedHead,
  Spool,
  type Spooling,
} from '@countersign/gate';
import { type Api, createApi } from '../api/api.ts';
import { grpcAuthorizer } from '../configuration/authorizer-settings.ts';
import { crossOriginOf } from '../configuration/cross-origin-settings.ts';
import type { Configuration } from '../configuration/load.ts';
import { createConsole } from './console.ts';
import { namedFailure } from '../explanations/failure-explanations.ts';
import type { ForwardingKeys } from '../forwarding/forwarding-keys.ts';
import type { People } from '../people/identity/identity.ts';
import type { OpenParts } from './open-parts.ts';
import { createDocuments } from '../pages/documents.ts';
import { foreignHealth, type Health, healthPages } from '../health/health.ts';
import { createKeyDirectory } from '../pages/key-directory.ts';
import { openPortalFiles } from '../pages/portal-files.ts';
import type { LiveRouting } from '../routing/live-routing.ts';
import type { RequestMetrics } from '../telemetry/metrics.ts';
import { createObserver } from '../telemetry/observer.ts';
import { nodeHealth } from '../health/node-health.ts';
import { shownSettings } from '../configuration/settings-in-force.ts';
import { healthOfParts } from '../health/part-health.ts';
import { serviceHealthReader } from '../health/service-health.ts';
import { openTracing, unusableApiVersion } from '../telemetry/tracing.ts';
import type { ServiceOverrides } from './service-overrides.ts';
import type { Listeners } from './listeners.ts';
import { type Surroundings, type Background, calledBaseUrls } from './background.ts';
import { type ConfiguredAuthorizer, createAuthorizers, attachAuthorizers } from './authorizers.ts';

/** Everything that serving requests needs. */
export interface GateSurroundings extends OpenParts, Background, Surroundings {
  readonly people: People | undefined;
  readonly metrics: RequestMetrics;
  readonly routing: LiveRouting;
  readonly forwardingKeys: ForwardingKeys;
  readonly observer: Observer;
  /** The limit tables, if other threads use them too. */
  readonly limitTables: LimitTables | undefined;
  /** The addresses of the protected API, with figures from all threads. */
  readonly upstreamFigures: () => readonly UpstreamFigures[];
}

/**
 * Builds the gate, with the console and the protected API behind it, and attaches it to the listeners.
 *
 * @returns the authorizer for gRPC, if there is one
 */
export function buildGate(
  configuration: Configuration,
  parts: GateSurroundings,
  overrides: ServiceOverrides,
  listeners: Listeners,
): ConfiguredAuthorizer | undefined {
  const { registry, guard, decision, logger, observer } = parts;
  const sharesRegistry = configuration.databaseUrl !== undefined;
  const health = (): Health => nodeHealth({ ...parts, sharesRegistry });
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
  const trustedProxies = NetworkWhitelist.fromTexts(configuration.trustedProxies);
  const { problemTypeBase, bodyBytesMax } = configuration;
  warnOfUnusableTracing(logger);
  const shared = {
    answerForeign: (head: ReceivedHead) => foreignHealth(head, health),
    trustedProxies,
    bodyBytesMax,
    spooling: openSpool(configuration),
    ...createLimits(configuration, trustedProxies, parts.monotonicMs, guard.buckets, parts.limitTables),
    observer,
    tracing: openTracing(),
    problemTypeBase,
    nowMs: parts.nowMs,
    isStopping: parts.stages.isStopping,
    isDraining: parts.stages.isDraining,
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
  // Each listener knows only the base URLs of its own doors, so that a firewall can keep strangers from the
  // console.
  const isShared = listeners.api === listeners.console;
  attachTo(listeners.console, isShared ? [consoleDoor, ...apiDoors] : [consoleDoor]);
  if (listeners.api && !isShared) attachTo(listeners.api, apiDoors);
  const authorizers = createAuthorizers(configuration, { ...parts, clients }, shared);
  if (listeners.authorizers)
    attachAuthorizers(listeners.authorizers, authorizers, configuration, logger, shared);
  return authorizers.find(({ name }) => name === grpcAuthorizer);
}

/** Warns about tracing that cannot work; otherwise operators would search everywhere else for their spans. */
function warnOfUnusableTracing(logger: Logger): void {
  const registeredVersion = unusableApiVersion();
  if (registeredVersion === undefined) return;
  logger.warn(
    { registeredVersion },
    'nothing is traced: the SDK is registered with a version of @opentelemetry/api that the service cannot use; install 1.4.0 or a newer 1.x beside the SDK',
  );
}

function openSpool({ spoolFolder, dataFolder, spoolBytesMax, bodyMemoryBytesMax }: Configuration): Spooling {
  const folder = spoolFolder ?? join(dataFolder, 'spool');
  return { spool: new Spool({ folder, bytesMax: spoolBytesMax }), memoryBytesMax: bodyMemoryBytesMax };
}

export function openObserver(
  { shownQueryParameters }: Configuration,
  {
    logger,
    metrics,
    registry,
    requestStore,
    explanations,
  }: Omit<GateSurroundings, 'observer' | 'limitTables'>,
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

/** Opens a door for each base URL of the protected API. */
function openApiDoors(
  { apiBaseUrls, ...settings }: Configuration,
  { clients, routing, forwardingKeys, metrics }: GateSurroundings & { readonly clients: ClientMeans },
): readonly { readonly baseUrls: readonly string[]; readonly door: Door }[] {
  const crossOrigin = crossOriginOf(settings);
  return apiBaseUrls.map((baseUrl) => ({
    baseUrls: [baseUrl],
    door: createGateway({
      clients,
      crossOrigin,
      routing: () => routing.of(baseUrl),
      signer: forwardingKeys,
      onAnswered: (durationMs, upstream) => metrics.handled(durationMs, upstream),
    }),
  }));
}

function openConsole(
  configuration: Configuration,
  parts: GateSurroundings & { readonly health: () => Health; readonly clients: ClientMeans },
  overrides: ServiceOverrides,
): Door {
  const { database, explanations, people, metrics, health, clients, nowMs, addedPermissions } = parts;
  const { publicBaseUrls, bodyBytesMax } = configuration;
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
    onHandled: (durationMs) => metrics.handled(durationMs),
    nowMs,
    bodyBytesMax,
  });
}

/** The parts that the API is built from, in addition to settings. */
interface ApiParts extends OpenParts, Background, Surroundings {
  readonly upstreamFigures: () => readonly UpstreamFigures[];
  readonly people: People | undefined;
  readonly health: () => Health;
}

/** Opens the built-in API. */
function openApi(configuration: Configuration, parts: ApiParts, { wrapApiDatabase }: ServiceOverrides): Api {
  const { database, registry, decision, explainer, requestStore, explanations, people, health, reportMaker } =
    parts;
  const { addedPermissions } = parts;
  return createApi({
    requestLimit: {
      requestsPerMinuteMax: configuration.clientRequestsPerMinuteMax,
      requestsBurstMax: configuration.clientRequestsBurstMax,
    },
    database: wrapApiDatabase?.(database) ?? database,
    reportMaker,
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
    findStrangersRequest: (requestId) => requestStore.strangers.find(requestId),
    health: serviceHealthReader({
      settings: configuration,
      mail: people?.mail ?? 'folder',
      startedAtMs: parts.nowMs(),
      health,
      registryFigures: () => registry.figures(),
      requestStore,
      explanations,
      parts: () => healthOfParts({ ...parts, settings: configuration }),
    }),
    settings: () => shownSettings(configuration),
    eventStreams: parts.eventStreams,
    people,
  });
}
