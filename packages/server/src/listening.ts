import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, Server as NetServer } from 'node:net';

/** Where a server listens. */
export interface ListeningPlace {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** True if other threads listen there too. */
  readonly isShared?: boolean;
  /** Called when a connection could not be accepted, for example because the system has no file descriptor left. */
  readonly onError: (error: Error) => void;
}

/** Connections that wait to be accepted, for each socket. Beyond it newcomers are lost; the system may allow fewer. */
const backlog = 4096;

/**
 * Sockets that a server listens on. The event loop accepts one connection of each in one turn, however many wait. A turn
 * in which hundreds of requests are checked is long: with a single socket, newcomers would wait behind strangers until
 * they give up.
 */
export const socketsPerServer = 32;

/** What a server listens on: several sockets on one port, among which Linux divides the connections. */
export class Listening {
  readonly port: number;
  readonly #server: Server;
  readonly #others: readonly NetServer[];

  private constructor(server: Server, others: readonly NetServer[]) {
    this.port = portOf(server);
    this.#server = server;
    this.#others = others;
  }

  /**
   * Lets a server listen.
   *
   * @throws Error with the system's code, for example `EADDRINUSE` if another process listens there
   */
  static async open(server: Server, place: ListeningPlace): Promise<Listening> {
    const { host, isShared = false, onError } = place;
    // Elsewhere sockets cannot share a port, or all connections go to one of them.
    const reusePort = process.platform === 'linux';
    const port = reusePort && !isShared && place.port !== 0 ? await findPort(host, place.port) : place.port;
    await listenOn(server, { host, port, backlog, reusePort }, onError);
    const others = Array.from({ length: reusePort ? socketsPerServer - 1 : 0 }, () =>
      createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket)),
    );
    const same = { host, port: portOf(server), backlog, reusePort };
    await Promise.all(others.map((other) => listenOn(other, same, onError)));
    return new Listening(server, others);
  }

  /** Takes no new connections from now on. Resolves when the open ones have ended. */
  async close(): Promise<void> {
    const servers = [this.#server, ...this.#others];
    const closed = servers.map((server) => once(server, 'close'));
    // The HTTP server's own close also ends idle connections, on which a balancer may be sending a request right now.
    for (const server of servers) NetServer.prototype.close.call(server);
    await Promise.all(closed);
  }
}

/** Finds a port that nobody else listens on: with sockets that share one, the system would not say so. */
export async function findPort(host: string, port: number): Promise<number> {
  const probe = createServer();
  probe.listen({ host, port });
  await once(probe, 'listening');
  const found = portOf(probe);
  probe.close();
  await once(probe, 'close');
  return found;
}

export function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/** Listens on one socket. */
export async function listenOn(
  server: NetServer,
  options: Parameters<NetServer['listen']>[0],
  onError: (error: Error) => void,
): Promise<void> {
  server.listen(options);
  await once(server, 'listening');
  server.on('error', onError);
}
