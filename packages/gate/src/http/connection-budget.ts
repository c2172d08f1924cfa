import type { Server, Socket } from 'node:net';
import { type Address, addressOwner, formatAddress, parseAddress } from '@countersign/contract/network';
import { ConnectionTable, type TableEntry } from './connection-table.ts';
import { UnprovedTurns } from './unproved-turns.ts';

/** How many connections may be open, and for how long one that has proved nothing may be idle. */
export interface ConnectionLimits {
  /** Connections of all listeners together. */
  readonly connectionsMax: number;
  /** Connections of one address on which no signature has verified; 0 for any number. */
  readonly addressConnectionsMax: number;
  /** The time for a whole head, from the beginning of such a connection or from its last answer. */
  readonly unprovedIdleMs: number;
}

/** Connections as they are now, and those that were turned away since the start. */
export interface ConnectionFigures {
  readonly openCount: number;
  readonly unprovedCount: number;
  readonly connectionsMax: number;
  readonly turnedAwayCount: number;
}

/** Which addresses a node that cannot keep up takes no new connections from. */
export interface Overload {
  /** Returns true while the node cannot keep up. */
  readonly isOverloaded: () => boolean;
  /** The failures that each address may still make meanwhile; they refill with time, up to `tokensMax`. */
  readonly failures: {
    readonly tokensMax: number;
    tokens(address: string): number;
    take(address: string): void;
  };
}

export interface ConnectionBudgetOptions extends ConnectionLimits {
  /** Undefined to treat all addresses alike, however busy the node is. */
  readonly overload?: Overload | undefined;
  /** The work on requests of unproved connections in one turn of the event loop, in milliseconds. */
  readonly turnMs?: number | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called when a connection is ended for another one, or not taken, with its source address. */
  readonly onTurnedAway: (sourceAddress: string) => void;
}

/**
 * Decides which connections the listeners of a service keep, so that nobody can use up its file descriptors by opening
 * connections. The idea is that of OpenSSH's `MaxStartups` and `PerSourceMaxStartups`: only connections that have proved
 * nothing are limited tightly. A connection is proved once a signature or a session has verified on it, or if it comes
 * from a trusted proxy.
 *
 * A newcomer is nearly always taken, because it may be honest: beyond a limit, an older connection makes room, idle ones
 * first. Refused is only who comes when everything is in use by those who have proved who they are, and, while the node
 * cannot keep up, who comes from an address whose requests keep failing.
 *
 * Requests of unproved connections have little time in each turn of the event loop, which their addresses share fairly.
 */
export class ConnectionBudget {
  readonly #options: ConnectionBudgetOptions;
  readonly #unproved = new ConnectionTable<Connection>();
  readonly #proved = new ConnectionTable<Connection>();
  /** Unproved connections on which nothing is answered, the one that waits for longest first. */
  readonly #waiting = new Set<Connection>();
  readonly #turns: UnprovedTurns;
  readonly #sweep: NodeJS.Timeout;
  #lookedMs: number;
  /** The time in which this process has read what came. A process that is late must not blame its callers. */
  #readingMs = 0;
  #openCount = 0;
  #turnedAwayCount = 0;

  constructor(options: ConnectionBudgetOptions) {
    this.#options = options;
    this.#lookedMs = options.monotonicMs();
    this.#turns = new UnprovedTurns({
      failsOften: (owner) => this.#failsOften(owner),
      turnMs: options.turnMs ?? defaultTurnMs,
      monotonicMs: options.monotonicMs,
    });
    this.#sweep = setInterval(() => this.#endWaiting(), sweepEveryMs).unref();
  }

  get figures(): ConnectionFigures {
    return {
      openCount: this.#openCount,
      unprovedCount: this.#unproved.size,
      connectionsMax: this.#options.connectionsMax,
      turnedAwayCount: this.#turnedAwayCount,
    };
  }

  /**
   * Has a server ask before it serves a connection. Call it before the server listens.
   *
   * @param isTrusted recognises proxies, which are never limited per address and never make room
   */
  limit(server: Server, isTrusted: (address: Address) => boolean): void {
    const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (this.#admit(server, socket, isTrusted)) for (const serve of listeners) serve.call(server, socket);
    });
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #admit(server: Server, socket: Socket, isTrusted: (address: Address) => boolean): boolean {
    const address = parseAddress(socket.remoteAddress ?? '');
    const owner = address ? addressOwner(address) : '';
    const isProxy = address !== undefined && isTrusted(address);
    const { addressConnectionsMax, connectionsMax } = this.#options;
    if (!isProxy && this.#isShunned(owner)) {
      this.#tell(address);
      socket.destroy();
      return false;
    }
    if (!isProxy && addressConnectionsMax > 0 && this.#unproved.countOf(owner) >= addressConnectionsMax)
      this.#spare(this.#spareOf(owner));
    if (this.#openCount >= connectionsMax && !this.#spare(this.#leastMissed())) {
      this.#tell(address);
      socket.destroy();
      return false;
    }
    const connection: Connection = {
      budget: this,
      server,
      socket,
      owner,
      address,
      state: isProxy ? 'trusted' : 'unproved',
      runningCount: 0,
      waitingCount: 0,
      isBusy: false,
      waitingSinceMs: this.#readingMs,
      bytesReadBefore: 0,
      endsAfterAnswer: false,
    };
    connections.set(socket, connection);
    this.#openCount += 1;
    if (!isProxy) {
      this.#unproved.add(connection);
      this.#waiting.add(connection);
    }
    socket.once('close', () => this.#remove(connection));
    return true;
  }

  begin(connection: Connection): void {
    connection.runningCount += 1;
    if (connection.runningCount > 1) return;
    this.#tableOf(connection)?.setBusy(connection, true);
    this.#waiting.delete(connection);
  }

  inTurn(connection: Connection, begin: () => void): void {
    const { owner, state, socket } = connection;
    if (state !== 'unproved' && connection.waitingCount === 0) return begin();
    connection.waitingCount += 1;
    const isTaken = this.#turns.take({
      owner,
      begin: () => {
        connection.waitingCount -= 1;
        if (!socket.destroyed) begin();
      },
    });
    if (!isTaken) this.#spare(connection);
  }

  end(connection: Connection, isRead: boolean): void {
    connection.runningCount -= 1;
    if (connection.runningCount > 0) return;
    this.#tableOf(connection)?.setBusy(connection, false);
    const { socket, state } = connection;
    // A connection whose last answer is written ends by itself.
    if (state !== 'unproved' || !socket.writable) return;
    if (connection.endsAfterAnswer) {
      socket.destroySoon();
      return;
    }
    connection.waitingSinceMs = this.#readingMs;
    connection.bytesReadBefore = isRead ? socket.bytesRead : Number.POSITIVE_INFINITY;
    this.#waiting.add(connection);
  }

  prove(connection: Connection): void {
    if (connection.state !== 'unproved') return;
    this.#unproved.remove(connection);
    this.#waiting.delete(connection);
    connection.state = 'proved';
    this.#proved.add(connection);
  }

  fail(connection: Connection): void {
    const { owner, state } = connection;
    if (state === 'trusted' || owner === '') return;
    this.#options.overload?.failures.take(owner);
    connection.endsAfterAnswer = state === 'unproved' && this.#isShunned(owner);
  }

  #isShunned(owner: string): boolean {
    const { overload } = this.#options;
    return overload !== undefined && overload.failures.tokens(owner) < 1 && overload.isOverloaded();
  }

  #failsOften(owner: string): boolean {
    const failures = this.#options.overload?.failures;
    return failures !== undefined && failures.tokensMax - failures.tokens(owner) > failuresForgiven;
  }

  keepAliveSeconds({ state }: Connection): number | undefined {
    return state === 'unproved' ? Math.floor(this.#options.unprovedIdleMs / 1000) : undefined;
  }

  #tableOf({ state }: Connection): ConnectionTable<Connection> | undefined {
    if (state === 'unproved') return this.#unproved;
    return state === 'proved' ? this.#proved : undefined;
  }

  #spareOf(owner: string): Connection | undefined {
    return this.#unproved.longestIdleOf(owner) ?? this.#unproved.longestBusyOf(owner);
  }

  /** Finds a connection that can make room, of whoever has the most. Work of proved callers is never ended. */
  #leastMissed(): Connection | undefined {
    const stranger = this.#unproved.ownerOfMost();
    if (stranger !== undefined) return this.#spareOf(stranger);
    const caller = this.#proved.ownerOfMost();
    return caller === undefined ? undefined : this.#proved.longestIdleOf(caller);
  }

  #spare(connection: Connection | undefined): boolean {
    if (connection === undefined) return false;
    this.#remove(connection);
    connection.socket.destroy();
    this.#tell(connection.address);
    return true;
  }

  #tell(address: Address | undefined): void {
    this.#turnedAwayCount += 1;
    this.#options.onTurnedAway(address ? formatAddress(address) : '');
  }

  #remove(connection: Connection): void {
    if (!connections.delete(connection.socket)) return;
    this.#openCount -= 1;
    this.#tableOf(connection)?.remove(connection);
    this.#waiting.delete(connection);
  }

  /** Ends unproved connections on which no head was complete in time. */
  #endWaiting(): void {
    const nowMs = this.#options.monotonicMs();
    this.#readingMs += Math.min(nowMs - this.#lookedMs, readingStepMaxMs);
    this.#lookedMs = nowMs;
    this.#endThoseSince(this.#readingMs - this.#options.unprovedIdleMs - keepAliveBufferMs);
  }

  /** Thousands may be due together, and ending them all in one turn of the event loop would hold up everybody else. */
  #endThoseSince(endedMs: number): void {
    let count = 0;
    for (const connection of this.#waiting) {
      if (connection.waitingSinceMs > endedMs) return;
      if (count === endedPerTurnMax) {
        setImmediate(() => this.#endThoseSince(endedMs));
        return;
      }
      count += 1;
      this.#waiting.delete(connection);
      const { server, socket, bytesReadBefore } = connection;
      // Half a request is answered as any other that is too slow.
      if (socket.bytesRead > bytesReadBefore) server.emit('clientError', new SlowHeadError(), socket);
      else socket.destroy();
    }
  }
}

/** Notes that a request has begun on a connection: its head is complete. */
export function requestBegins(socket: Socket): void {
  const connection = connections.get(socket);
  connection?.budget.begin(connection);
}

/** Begins the work on a request, at once if its connection is proved, or when it is its turn. */
export function beginInTurn(socket: Socket, begin: () => void): void {
  const connection = connections.get(socket);
  if (connection) connection.budget.inTurn(connection, begin);
  else begin();
}

/**
 * Notes that a request is answered.
 *
 * @param isRead if its body had arrived by then
 */
export function requestEnds(socket: Socket, isRead: boolean): void {
  const connection = connections.get(socket);
  connection?.budget.end(connection, isRead);
}

/** Notes that a signature or a session has verified on a connection. */
export function proveConnection(socket: Socket): void {
  const connection = connections.get(socket);
  connection?.budget.prove(connection);
}

/** Notes that a request on a connection had no valid signature or session. */
export function connectionFails(socket: Socket): void {
  const connection = connections.get(socket);
  connection?.budget.fail(connection);
}

/** Returns the seconds for which an answer may promise to keep an unproved connection; undefined for a proved one. */
export function unprovedKeepAliveSeconds(socket: Socket): number | undefined {
  const connection = connections.get(socket);
  return connection?.budget.keepAliveSeconds(connection);
}

/** The open connections of all budgets. */
const connections = new WeakMap<Socket, Connection>();

interface Connection extends TableEntry {
  readonly budget: ConnectionBudget;
  readonly server: Server;
  readonly socket: Socket;
  readonly address: Address | undefined;
  state: 'unproved' | 'proved' | 'trusted';
  /** Requests without an answer. */
  runningCount: number;
  /** Those of them on which the work has not begun. */
  waitingCount: number;
  /** When the connection began to wait for a head, by the time in which the process has read. */
  waitingSinceMs: number;
  /** Set if the connection is to end with the answer that is due. */
  endsAfterAnswer: boolean;
  /** How much had been read when it began to wait; infinite if more was still to come. */
  bytesReadBefore: number;
}

/** A head that did not come in time, as node:http reports it. */
class SlowHeadError extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

/** Few are due each time, so nobody waits long. */
const sweepEveryMs = 50;
/** A process that has not looked for longer was not reading either. */
const readingStepMaxMs = 1000;
/** Two or three requests. */
const defaultTurnMs = 0.25;
const endedPerTurnMax = 10;
/** Whoever fails more often, faster than it is forgotten, waits behind newcomers. */
const failuresForgiven = 10;
/** A client that uses a connection at the last moment of its promised time must still find it open. */
const keepAliveBufferMs = 1000;
