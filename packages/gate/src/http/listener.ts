import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { newId } from '@countersign/contract/ids';
import { type ProblemCode, problems } from '@countersign/contract/problems';
import { beginInTurn, requestBegins, requestEnds } from './connection-budget.ts';
import { lingerAtEnd, type LingerLimits, profileLingerLimits } from './linger.ts';
import { problemBody } from './problem.ts';
import { http } from './node-http.ts';

/** Timeouts for slow peers, and the maximum size of a head (docs/profile.md section 2.6). */
export interface ListenerLimits extends LingerLimits {
  readonly headerBytesMax: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
}

export const profileListenerLimits: ListenerLimits = {
  headerBytesMax: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  ...profileLingerLimits,
};

/** Handles a request. */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  options?: RequestOptions,
) => void;

/** Special conditions of a request. */
export interface RequestOptions {
  /** The caller holds back its body until it gets `100 Continue`. */
  readonly expectsContinue?: boolean;
  /** The connection can switch to another protocol. */
  readonly canSwitch?: boolean;
}

/** Bytes that are not a request, or arrived too slowly to become one. */
export interface Unparsable {
  readonly requestId: string;
  readonly code: ProblemCode;
  /** The parser's name for the fault. */
  readonly reason: string;
  /** The peer's address, as the system writes it. */
  readonly peer: string | undefined;
}

/** Creates a node:http server with strict parsing and short timeouts. It handles nothing until `attach` is called. */
export function createListener(limits: ListenerLimits = profileListenerLimits): Server {
  const server: Server = http.createServer({
    shouldUpgradeCallback: (request) => upgradeChecks.get(server)?.(request) ?? false,
    insecureHTTPParser: false,
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
    requireHostHeader: false, // Framing rejects these, with a code.
    noDelay: true,
  });
  // node:http silently drops header lines above its limit. Set none here: framing counts the lines and rejects.
  server.maxHeadersCount = 0;
  server.prependListener('connection', (socket) => lingerAtEnd(socket, limits));
  // Closes idle connections, such as those of a peer that does not read its responses. `attach` says which
  // are not idle.
  server.setTimeout(limits.requestTimeoutMs + limits.keepAliveTimeoutMs);
  return server;
}

/** The predicate of each listener that decides whether a connection may switch to another protocol. */
const upgradeChecks = new WeakMap<Server, (request: IncomingMessage) => boolean>();

/** Connections that were handed over to another protocol: node:http no longer tracks them. */
const switched = new WeakMap<Server, Set<Duplex>>();

/** Closes all connections that have switched to another protocol. */
export function endSwitched(server: Server): void {
  for (const socket of switched.get(server) ?? []) socket.destroy();
}

/** Handlers for what a listener receives. */
export interface Attachment {
  readonly onRequest: RequestListener;
  readonly onUnparsable?: (unparsable: Unparsable) => void;
  /** Decides whether a connection may switch to another protocol. Absent means none may. */
  readonly mayUpgrade?: (request: IncomingMessage) => boolean;
  readonly problemTypeBase: string;
}

/**
 * Passes on what a listener receives, and responds to bytes that are not a request. Attach it in the same
 * turn of the event loop in which the server starts listening: anything that arrives earlier is lost.
 */
export function attach(
  server: Server,
  { onRequest, onUnparsable, mayUpgrade, problemTypeBase }: Attachment,
): void {
  const latest = new WeakMap<Duplex, Exchange>();
  const take = (request: IncomingMessage, response: ServerResponse, options: RequestOptions): void => {
    const { socket } = request;
    const before = latest.get(socket);
    if (endsConnection(before)) return;
    latest.set(socket, { request, response });
    requestBegins(socket);
    response.once('close', () => requestEnds(socket, request.complete));
    beginInTurn(socket, () => {
      // The previous request may have been waiting too.
      if (endsConnection(before)) response.shouldKeepAlive = false;
      else onRequest(request, response, options);
    });
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => take(request, response, {}));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    take(request, response, { expectsContinue: true }),
  );
  // Other expectations may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    take(request, response, {}),
  );

  /** Takes a request after which node:http reads nothing more. */
  const takeLast = (request: IncomingMessage, options: RequestOptions): void => {
    const { socket } = request;
    // node:http has removed its own listener.
    socket.on('error', () => undefined);
    whenItsTurn(latest.get(socket), () => {
      if (!socket.writable) return;
      const response = new http.ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once('finish', () => socket.destroySoon());
      take(request, response, options);
    });
  };
  server.on('connect', (request: IncomingMessage) => takeLast(request, {}));
  server.on('timeout', (socket: Socket) => endIfIdle(socket, latest.get(socket)));
  if (mayUpgrade) {
    upgradeChecks.set(server, mayUpgrade);
    const sockets = new Set<Duplex>();
    switched.set(server, sockets);
    server.on('upgrade', (request: IncomingMessage, socket: Socket, first: Buffer) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      // Bytes of the other protocol that arrived with the head.
      if (first.length > 0) socket.unshift(first);
      takeLast(request, { canSwitch: true });
    });
  }

  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (broken.has(socket)) return;
    broken.add(socket);
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    whenItsTurn(latest.get(socket), (isAnswered) => {
      if (isAnswered || !socket.writable) {
        socket.destroy();
        return;
      }
      const requestId = newId('request');
      const code = codeOf(error);
      answerByHand(socket, problemTypeBase, code, requestId);
      onUnparsable?.({ requestId, code, reason: error.code ?? error.name, peer: socket.remoteAddress });
    });
  });
}

/** Everything after a request whose response closes the connection is ignored (RFC 9112 section 9.6). */
function endsConnection(before: Exchange | undefined): boolean {
  return before?.response.shouldKeepAlive === false;
}

function endIfIdle(socket: Socket, latest: Exchange | undefined): void {
  if (waitsForUs(latest, socket)) socket.setTimeout(socket.timeout!);
  else socket.destroy();
}

/**
 * Returns true if a peer has sent its whole request and read all of the response so far. It can only wait,
 * for as long as the handler takes.
 */
function waitsForUs(latest: Exchange | undefined, { writableLength }: Socket): boolean {
  if (latest === undefined || writableLength > 0) return false;
  const { request, response } = latest;
  const hasSwitched = response.headersSent && response.socket === null;
  return request.complete && !response.closed && !hasSwitched;
}

/** A connection's latest request that had a valid head. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Waits until the responses to all earlier requests on the connection are under way, so that the response to
 * unreadable bytes is not mistaken for one of theirs. `isAnswered` means that the bytes belong to the body of
 * a request that already has its response.
 */
function whenItsTurn(latest: Exchange | undefined, act: (isAnswered: boolean) => void): void {
  if (!latest) return act(false);
  const { request, response } = latest;
  const onceClosed = (isAnswered: boolean): void => {
    if (response.closed) act(isAnswered);
    else response.once('close', () => act(isAnswered));
  };
  if (request.complete) return onceClosed(false);
  if (response.headersSent) {
    response.end();
    return onceClosed(true);
  }
  // A response gets its socket once the earlier ones are done.
  if (response.socket) act(false);
  else response.once('socket', () => act(false));
}

function codeOf(error: NodeJS.ErrnoException): ProblemCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'request_malformed';
}

/** Writes a response by hand, because there is no request object. */
function answerByHand(socket: Socket, problemTypeBase: string, code: ProblemCode, requestId: string): void {
  const { status, title } = problems[code];
  const body = problemBody(problemTypeBase, code, { requestId });
  const headers = {
    Date: new Date().toUTCString(),
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Request-Id': requestId,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`);
  socket.destroySoon();
}
