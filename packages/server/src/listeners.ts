import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer, Server as NetServer } from 'node:net';
import { setImmediate as afterInput } from 'node:timers/promises';
import { type ConnectionBudget, createListener, endSwitched, type ListenerLimits } from '@countersign/gate';
import type { Logger } from 'pino';
import { isHttpAuthorizer } from './configuration/authorizer-settings.ts';
import { complete, type Configuration } from './configuration/load.ts';
import { openConnectionBudget, trustedPeers, type TrustedPeers } from './connections.ts';
import type { Closers } from './open-parts.ts';
import { EventLoopLoad } from './telemetry/event-loop-load.ts';
import { rareLine } from './telemetry/rare-line.ts';

/** The servers of a service. */
export interface Listeners {
  readonly console: Server;
  /** The same as `console` if both share a port; undefined if no API is protected, or other threads serve it. */
  readonly api: Server | undefined;
  /** Undefined without authorizers. */
  readonly authorizers: Server | undefined;
  /** With the ports that were assigned. */
  readonly configuration: Configuration;
  /** Decides which connections they keep. */
  readonly connections: ConnectionBudget;
  /** Takes no new connections from now on. Open ones stay open. */
  readonly refuseConnections: () => void;
  /** Lets running requests finish, and closes each connection once it is idle. */
  readonly stop: () => Promise<void>;
}

/** Starts listening. Nothing is answered yet. */
export async function openListeners(
  settings: Configuration,
  limits: ListenerLimits | undefined,
  logger: Logger,
  closers: Closers,
): Promise<Listeners> {
  const load = new EventLoopLoad();
  const connections = openConnectionBudget(settings, load, logger);
  closers.push(
    () => connections.close(),
    () => load.close(),
  );
  const { proxies, asking } = trustedPeers(settings);
  const create = (trusted: TrustedPeers['proxies']): Server => {
    const server = createListener(limits);
    connections.limit(server, (address) => trusted.allows(address));
    return server;
  };
  const console = create(proxies);
  const servers = [console];
  const closing = new Map<Server, Promise<unknown>>();
  const refuseConnections = (): void => {
    for (const server of servers.filter(({ listening }) => listening)) {
      closing.set(server, once(server, 'close'));
      // The server's own close also ends idle connections, on which a balancer may be sending a request right now.
      NetServer.prototype.close.call(server);
    }
  };
  const stop = async (): Promise<void> => {
    await everythingRead();
    refuseConnections();
    const waitMs = settings.stopSecondsMax * 1000;
    await Promise.all(Array.from(closing, ([server, closed]) => endConnections(server, closed, waitMs)));
  };
  closers.push(stop);
  const shared = { connections, refuseConnections, stop };
  const openOne = async (port: number, trusted: TrustedPeers['proxies']): Promise<Server> => {
    const server = create(trusted);
    servers.push(server);
    await listen(server, settings, port, logger);
    return server;
  };
  const port = await listen(console, settings, settings.port, logger);
  const authorizers = Object.keys(settings.authorizers).some(isHttpAuthorizer)
    ? await openOne(settings.authorizerPort, asking)
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

/** Returns true if the service forwards to an API, and not only decides for other proxies. */
export function isGateway({ routing }: Configuration): boolean {
  return routing !== undefined && routing.upstreams.length > 0;
}

export function addressOf(server: NetServer, { host }: Configuration): string {
  return addressAt(portOf(server), host);
}

export function addressAt(port: number, host: string): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/** Finds the port, free for nobody else, before the threads share it. */
async function findPort(host: string, port: number): Promise<number> {
  const probe = createNetServer();
  probe.listen({ host, port });
  await once(probe, 'listening');
  const found = portOf(probe);
  probe.close();
  await once(probe, 'close');
  return found;
}

/** Connections that wait to be accepted. Beyond it newcomers are lost; the system may allow fewer. */
const backlog = 4096;

/** Listens, and returns the assigned port. */
export async function listen(
  server: NetServer,
  { host }: Pick<Configuration, 'host'>,
  port: number,
  logger: Logger,
): Promise<number> {
  server.listen({ port, host, backlog });
  await once(server, 'listening');
  // For example, when the system has no file descriptor left for another connection.
  const tell = rareLine<Error>((count, error) =>
    logger.error({ error, count }, 'connections could not be accepted'),
  );
  server.on('error', tell);
  return portOf(server);
}

/**
 * Resolves once the process has taken every connection and read every byte that the system holds for it. Timers of a process
 * that had to wait for the processor run before that, and a connection with an unread request looks idle to them.
 */
export async function everythingRead(): Promise<void> {
  await afterInput();
}

/** Waits for running requests. The server takes no new connections already. */
async function endConnections(server: Server, closed: Promise<unknown>, waitMs: number): Promise<void> {
  await everythingRead();
  server.close();
  // A connection that was busy until now, for example with a health check, would otherwise stay open for the next
  // request.
  const idle = setInterval(() => void everythingRead().then(() => server.closeIdleConnections()), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), waitMs);
  server.closeIdleConnections();
  endSwitched(server);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}
