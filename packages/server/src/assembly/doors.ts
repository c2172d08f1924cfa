import { clientProfilesOf, signsWithPss } from '../configuration/accepted-profiles.ts';
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
  originsOf,
  type ReceivedHead,
  Spool,
  type Spooling,
} from '@countersign/gate';
import { type Api, createApi } from '../api/api.ts';
import { keyPolicyOf } from '../configuration/key-policy.ts';
import { grpcAuthorizer } from '../configuration/authorizer-settings.ts';
import { crossOriginOf } from '../configuration/cross-origin-settings.ts';
import type { Configuration } from '../configuration/load.ts';
import { shownSettings } from '../configuration/settings-in-force.ts';
import { namedFailure } from '../explanations/failure-explanations.ts';
import { foreignHealth, type Health, healthPages } from '../health/health.ts';
import { createDocuments } from '../pages/documents.ts';
import { createKeyDirectory } from '../pages/key-directory.ts';
import type { FindPage } from '../pages/page-route.ts';
import { openPortalFiles } from '../pages/portal-files.ts';
import { openBrand } from './open-brand.ts';
import { openTracing, unusableApiVersion } from '../telemetry/tracing.ts';
import { openWebhookSecrets } from '../webhooks/webhook-secrets.ts';
import { type ConfiguredAuthorizer, createAuthorizers, attachAuthorizers } from './authorizers.ts';
import { calledBaseUrls } from './background.ts';
import { type ConsoleParts, createConsole } from './console.ts';
import type { Listeners } from './listeners.ts';
import { healthOfNode, openServiceHealth } from './open-health.ts';
import type { Parts } from './parts.ts';
import type { ServiceOverrides } from './service-overrides.ts';

/**
 * Builds the gate, with the console and the protected API behind it, and attaches it to the listeners.
 *
 * @returns the authorizer for gRPC, if there is one
 */
export function buildGate(
  configuration: Configuration,
  parts: Parts,
  overrides: ServiceOverrides,
  listeners: Listeners,
): ConfiguredAuthorizer | undefined {
  const { ground, stores, decision, forwarding, telemetry } = parts;
  const { nowMs, monotonicMs, logger, stages } = ground;
  const { observer } = telemetry;
  const sharesRegistry = configuration.databaseUrl !== undefined;
  const health = (): Health => healthOfNode(parts, sharesRegistry);
  const clients: ClientMeans = { ...decision, registry: stores.registry };
  const consoleParts = consolePartsOf(configuration, parts, { clients, health }, overrides);
  const consoleDoors = configuration.publicBaseUrls.map((baseUrl) => ({
    baseUrls: [baseUrl],
    door: createConsole({ ...consoleParts, profiles: () => forwarding.routing.profilesAt(baseUrl) }),
  }));
  const apiDoors = openApiDoors(configuration, parts, clients);
  const trustedProxies = NetworkWhitelist.fromTexts(configuration.trustedProxies);
  const { problemTypeBase, bodyBytesMax } = configuration;
  warnOfUnusableTracing(logger);
  const limitTables = forwarding.threads.limitTables(monotonicMs);
  const shared = {
    answerForeign: (head: ReceivedHead) => foreignHealth(head, health),
    trustedProxies,
    bodyBytesMax,
    spooling: openSpool(configuration),
    ...createLimits(configuration, trustedProxies, monotonicMs, stores.guard.buckets, limitTables),
    observer,
    tracing: openTracing(),
    problemTypeBase,
    nowMs,
    isStopping: stages.isStopping,
    isDraining: stages.isDraining,
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
  attachTo(listeners.console, isShared ? [...consoleDoors, ...apiDoors] : consoleDoors);
  if (listeners.api && !isShared) attachTo(listeners.api, apiDoors);
  const authorizers = createAuthorizers(
    configuration,
    { clients, routing: forwarding.routing, logger },
    shared,
  );
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
    'nothing is traced: the SDK is registered with a version of @opentelemetry/api that the service cannot use; install 1.4.0 or a newer 1.x alongside the SDK',
  );
}

function openSpool({ spoolFolder, dataFolder, spoolBytesMax, bodyMemoryBytesMax }: Configuration): Spooling {
  const folder = spoolFolder ?? join(dataFolder, 'spool');
  return { spool: new Spool({ folder, bytesMax: spoolBytesMax }), memoryBytesMax: bodyMemoryBytesMax };
}

/** Opens a door for each base URL of the protected API. */
function openApiDoors(
  { apiBaseUrls, ...settings }: Configuration,
  { forwarding, telemetry }: Pick<Parts, 'forwarding' | 'telemetry'>,
  clients: ClientMeans,
): readonly { readonly baseUrls: readonly string[]; readonly door: Door }[] {
  const crossOrigin = crossOriginOf(settings);
  return apiBaseUrls.map((baseUrl) => ({
    baseUrls: [baseUrl],
    door: createGateway({
      clients,
      crossOrigin,
      routing: () => forwarding.routing.of(baseUrl),
      signer: forwarding.keys,
      onAnswered: (durationMs, upstream) => telemetry.metrics.handled(durationMs, upstream),
    }),
  }));
}

/** Returns what the console is built from, for each of its base URLs. */
function consolePartsOf(
  configuration: Configuration,
  parts: Parts,
  { clients, health }: { readonly clients: ClientMeans; readonly health: () => Health },
  overrides: ServiceOverrides,
): Omit<ConsoleParts, 'profiles'> {
  const { ground, stores, people, background, forwarding, telemetry } = parts;
  const { database, addedPermissions } = stores;
  const { publicBaseUrls, bodyBytesMax } = configuration;
  // The thread of the reports takes 20 MB. Whoever opens the portal or calls the API may want a report next.
  const { keys } = forwarding;
  const directoryKeys = { published: () => keys.published(), own: () => keys.own(), nowMs: keys.nowMs };
  const expectReports = (): void => background.reportMaker?.start();
  return {
    api: openApi(configuration, parts, health, overrides),
    clients,
    sessions: people && { people, database, addedPermissions, ownOrigins: originsOf(publicBaseUrls) },
    pages: [
      healthPages(health),
      createDocuments({ serverUrls: publicBaseUrls, permissions: addedPermissions }),
      createKeyDirectory(directoryKeys),
      ...(people
        ? [
            noticing(openPortalFiles(undefined, openBrand(configuration, ground.logger)), expectReports),
            people.route,
          ]
        : []),
    ],
    explainNow: async (failed) => {
      const named = namedFailure(failed);
      return named && background.explanations.explainNow(named);
    },
    onCall: expectReports,
    onHandled: (durationMs) => telemetry.metrics.handled(durationMs),
    nowMs: ground.nowMs,
    bodyBytesMax,
  };
}

/** Calls `onFound` whenever a page is found. */
function noticing(find: FindPage, onFound: () => void): FindPage {
  return (head) => {
    const route = find(head);
    if (route !== undefined) onFound();
    return route;
  };
}

/** Opens the built-in API. */
function openApi(
  configuration: Configuration,
  parts: Pick<Parts, 'ground' | 'stores' | 'decision' | 'people' | 'background' | 'forwarding'>,
  health: () => Health,
  { wrapApiDatabase }: Pick<ServiceOverrides, 'wrapApiDatabase'>,
): Api {
  const { stores, decision, people, background } = parts;
  const { database, registry, addedPermissions } = stores;
  const { explainer, requestStore, eventStreams, reportMaker } = background;
  return createApi({
    profiles: clientProfilesOf(configuration.profiles),
    requestLimit: {
      requestsPerMinuteMax: configuration.clientRequestsPerMinuteMax,
      requestsBurstMax: configuration.clientRequestsBurstMax,
    },
    database: wrapApiDatabase?.(database) ?? database,
    reportMaker,
    requestsKeptDays: configuration.requestsKeptDays,
    paymentsCompleteAfterSeconds: configuration.paymentsCompleteAfterSeconds,
    keyPolicy: { ...keyPolicyOf(configuration), rejectsPss: !signsWithPss(configuration.profiles) },
    directoryOrigins: new Set(configuration.directoryOrigins),
    webhooks: {
      trustedOrigins: new Set(configuration.webhookOrigins),
      secrets: openWebhookSecrets(configuration.webhookSecret?.reveal()),
    },
    addedPermissions,
    followChange: () => registry.followChange(),
    explaining: {
      explain: (task, owner) => explainer.run(task, owner),
      options: () => ({ ...decision.rules, baseUrls: calledBaseUrls(configuration) }),
      otherProfiles: decision.otherProfiles,
    },
    findStrangersRequest: (requestId) => requestStore.strangers.find(requestId),
    health: openServiceHealth(configuration, parts, health),
    settings: () => shownSettings(configuration),
    eventStreams,
    people,
  });
}
