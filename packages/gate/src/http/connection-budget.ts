import type { Server, Socket } from 'node:net';
import { type Address, addressOwner, formatAddress, parseAddress } from '@countersign/contract/network';
import { ConnectionTable, type TableEntry } from './connection-table.ts';
import { UnprovedTurns } from './unproved-turns.ts';

/** Limits on how many connections may be open, and how long an unproved one may be idle. */
export interface ConnectionLimits {
  /** The maximum number of connections on all listeners together. */
  readonly connectionsMax: number;
  /** The maximum number of unproved connections per address; 0 for no limit. */
  readonly addressConnectionsMax: number;
  /** The time for a complete head, from the start of such a connection or from its last response. */
  readonly unprovedIdleMs: number;
}

/** Current connections, and those rejected since the start. */
export interface ConnectionFigures {
  readonly openCount: number;
  readonly unprovedCount: number;
  readonly connectionsMax: number;
  readonly turnedAwayCount: number;
}

/** Identifies the addresses from which an overloaded node accepts no new connections. */
export interface Overload {
  /** Returns true while the node is overloaded. */
  readonly isOverloaded: () => boolean;
  /**
   * The failures that each address may still cause while the node is overloaded; they refill over time, up to
   * `tokensMax`.
   */
  readonly failures: {
    readonly tokensMax: number;
    tokens(address: string): number;
    take(address: string): void;
  };
}

export interface ConnectionBudgetOptions extends ConnectionLimits {
  /** Undefined to treat all addresses alike, however busy the node is. */
  readonly overload?: Overload | undefined;
  /** The time for requests on unproved connections in one turn of the event loop, in milliseconds. */
  readonly turnMs?: number | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called when a connection is closed to make room, or is not accepted, with its source address. */
  readonly onTurnedAway: (sourceAddress: string) => void;
}

/**
 * Decides which connections a service's listeners keep, so that nobody can exhaust its file descriptors by
 * opening connections. The idea comes from OpenSSH's `MaxStartups` and `PerSourceMaxStartups`: only unproved
 * connections are limited tightly. A connection is proved once a signature or a session has verified on it,
 * or if it comes from a trusted proxy.
 *
 * A new connection is nearly always accepted, because it may be honest: beyond a limit, an older one is
 * closed to make room, idle ones first. A new connection is rejected in two cases only: every slot is held by
 * an authenticated caller, or the node is overloaded and the address keeps sending requests that fail.
 *
 * Requests on unproved connections get little time in each turn of the event loop, shared fairly between
 * addresses.
 */
export class ConnectionBudget {
  readonly #options: ConnectionBudgetOptions;
  readonly #unproved = new ConnectionTable<Connection>();
  readonly #proved = new ConnectionTable<Connection>();
  /** Unproved connections without a response so far, the longest-waiting first. */
  readonly #waiting = new Set<Connection>();
  readonly #turns: UnprovedTurns;
  readonly #sweep: NodeJS.Timeout;
  #lookedMs: number;
  /**
   * The time up to which this process has read its input. If the process is late, callers must not be blamed
   * for it.
   */
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
   * Makes a server check each new connection with this budget. Call it before the server listens.
   *
   * @param isTrusted recognizes proxies, which are never limited per address and never make room
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
      this.#reportTurnedAway(address);
      socket.destroy();
      return false;
    }
    if (!isProxy && addressConnectionsMax > 0 && this.#unproved.countOf(owner) >= addressConnectionsMax)
      this.#spare(this.#spareOf(owner));
    if (this.#openCount >= connectionsMax && !this.#spare(this.#leastMissed())) {
      this.#reportTurnedAway(address);
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
    // A connection whose last response is written ends by itself.
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

  /**
   * Finds a connection to close, one of the owner that has the most. Work for authenticated callers is never
   * interrupted.
   */
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
    this.#reportTurnedAway(connection.address);
    return true;
  }

  #reportTurnedAway(address: Address | undefined): void {
    this.#turnedAwayCount += 1;
    this.#options.onTurnedAway(address ? formatAddress(address) : '');
  }

  #remove(connection: Connection): void {
    if (!connections.delete(connection.socket)) return;
    this.#openCount -= 1;
    this.#tableOf(connection)?.remove(connection);
    this.#waiting.delete(connection);
  }

  /** Closes unproved connections that sent no complete head in time. */
  #endWaiting(): void {
    const nowMs = this.#options.monotonicMs();
    this.#readingMs += Math.min(nowMs - this.#lookedMs, readingStepMaxMs);
    this.#lookedMs = nowMs;
    this.#endThoseSince(this.#readingMs - this.#options.unprovedIdleMs - keepAliveBufferMs);
  }

  /**
   * Ends a limited number at once: thousands may be due together, and closing all of them in one turn would
   * block the event loop.
   */
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
      // Half a request gets the same response as any other that is too slow.
      if (socket.bytesRead > bytesReadBefore) server.emit('clientError', new SlowHeadError(), socket);
      else socket.destroy();
    }
  }
}

/** Records that a request has begun on a connection: its head is complete. */
export function requestBegins(socket: Socket): void {
  const connection = connections.get(socket);
  connection?.budget.begin(connection);
}

/** Starts the work on a request: at once if its connection is proved, otherwise when its turn comes. */
export function beginInTurn(socket: Socket, begin: () => void): void {
  const connection = connections.get(socket);
  if (connection) connection.budget.inTurn(connection, begin);
  else begin();
}

/**
 * Records that a request has its response.
 *
 * @param isRead true if its body had arrived by then
 */
export function requestEnds(socket: Socket, isRead: boolean): void {
  const connection = connections.get(socket);
  connection?.budget.end(connection, isRead);
}

/** Records that a signature or a session has verified on a connection. */
export function proveConnection(socket: Socket): void {
  const connection = connections.get(socket);
  connection?.budget.prove(connection);
}

/** Records that a request on a connection had no valid signature or session. */
export function connectionFails(socket: Socket): void {
  const connection = connections.get(socket);
  connection?.budget.fail(connection);
}

/**
 * Returns the seconds that a response may promise to keep an unproved connection open; undefined for a proved
 * one.
 */
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
  /** Requests that have no response yet. */
  runningCount: number;
  /** How many of those are still waiting for their turn. */
  waitingCount: number;
  /** When the connection began to wait for a head, measured by the time up to which the process has read. */
  waitingSinceMs: number;
  /** Set if the connection closes after the pending response. */
  endsAfterAnswer: boolean;
  /** How much had been read when the wait began; infinite if more was still to come. */
  bytesReadBefore: number;
}

/** The error for a head that did not arrive in time, as node:http reports it. */
class SlowHeadError extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

/** Few are due each time, so none waits long. */
const sweepEveryMs = 50;
/** A process that has not checked for longer than this was not reading either. */
const readingStepMaxMs = 1000;
/** Allows two or three requests. */
const defaultTurnMs = 0.25;
const endedPerTurnMax = 10;
/** An address that fails more often than this, faster than failures are forgotten, waits behind new connections. */
const failuresForgiven = 10;
/** A client that reuses a connection at the last moment of its promised time must still find it open. */
const keepAliveBufferMs = 1000;
