import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { Client, type Dispatcher, Pool } from 'undici';
import type { WaitingClient } from '../door.ts';
import { isInMemory, type ReceivedBody } from '../http/spool.ts';
import { AddressHealth } from './address-health.ts';
import { Relay } from './relay.ts';
import { Tunnel } from './tunnel.ts';
import { returnedHead, switchingHead } from './returned-headers.ts';
import { upstreamConnector } from './upstream-connector.ts';
import { UpstreamError, type UpstreamFailure } from './upstream-error.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** A request for an upstream: everything that is sent, except framing. */
export interface UpstreamRequest {
  readonly method: string;
  /** The raw target, in origin-form. */
  readonly target: string;
  /** Names and values in turn, for an upstream at this origin. */
  readonly headersFor: (origin: URL) => string[];
  /** The verified body. */
  readonly body: ReceivedBody;
  readonly firstByteSeconds: number | undefined;
  readonly idleSeconds: number | undefined;
  /** The protocol to switch to; undefined for none. */
  readonly upgrade: string | undefined;
}

/** An answer that has begun. */
export type UpstreamAnswer = Relay | Tunnel;

/** The figures of an upstream for operators. */
export interface UpstreamFigures {
  readonly name: string;
  readonly addresses: readonly {
    readonly address: string;
    readonly isEjected: boolean;
    readonly runningCount: number;
  }[];
}

/**
 * An API behind the gateway. Each request is sent whole, on a connection that carries one request at a time, with the
 * exact length of its body.
 *
 * A request is repeated only if nothing of it has left, or if it is a GET or HEAD and nothing of an answer has come.
 */
export class Upstream {
  readonly settings: UpstreamSettings;
  readonly #addresses: readonly Address[];
  #running = 0;
  #next = 0;

  /** @param monotonicMs a monotonic clock, in milliseconds */
  constructor(settings: UpstreamSettings, monotonicMs: () => number) {
    this.settings = settings;
    this.#addresses = settings.addresses.map((text) => openAddress(text, settings, monotonicMs));
  }

  /**
   * Sends a request and resolves once its answer begins.
   *
   * @throws UpstreamError if there is none
   */
  async send(request: UpstreamRequest, client: WaitingClient): Promise<UpstreamAnswer> {
    const { connectionsMax, waitingMax } = this.settings;
    if (this.#running >= connectionsMax * this.#addresses.length + waitingMax)
      throw new UpstreamError(
        'upstream_busy',
        `${this.#running} requests are waiting for ${this.settings.name}`,
      );
    this.#running += 1;
    try {
      return await this.#sendTo(this.#addressesInTurn(), request, client);
    } finally {
      this.#running -= 1;
    }
  }

  async #sendTo(
    addresses: readonly Address[],
    request: UpstreamRequest,
    client: WaitingClient,
  ): Promise<UpstreamAnswer> {
    let isRepeated = false;
    for (let index = 0; ; index++) {
      const address = addresses[index % addresses.length]!;
      const attempt = new Attempt(address, request, client, this.settings);
      try {
        const relay = await attempt.relay;
        address.health.succeeded();
        return relay;
      } catch (error) {
        if (attempt.isGivenUp) throw error;
        address.health.failed();
        const mayRepeat = attempt.hasLeft
          ? !isRepeated && isRepeatable(request.method) && attempt.isConnectionLost
          : index + 1 < addresses.length;
        if (!mayRepeat) throw error;
        isRepeated ||= attempt.hasLeft;
      }
    }
  }

  /** Healthy addresses first, beginning with another one each time. */
  #addressesInTurn(): readonly Address[] {
    const { length } = this.#addresses;
    if (length === 1) return this.#addresses;
    const start = this.#next++ % length;
    const rotated = [...this.#addresses.slice(start), ...this.#addresses.slice(0, start)];
    return rotated.toSorted((left, right) => left.health.ejectedForMs() - right.health.ejectedForMs());
  }

  figures(): UpstreamFigures {
    return {
      name: this.settings.name,
      addresses: this.#addresses.map(({ origin, health, pool }) => ({
        address: origin.origin,
        isEjected: health.ejectedForMs() > 0,
        runningCount: pool.stats.running,
      })),
    };
  }

  /** Ends all connections once their requests have their answers. */
  async close(): Promise<void> {
    await Promise.all(this.#addresses.map(({ pool }) => pool.close()));
  }
}

interface Address {
  readonly origin: URL;
  readonly pool: Pool;
  readonly health: AddressHealth;
}

function openAddress(text: string, settings: UpstreamSettings, monotonicMs: () => number): Address {
  const origin = new URL(text);
  const pool = new Pool(origin.origin, {
    connections: settings.connectionsMax,
    pipelining: 1,
    headersTimeout: settings.firstByteSeconds * 1000,
    bodyTimeout: settings.idleSeconds * 1000,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: headBytesMax,
    allowH2: settings.http2,
    factory: (to, options) => openConnection(to, options, settings),
  });
  return { origin, pool, health: new AddressHealth(monotonicMs) };
}

/** Below the shortest that servers commonly keep an idle connection open (Node: 5 s). */
const keepAliveMs = 4000;
const headBytesMax = 65_536;
const interimAnswersMax = 32;

/**
 * Opens one connection of a pool. It is not used again after an early answer: a server that answers before it has taken
 * the body may read the rest as the next request.
 */
function openConnection(origin: URL, options: Client.Options, settings: UpstreamSettings): Dispatcher {
  const state: ConnectionState = { socket: undefined, isBroken: false };
  const connect = upstreamConnector(settings, (socket) => {
    state.socket = socket;
    state.isBroken = false;
    socket.once('error', () => {
      state.isBroken = true;
    });
  });
  const client = new Client(origin, { ...options, connect });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request, handler) => {
    if (handler instanceof AttemptHandler) handler.connection = state;
    return dispatch(request, handler);
  };
  return client;
}

/** The connection that carries a request. */
interface ConnectionState {
  socket: Socket | undefined;
  /** True once it has failed: an answer that ends with the connection is then not complete. */
  isBroken: boolean;
}

function isRepeatable(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** One attempt to send a request to one address. */
class Attempt {
  readonly relay: Promise<UpstreamAnswer>;
  readonly #handler: AttemptHandler;

  constructor(address: Address, request: UpstreamRequest, client: WaitingClient, settings: UpstreamSettings) {
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
    this.relay = promise;
    const handler = new AttemptHandler(client, resolve, reject);
    this.#handler = handler;
    const { method, target, headersFor, body, firstByteSeconds, idleSeconds, upgrade } = request;
    // Without a connection by then, nothing has left yet.
    const patience = setTimeout(() => handler.giveUpWaiting(), (settings.connectSeconds + 1) * 1000);
    handler.onLeft = () => clearTimeout(patience);
    client.onGone(() => handler.abandon());
    address.pool.dispatch(
      {
        path: target,
        method,
        ...contentOf(body, headersFor(address.origin)),
        // Servers that ignore the body of such a method would read it as the next request.
        ...(body.length > 0 && !methodsWithBody.has(method) && { reset: true }),
        ...(upgrade !== undefined && { upgrade }),
        ...(firstByteSeconds !== undefined && { headersTimeout: firstByteSeconds * 1000 }),
        ...(idleSeconds !== undefined && { bodyTimeout: idleSeconds * 1000 }),
      },
      handler,
    );
  }

  /** True once the request's first byte may have left. */
  get hasLeft(): boolean {
    return this.#handler.hasLeft;
  }

  /** True if the client has gone. */
  get isGivenUp(): boolean {
    return this.#handler.isAbandoned;
  }

  /** True if the connection ended without an answer, as an idle one does that the upstream has just closed. */
  get isConnectionLost(): boolean {
    return this.#handler.isConnectionLost;
  }
}

/** A body from disk needs its length in the headers: undici would send it in chunks. */
function contentOf(
  body: ReceivedBody,
  headers: string[],
): { body: Uint8Array | Readable | null; headers: string[] } {
  if (body.length === 0) return { body: null, headers };
  if (isInMemory(body)) return { body, headers };
  return { body: body.open(), headers: [...headers, 'Content-Length', String(body.length)] };
}

const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Follows one request through undici. */
class AttemptHandler implements Dispatcher.DispatchHandler {
  connection: ConnectionState | undefined;
  hasLeft = false;
  isAbandoned = false;
  isConnectionLost = false;
  onLeft: () => void = () => undefined;
  readonly #client: WaitingClient;
  readonly #resolve: (answer: UpstreamAnswer) => void;
  readonly #reject: (error: UpstreamError) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #relay: Relay | undefined;
  #interimAnswers = 0;
  #isEarly = false;
  #isOver = false;

  constructor(
    client: WaitingClient,
    resolve: (answer: UpstreamAnswer) => void,
    reject: (error: UpstreamError) => void,
  ) {
    this.#client = client;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Ends the attempt because the client has gone. */
  abandon(): void {
    if (this.isAbandoned) return;
    this.isAbandoned = true;
    this.#fail('upstream_failed', 'the client has gone');
  }

  /** Ends the attempt if it still waits for a connection. */
  giveUpWaiting(): void {
    if (!this.hasLeft) this.#fail('upstream_unavailable', 'no connection was free in time');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.onLeft();
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('nobody waits for it'));
    else this.hasLeft = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText = '',
  ): void {
    const rawHeaders = textsOf(controller.rawHeaders);
    if (status < 200) {
      this.#interim(status, rawHeaders);
      return;
    }
    const head = returnedHead(status, statusText, rawHeaders);
    if (head === undefined) {
      this.#fail('upstream_failed', 'the head of the answer cannot be passed on');
      return;
    }
    this.#isEarly = (this.connection?.socket?.writableLength ?? 0) > 0;
    this.#relay = new Relay(head, {
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      abort: () => controller.abort(new Error('the client has gone')),
    });
    this.#resolve(this.#relay);
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    socket: Duplex,
  ): void {
    const head = switchingHead(status, textsOf(controller.rawHeaders));
    if (head === undefined || this.#isOver) {
      socket.destroy();
      this.#fail('upstream_failed', 'the head of the answer cannot be passed on');
    } else this.#resolve(new Tunnel(head, socket));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#relay?.data(chunk);
  }

  onResponseEnd(): void {
    if (this.connection?.isBroken) this.#relay?.break();
    else this.#relay?.end();
    if (this.#isEarly) this.connection?.socket?.destroy();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.onLeft();
    if (this.#relay) {
      this.#relay.break();
      return;
    }
    this.isConnectionLost = lostConnectionCodes.has(codeOf(error));
    this.#fail(this.hasLeft ? failureOf(error) : 'upstream_unavailable', error.message, error);
  }

  #interim(status: number, rawHeaders: readonly string[]): void {
    this.#interimAnswers += 1;
    if (this.#interimAnswers > interimAnswersMax)
      this.#fail('upstream_failed', `more than ${interimAnswersMax} interim answers came`);
    else if (status === 103) this.#client.hint(rawHeaders);
  }

  #fail(failure: UpstreamFailure, reason: string, cause?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onLeft();
    this.#reject(new UpstreamError(failure, reason, { cause }));
    this.#controller?.abort(new Error(reason));
  }
}

function textsOf(rawHeaders: unknown): readonly string[] {
  if (Array.isArray(rawHeaders)) {
    return rawHeaders.map((one: unknown) => (Buffer.isBuffer(one) ? one.toString('latin1') : String(one)));
  }
  // HTTP/2 has no raw lines.
  return Object.entries((rawHeaders ?? {}) as Record<string, string | string[]>).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one) => [name, one]),
  );
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function failureOf(error: Error): UpstreamFailure {
  return codeOf(error) === 'UND_ERR_HEADERS_TIMEOUT' ? 'upstream_timeout' : 'upstream_failed';
}

const lostConnectionCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
