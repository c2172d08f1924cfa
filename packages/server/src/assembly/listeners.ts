import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import {
  type ConnectionBudget,
  createListener,
  type ListenerLimits,
  profileListenerLimits,
} from '@countersign/gate';
import type { Logger } from 'pino';
import { isHttpAuthorizer } from '../configuration/authorizer-settings.ts';
import { complete, type Configuration } from '../configuration/load.ts';
import { openConnectionBudget, trustedPeers, type TrustedPeers } from '../limits/connections.ts';
import { findPort, Listening, portOf } from '../lifecycle/listening.ts';
import type { Closers } from './closers.ts';
import { EventLoopLoad } from '../telemetry/event-loop-load.ts';
import { rareLine } from '../telemetry/rare-line.ts';

/** The servers of a service. */
export interface Listeners {
  readonly console: Server;
  /** The same as `console` if both share a port; undefined if no API is protected, or if other threads serve it. */
  readonly api: Server | undefined;
  /** Undefined without authorizers. */
  readonly authorizers: Server | undefined;
  /** Includes the ports that were assigned. */
  readonly configuration: Configuration;
  /** Decides which connections the servers keep. */
  readonly connections: ConnectionBudget;
  /** Stops accepting connections; open ones stay open. Resolves once new connections are refused. */
  readonly refuseConnections: () => Promise<void>;
  /** Lets requests in progress finish, and closes each connection once it is idle. */
  readonly stop: () => Promise<void>;
}

/** Starts listening. Nothing is handled yet. */
export async function openListeners(
  settings: Configuration,
  limits: ListenerLimits,
  logger: Logger,
  closers: Closers,
): Promise<Listeners> {
  const load = new EventLoopLoad();
  const connections = openConnectionBudget(settings, load, logger);
  closers.push(
    () => connections.close(),
    () => load.close(),
  );
  const { proxies, queryingProxies } = trustedPeers(settings);
  const create = (trusted: TrustedPeers['proxies']): Server => {
    const server = createListener(limits);
    connections.limit(server, (address) => trusted.allows(address));
    return server;
  };
  const console = create(proxies);
  const listening: Listening[] = [];
  const refuseConnections = async (): Promise<void> => {
    await Promise.all(listening.map((sockets) => sockets.refuse()));
  };
  const stop = async (): Promise<void> => {
    const waitMs = settings.stopSecondsMax * 1000;
    await Promise.all(listening.map((sockets) => sockets.end(waitMs)));
  };
  closers.push(stop);
  const shared = { connections, refuseConnections, stop };
  const listenAt = async (server: Server, port: number): Promise<number> => {
    const sockets = await Listening.open(server, {
      host: settings.host,
      port,
      onError: connectionErrorLine(logger),
    });
    listening.push(sockets);
    return sockets.port;
  };
  const openOne = async (port: number, trusted: TrustedPeers['proxies']): Promise<Server> => {
    const server = create(trusted);
    await listenAt(server, port);
    return server;
  };
  const port = await listenAt(console, settings.port);
  const authorizers = Object.keys(settings.authorizers).some(isHttpAuthorizer)
    ? await openOne(settings.authorizerPort, queryingProxies)
    : undefined;
  if (!isGateway(settings))
    return { console, api: undefined, authorizers, configuration: complete(settings, port), ...shared };
  if (settings.apiPort === settings.port && settings.port !== 0)
    return { console, api: console, authorizers, configuration: complete(settings, port, port), ...shared };
  if (settings.threads > 1) {
    const configuration = complete(settings, port, await findPort(settings.host, settings.apiPort));
    return { console, api: undefined, authorizers, configuration, ...shared };
  }
  const api = await openOne(settings.apiPort, proxies);
  return { console, api, authorizers, configuration: complete(settings, port, portOf(api)), ...shared };
}

/** Returns the timeouts of all listeners. */
export function listenerLimits({ keepAliveSeconds }: Configuration): ListenerLimits {
  return { ...profileListenerLimits, keepAliveTimeoutMs: keepAliveSeconds * 1000 };
}

/** Returns true if the service forwards to an API, as opposed to only deciding for other proxies. */
export function isGateway({ routing }: Configuration): boolean {
  return routing !== undefined && routing.upstreams.length > 0;
}

export function addressOf(server: NetServer, { host }: Configuration): string {
  return addressAt(portOf(server), host);
}

export function addressAt(port: number, host: string): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Creates a function that logs, at most once a minute, that connections could not be accepted. */
export function connectionErrorLine(logger: Logger): (error: Error) => void {
  return rareLine<Error>((count, error) =>
    logger.error({ error, count }, 'connections could not be accepted'),
  );
}
