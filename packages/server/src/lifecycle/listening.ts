import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, Server as NetServer } from 'node:net';
import { setImmediate as afterInput } from 'node:timers/promises';
import { endSwitched } from '@countersign/gate';

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
  /** Resolves when no socket listens any more and all connections have ended. */
  readonly #ended: Promise<unknown>;
  #refusing: Promise<void> | undefined;

  private constructor(server: Server, others: readonly NetServer[]) {
    this.port = portOf(server);
    this.#server = server;
    this.#others = others;
    // Not by events.once: a connection that could not be accepted is an error, and not the end.
    const ended = (each: NetServer): Promise<void> => new Promise((resolve) => each.once('close', resolve));
    this.#ended = Promise.all([server, ...others].map(ended));
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

  /**
   * Takes the connections that the system holds already, and no new ones from then on. Open ones stay open. Resolves once
   * newcomers are refused.
   */
  refuse(): Promise<void> {
    return (this.#refusing ??= this.#refuse());
  }

  async #refuse(): Promise<void> {
    await this.#takeWaiting();
    // The HTTP server's own close also ends idle connections, on which a balancer may be sending a request right now.
    for (const server of [this.#server, ...this.#others]) NetServer.prototype.close.call(server);
  }

  /**
   * Closing a socket cuts the connections that wait on it, whose requests may have been sent. A turn of the event loop takes
   * one from each socket; after a moment in which the process stood still, more are waiting.
   */
  async #takeWaiting(): Promise<void> {
    let taken = 0;
    const count = (): void => void (taken += 1);
    this.#server.on('connection', count);
    // The first may end before the system is asked. No more than the backlog can wait, but strangers may keep coming.
    for (let turn = 0, quietTurns = 0; turn < backlog && quietTurns < 2; turn += 1) {
      const before = taken;
      await everythingRead();
      quietTurns = taken === before ? quietTurns + 1 : 0;
    }
    this.#server.off('connection', count);
  }

  /** Lets running requests finish, closes each connection once it is idle, and after `waitMs` all of them. */
  async end(waitMs: number): Promise<void> {
    const server = this.#server;
    await this.refuse();
    await everythingRead();
    server.close();
    // A connection that was busy until now, for example with a health check, would otherwise stay open for the next
    // request.
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
 * Resolves once the process has read every byte that the system holds for its connections, and taken a connection from each
 * socket that it listens on. Timers of a process that had to wait for the processor run before that, and a connection with an
 * unread request looks idle to them.
 */
async function everythingRead(): Promise<void> {
  await afterInput();
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
