import type { Server } from 'node:http';
import { NetworkWhitelist } from '@countersign/contract';
import {
  attach,
  type Authorizer,
  type ClientMeans,
  type ConnectionBudget,
  createAuthorizer,
  createAuthorizerListener,
  type SocketGateParts,
} from '@countersign/gate';
import type { CheckServer } from '@countersign/gate/envoy-grpc';
import type { Logger } from 'pino';
import { isHttpAuthorizer } from '../configuration/authorizer-settings.ts';
import type { Configuration } from '../configuration/load.ts';
import { connectionErrorLine } from './listeners.ts';
import { listenOn } from '../lifecycle/listening.ts';
import type { LiveRouting } from '../routing/live-routing.ts';

/** An authorizer, and the proxies that may query it. */
export interface ConfiguredAuthorizer {
  readonly name: string;
  readonly from: NetworkWhitelist;
  readonly authorize: Authorizer;
}

/** What the authorizers need besides what every gate shares. */
export interface AuthorizerParts {
  readonly clients: ClientMeans;
  readonly routing: Pick<LiveRouting, 'of'>;
  readonly logger: Logger;
}

/** Creates the authorizers. They share their steps and limits with the gateway. */
export function createAuthorizers(
  { authorizers, apiBaseUrls }: Configuration,
  { clients, routing, logger }: AuthorizerParts,
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

/** Serves the authorizers that proxies query over HTTP. */
export function attachAuthorizers(
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
      misused: (misuse) => logger.warn(misuse, 'invalid authorizer query'),
    }),
    onUnparsable: observer.unparsable,
    problemTypeBase,
  });
}

/** Serves the authorizer that Envoy queries over gRPC. Loads the gRPC code only when it is used. */
export async function openChecks(
  { name, from, authorize }: ConfiguredAuthorizer,
  { host, authorizerGrpcPort, bodyMemoryBytesMax }: Configuration,
  logger: Logger,
  connections: ConnectionBudget,
): Promise<CheckServer> {
  const { createCheckServer } = await import('@countersign/gate/envoy-grpc');
  const checks = createCheckServer({
    authorize,
    callers: from,
    bodyBytesMax: bodyMemoryBytesMax,
    onMistake: (reason) => logger.warn({ authorizer: name, reason }, 'invalid authorizer query'),
    onError: (error) => logger.error({ authorizer: name, error }, 'an authorizer query failed'),
  });
  connections.limit(checks.server, (address) => from.allows(address));
  await listenOn(checks.server, { host, port: authorizerGrpcPort }, connectionErrorLine(logger));
  return checks;
}
