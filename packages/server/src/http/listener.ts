import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { problems } from '@countersign/contract';
import { problemBody } from './problem.ts';

/** Times after which a slow peer is cut off, and the size of a head (docs/profile.md section 2.6). */
export interface ListenerLimits {
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
};

/** What to do with a request. `expectsContinue`: the caller waits with its body for a `100 Continue`. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void;

/** A node:http server that is set to be strict and impatient. It knows nothing of signatures. */
export function createListener(
  onRequest: RequestListener,
  problemTypeBase: () => string,
  limits: ListenerLimits = profileListenerLimits,
): Server {
  const server = createServer(
    {
      insecureHTTPParser: false,
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
      requireHostHeader: false, // framing answers it, with a code
      noDelay: true,
    },
    (request, response) => onRequest(request, response, false),
  );
  // Beyond this number node:http drops header lines silently; no limit here, framing counts and refuses.
  server.maxHeadersCount = 0;
  // A connection on which nothing moves, for example a peer that does not read its answers.
  server.setTimeout(limits.requestTimeoutMs + limits.keepAliveTimeoutMs);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => onRequest(request, response, true));
  server.on('clientError', (error, socket) => answerUnparsable(error, socket, problemTypeBase()));
  return server;
}

/** Bytes that are no HTTP request, or came too slowly. There is no request object, so the answer is written by hand. */
function answerUnparsable(error: NodeJS.ErrnoException, socket: Duplex, problemTypeBase: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'request_malformed';
  const { status, title } = problems[code];
  const body = problemBody(problemTypeBase, code, {});
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nDate: ${new Date().toUTCString()}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
