import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, Server as NetServer } from 'node:net';
import { setImmediate as afterInput } from 'node:timers/promises';
import { endSwitched } from '@countersign/gate';

/** The address that a server listens on. */
export interface ListeningPlace {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** True if other threads also listen there. */
  readonly isShared?: boolean;
  /** Called when a connection could not be accepted, for example because the system has no file descriptor left. */
  readonly onError: (error: Error) => void;
}

/**
 * Maximum number of connections waiting to be accepted, per socket. Any more are lost; the system may allow
 * fewer.
 */
const backlog = 4096;

/**
 * The number of sockets that a server listens on. In each turn, the event loop accepts one connection per
 * socket, however many wait. A turn that checks hundreds of requests is long: with a single socket, new
 * connections would wait behind strangers' until they time out.
 */
export const socketsPerServer = 32;

/** A server's sockets: several on one port, among which Linux distributes the connections. */
export class Listening {
  readonly port: number;
  readonly #server: Server;
  readonly #others: readonly NetServer[];
  /** Resolves when no socket listens any more and all connections have ended. */
  readonly #ended: Promise<unknown>;
  #refusing: Promise<void> | undefined;

  private constructor(server: Server, others: readonly NetServer[]) {
    this.port = portOf(server);
    this.#server = server;
    this.#others = others;
    // `events.once` would reject on an error, but a connection that could not be accepted is not the end.
    const ended = (each: NetServer): Promise<void> => new Promise((resolve) => each.once('close', resolve));
    this.#ended = Promise.all([server, ...others].map(ended));
  }

  /**
   * Makes a server listen.
   *
   * @throws Error with the system's code, for example `EADDRINUSE` if another process listens there
   */
  static async open(server: Server, place: ListeningPlace): Promise<Listening> {
    const { host, isShared = false, onError } = place;
    // Other systems cannot share a port between sockets, or give all connections to one of them.
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

  /**
   * Accepts the connections that the system already holds, then no more. Open connections stay open. Resolves
   * once new ones are refused.
   */
  refuse(): Promise<void> {
    return (this.#refusing ??= this.#refuse());
  }

  async #refuse(): Promise<void> {
    await this.#takeWaiting();
    // The HTTP server's own `close` would also end idle connections, on which a balancer may be sending a
    // request right now.
    for (const server of [this.#server, ...this.#others]) NetServer.prototype.close.call(server);
  }

  /**
   * Accepts the connections that are waiting, because closing a socket cuts them, and their requests may
   * already have been sent. Each turn of the event loop accepts one per socket; after the process has stalled,
   * more are waiting.
   */
  async #takeWaiting(): Promise<void> {
    let taken = 0;
    const count = (): void => void (taken += 1);
    this.#server.on('connection', count);
    // The first turn may end before the system is polled. No more than the backlog can wait, but strangers may
    // keep connecting.
    for (let turn = 0, quietTurns = 0; turn < backlog && quietTurns < 2; turn += 1) {
      const before = taken;
      await everythingRead();
      quietTurns = taken === before ? quietTurns + 1 : 0;
    }
    this.#server.off('connection', count);
  }

  /**
   * Lets requests in progress finish, closes each connection once it is idle, and closes all of them after
   * `waitMs`.
   */
  async end(waitMs: number): Promise<void> {
    const server = this.#server;
    await this.refuse();
    await everythingRead();
    server.close();
    // A connection that was busy until now, for example with a health check, would otherwise stay open for the
    // next request.
    const idle = setInterval(() => void everythingRead().then(() => server.closeIdleConnections()), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), waitMs);
    server.closeIdleConnections();
    endSwitched(server);
    await this.#ended;
    clearInterval(idle);
    clearTimeout(deadline);
  }
}

/**
 * Resolves once the process has read every byte that the system holds for its connections, and accepted one
 * connection from each listening socket. If the process had to wait for the processor, its timers run before
 * that, and connections with an unread request look idle to them.
 */
async function everythingRead(): Promise<void> {
  await afterInput();
}

/**
 * Finds a port that nothing else listens on. With sockets that share a port, the system would not report a
 * conflict.
 */
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
