import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { Client, type Dispatcher, Pool } from 'undici';
import type { WaitingClient } from '../door.ts';
import { isInMemory, type ReceivedBody } from '../http/spool.ts';
import { everythingRead } from './early-bytes.ts';
import { withJoinedCookies } from './joined-cookies.ts';
import { AddressHealth } from './address-health.ts';
import { ConnectionSlots } from './connection-slots.ts';
import { Relay } from './relay.ts';
import { returnedHead, switchingHead } from './returned-headers.ts';
import { Tunnel } from './tunnel.ts';
import type { ForwardingUpstream, UpstreamAnswer, UpstreamRequest } from './upstream-request.ts';
import { type AnswerWatch, skipUnaskedContinue } from './unasked-continue.ts';
import { type NameLookup, upstreamConnector } from './upstream-connector.ts';
import { UpstreamError, type UpstreamFailure } from './upstream-error.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

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
 * An API behind the gateway. Each request is sent as a whole, with the exact length of its body, on a
 * connection that carries one request at a time.
 *
 * A request is retried only if none of it was sent, or if it is a GET or HEAD and nothing of a response
 * arrived.
 */
export class Upstream implements ForwardingUpstream {
  readonly settings: UpstreamSettings;
  readonly #addresses: readonly Address[];
  #waiting = 0;
  #next = 0;

  /**
   * @param monotonicMs a monotonic clock, in milliseconds
   * @param resolve resolves names; the system's resolver unless a test has its own
   */
  constructor(settings: UpstreamSettings, monotonicMs: () => number, resolve?: NameLookup) {
    this.settings = settings;
    this.#addresses = settings.addresses.map((text) => openAddress(text, settings, monotonicMs, resolve));
  }

  /**
   * Sends a request and resolves once its response begins.
   *
   * @throws UpstreamError if there is none
   */
  send(request: UpstreamRequest, client: WaitingClient): Promise<UpstreamAnswer> {
    return this.#sendTo(this.#addressesInTurn(), request, client);
  }

  async #sendTo(
    addresses: readonly Address[],
    request: UpstreamRequest,
    client: WaitingClient,
  ): Promise<UpstreamAnswer> {
    let isRepeated = false;
    for (let index = 0; ; index++) {
      const address = addresses[index % addresses.length]!;
      if (!address.slots.takeNow()) await this.#waitForSlot(address, client);
      await everythingRead();
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

  /** Waits until an address can serve one more request. */
  async #waitForSlot({ slots }: Address, client: WaitingClient): Promise<void> {
    const { name, waitingMax, connectSeconds } = this.settings;
    if (this.#waiting >= waitingMax)
      throw new UpstreamError('upstream_busy', `${this.#waiting} requests are waiting for ${name}`);
    this.#waiting += 1;
    const isTaken = await slots.take((connectSeconds + 1) * 1000, client);
    this.#waiting -= 1;
    if (!isTaken) throw new UpstreamError('upstream_busy', 'no connection was free in time');
  }

  /** Healthy addresses first, then those with a free connection, starting at a different one each time. */
  #addressesInTurn(): readonly Address[] {
    const { length } = this.#addresses;
    if (length === 1) return this.#addresses;
    const start = this.#next++ % length;
    const rotated = [...this.#addresses.slice(start), ...this.#addresses.slice(0, start)];
    return rotated.toSorted(
      (left, right) =>
        left.health.ejectedForMs() - right.health.ejectedForMs() ||
        Number(right.slots.isFree) - Number(left.slots.isFree),
    );
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

  /** Closes each connection once its request has its response. */
  async close(): Promise<void> {
    await Promise.all(this.#addresses.map(({ pool }) => pool.close()));
  }
}

interface Address {
  readonly origin: URL;
  readonly pool: Pool;
  readonly slots: ConnectionSlots;
  readonly health: AddressHealth;
}

function openAddress(
  text: string,
  settings: UpstreamSettings,
  monotonicMs: () => number,
  resolve: NameLookup | undefined,
): Address {
  const origin = new URL(text);
  const pool = new Pool(origin.origin, {
    connections: settings.connectionsMax,
    pipelining: 1,
    // Every interim response would restart this timeout; attempts have their own.
    headersTimeout: 0,
    bodyTimeout: Math.ceil(settings.idleSeconds * 1000),
    ...keepAliveOf(settings),
    maxHeaderSize: headBytesMax,
    allowH2: settings.http2,
    factory: (to, options) => openConnection(to, options, settings, resolve),
  });
  const slots = new ConnectionSlots(settings.connectionsMax);
  return { origin, pool, slots, health: new AddressHealth(monotonicMs) };
}

/** How long an idle connection may be reused. The second limits what an upstream announces. */
function keepAliveOf({ keepAliveSeconds }: UpstreamSettings): {
  keepAliveTimeout: number;
  keepAliveMaxTimeout: number;
} {
  if (keepAliveSeconds === undefined) return { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: 60_000 };
  const milliseconds = Math.max(1, Math.floor(keepAliveSeconds * 1000));
  return { keepAliveTimeout: milliseconds, keepAliveMaxTimeout: milliseconds };
}

/** Below the shortest that servers commonly keep an idle connection open (Node: 5 s). */
const keepAliveMs = 4000;
const headBytesMax = 65_536;
const interimAnswersMax = 32;

/**
 * Opens one connection of a pool. It is not reused after an early response: a server that responds before it
 * has read the body may take the rest of the body for the next request.
 */
function openConnection(
  origin: URL,
  options: Client.Options,
  settings: UpstreamSettings,
  resolve: NameLookup | undefined,
): Dispatcher {
  const state: ConnectionState = { socket: undefined, watch: undefined, isBroken: false };
  const follow = (socket: Socket & { readonly alpnProtocol?: unknown }): void => {
    // In HTTP/2, interim and early responses are harmless: each stream ends by itself.
    const isShared = socket.alpnProtocol === 'h2';
    state.socket = isShared ? undefined : socket;
    state.watch = isShared ? undefined : skipUnaskedContinue(socket);
    state.isBroken = false;
    socket.once('error', () => {
      state.isBroken = true;
    });
  };
  const connect = upstreamConnector(settings, follow, resolve);
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
  /** Undefined if it carries several requests at a time. */
  socket: Socket | undefined;
  watch: AnswerWatch | undefined;
  /** True once it has failed: a response that ends with the connection is then incomplete. */
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
    const { method, target, headersFor, body, idleSeconds, upgrade } = request;
    const connectMs = (settings.connectSeconds + 1) * 1000;
    const firstByteMs = (request.firstByteSeconds ?? settings.firstByteSeconds) * 1000;
    const end: AttemptEnd = { resolve, reject, connectMs, firstByteMs, upgrade };
    const handler = new AttemptHandler(client, end, address.slots);
    this.#handler = handler;
    const headers = headersFor(address.origin);
    const isLast = mayLeaveBody(method, body) || settings.keepAliveSeconds === 0;
    client.onGone(() => handler.abandon());
    address.pool.dispatch(
      {
        path: target,
        method,
        ...contentOf(body, settings.http2 ? withJoinedCookies(headers) : headers),
        ...(isLast && { reset: true }),
        ...(upgrade !== undefined && { upgrade }),
        ...(idleSeconds !== undefined && { bodyTimeout: Math.ceil(idleSeconds * 1000) }),
        // Otherwise undici opens a new connection whenever the client's host differs from the last request's.
        ...({ servername: address.origin.hostname } as object),
      },
      handler,
    );
    handler.awaitConnection();
  }

  /** True once the request's first byte may have been sent. */
  get hasLeft(): boolean {
    return this.#handler.hasLeft;
  }

  /** True if the client has disconnected. */
  get isGivenUp(): boolean {
    return this.#handler.isAbandoned;
  }

  /** True if the connection ended before a response began, such as an idle one that the upstream has just closed. */
  get isConnectionLost(): boolean {
    return this.#handler.isConnectionLost;
  }
}

/** A body from disk needs its length in the headers; otherwise undici would send it in chunks. */
function contentOf(
  body: ReceivedBody,
  headers: string[],
): { body: Uint8Array | Readable | null; headers: string[] } {
  if (body.length === 0) return { body: null, headers };
  if (isInMemory(body)) return { body, headers };
  return { body: body.open(), headers: [...headers, 'Content-Length', String(body.length)] };
}

/**
 * Returns true if an early response of the upstream, sent before it read the whole body, would go unnoticed.
 * Servers ignore the body of some methods, and a body larger than the connection's system buffers may still
 * be in them.
 */
function mayLeaveBody(method: string, { length }: ReceivedBody): boolean {
  return length > (methodsWithBody.has(method) ? bufferedBytesMax : 0);
}

const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const bufferedBytesMax = 65_536;

/** The outcome of an attempt, and the time limit for its response to begin. */
interface AttemptEnd {
  readonly resolve: (answer: UpstreamAnswer) => void;
  readonly reject: (error: UpstreamError) => void;
  readonly connectMs: number;
  /** The limit for the complete head, including all interim responses before it. */
  readonly firstByteMs: number;
  /** The requested protocol; undefined for none. */
  readonly upgrade: string | undefined;
}

/** Follows one request through undici. */
class AttemptHandler implements Dispatcher.DispatchHandler {
  connection: ConnectionState | undefined;
  hasLeft = false;
  isAbandoned = false;
  isConnectionLost = false;
  readonly #client: WaitingClient;
  readonly #end: AttemptEnd;
  #slots: ConnectionSlots | undefined;
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #relay: Relay | undefined;
  #interimAnswers = 0;
  #hasAnswerBegun = false;
  #isEarly = false;
  #isOver = false;

  /** @param slots the attempt holds one until undici is done with it */
  constructor(client: WaitingClient, end: AttemptEnd, slots: ConnectionSlots) {
    this.#client = client;
    this.#end = end;
    this.#slots = slots;
  }

  /** Limits the wait for a connection, unless there was one at once. */
  awaitConnection(): void {
    if (this.#controller !== undefined || this.#isOver) return;
    const late = (): void => this.#fail('upstream_unavailable', 'no connection was ready in time');
    this.#timer = setTimeout(late, this.#end.connectMs);
  }

  /** Ends the attempt because the client has disconnected. */
  abandon(): void {
    if (this.isAbandoned) return;
    this.isAbandoned = true;
    this.#fail('upstream_failed', 'the client disconnected');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#timer);
    this.#controller = controller;
    if (this.#isOver) {
      controller.abort(new Error('nothing is waiting for it'));
      return;
    }
    this.hasLeft = true;
    this.connection?.watch?.expectAnswer();
    this.#awaitAnswer();
  }

  /** Gives an upstream that reads a large body slowly the time that it needs. */
  onBodySent(): void {
    if (this.#relay === undefined && !this.#isOver) this.#awaitAnswer();
  }

  #awaitAnswer(): void {
    clearTimeout(this.#timer);
    const late = (): void => this.#fail('upstream_timeout', 'no response came in time');
    this.#timer = setTimeout(late, this.#end.firstByteMs);
  }

  onResponseStarted(): void {
    this.#hasAnswerBegun = true;
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
      this.#fail('upstream_failed', 'the head of the response cannot be forwarded');
      return;
    }
    clearTimeout(this.#timer);
    this.#isEarly = (this.connection?.socket?.writableLength ?? 0) > 0;
    this.#relay = new Relay(head, {
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      abort: () => controller.abort(new Error('the client disconnected')),
    });
    this.#end.resolve(this.#relay);
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    socket: Duplex,
  ): void {
    const head = switchingHead(status, textsOf(controller.rawHeaders), this.#end.upgrade);
    if (head === undefined || this.#isOver) {
      socket.destroy();
      this.#fail('upstream_failed', 'the head of the response cannot be forwarded');
      this.#release();
      return;
    }
    clearTimeout(this.#timer);
    socket.once('close', () => this.#release());
    this.#end.resolve(new Tunnel(head, socket));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#relay?.data(chunk);
  }

  onResponseEnd(_controller: Dispatcher.DispatchController, trailers: object): void {
    if (this.connection?.isBroken) this.#relay?.break();
    else this.#relay?.end();
    // The parser takes trailers with framing names for part of the next response's head.
    const hasTrailers = Object.keys(trailers).length > 0;
    if (this.#isEarly || hasTrailers) this.connection?.socket?.destroy();
    this.#release();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#release();
    if (this.#relay) {
      this.#relay.break();
      return;
    }
    this.isConnectionLost = !this.#hasAnswerBegun && lostConnectionCodes.has(codeOf(error));
    this.#fail(this.hasLeft ? 'upstream_failed' : 'upstream_unavailable', error.message, error);
  }

  /** Releases the slot. Only the first call counts. */
  #release(): void {
    this.#slots?.release();
    this.#slots = undefined;
  }

  #interim(status: number, rawHeaders: readonly string[]): void {
    this.#interimAnswers += 1;
    if (this.#interimAnswers > interimAnswersMax)
      this.#fail('upstream_failed', `more than ${interimAnswersMax} interim responses came`);
    else if (status === 101) this.#fail('upstream_failed', 'it switched protocols without being asked');
    else if (status === 103) this.#client.hint(rawHeaders);
  }

  #fail(failure: UpstreamFailure, reason: string, cause?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#end.reject(new UpstreamError(failure, reason, { cause }));
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

const lostConnectionCodes: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
