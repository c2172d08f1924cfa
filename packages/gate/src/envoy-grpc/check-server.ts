import { once } from 'node:events';
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { Code, ConnectError, createConnectRouter, createContextValues } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import type { NetworkWhitelist } from '@countersign/contract/network';
import type { Authorizer, Verdict } from '../authorizers/authorizer.ts';
import { namedAddress } from '../http/client-address.ts';
import { authorization } from './check-messages.ts';
import { bodyDeclaration, readCheck, responseOf } from './check.ts';

/** Everything that a check server is built from. */
export interface CheckServerParts {
  readonly authorize: Authorizer;
  /** Envoy's addresses. Connections from other addresses are closed. */
  readonly callers: Pick<NetworkWhitelist, 'allows'>;
  /** The largest body that stays in memory. A check with a larger one ends with an error. */
  readonly bodyBytesMax: number;
  /** Reports a problem that the operator must fix; the same text may be reported again. */
  readonly onMistake: (mistake: string) => void;
  /** Reports a check that got no response. */
  readonly onError: (error: unknown) => void;
}

/** Responds to Envoy's checks. */
export interface CheckServer {
  readonly server: Http2Server;
  /** Accepts no new connections and lets running checks finish, for at most this time. */
  stop(waitMs: number): Promise<void>;
}

/**
 * Creates a server for `envoy.service.auth.v3.Authorization`, over HTTP/2 without TLS. A check that cannot be
 * decided ends with a gRPC error, and Envoy then rejects the request unless `failure_mode_allow` is set.
 */
export function createCheckServer(parts: CheckServerParts): CheckServer {
  const sessions = new Set<ServerHttp2Session>();
  const handler = checkHandler(parts);
  const server = createServer({
    maxSessionMemory: sessionMegabytesMax,
    settings: { initialWindowSize: windowBytes },
  });
  server.on('stream', (stream, headers) => {
    // Ignore the error of a call that its caller has cancelled.
    stream.on('error', () => undefined);
    answerCall(handler, stream as ServerHttp2Stream, headers).catch((error: unknown) => {
      parts.onError(error);
      stream.destroy();
    });
  });
  server.on('session', (session) => {
    const caller = namedAddress(session.socket.remoteAddress);
    if (!parts.callers.allows(caller.address)) {
      session.destroy();
      parts.onMistake(`${caller.text} is not one of the proxies that may query the authorizer`);
      return;
    }
    session.setLocalWindowSize(windowBytes * 16);
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  return {
    server,
    async stop(waitMs) {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.close();
      const deadline = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, waitMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}

/** The size of a check besides its body: headers at Envoy's largest setting, and attributes. */
const headBytesMax = 1024 * 1024;
/** Checks share a connection, so with a small window one large body delays all of them. */
const windowBytes = 1024 * 1024;
const sessionMegabytesMax = 256;

function checkHandler({ authorize, bodyBytesMax, onMistake }: CheckServerParts): UniversalHandler {
  const router = createConnectRouter({
    connect: false,
    grpcWeb: false,
    acceptCompression: [],
    readMaxBytes: bodyBytesMax + headBytesMax,
  }).service(authorization, {
    async check(check, { requestHeader, signal }) {
      const reading = readCheck(check, requestHeader.get(bodyDeclaration.name));
      if (!reading.ok) {
        onMistake(`Envoy's settings: ${reading.mistake}`);
        throw new ConnectError(reading.mistake, Code.FailedPrecondition);
      }
      const verdict = await beforeEnd(signal, authorize(reading.handedOver));
      return responseOf(verdict, reading.handedOver);
    },
  });
  return router.handlers[0]!;
}

/**
 * Lets the library respond to a call. Its own adapter for node:http2 waits for messages that it has stopped
 * reading.
 */
async function answerCall(
  handler: UniversalHandler,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Promise<void> {
  if (headers[':path'] !== handler.requestPath) {
    endCall(stream, { status: 404 }, []);
    return;
  }
  const end = new AbortController();
  stream.once('close', () => end.abort());
  const answer = await handler({
    httpVersion: '2.0',
    method: headers[':method'] ?? '',
    url: `http://localhost${handler.requestPath}`,
    header: fieldsOf(headers),
    // The response is written to the same stream.
    body: stream.iterator({ destroyOnReturn: false }),
    signal: end.signal,
    contextValues: createContextValues(),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(chunk);
  endCall(stream, answer, chunks);
}

interface CallEnd {
  readonly status: number;
  readonly header?: Headers | undefined;
  readonly trailer?: Headers | undefined;
}

function endCall(
  stream: ServerHttp2Stream,
  { status, header, trailer }: CallEnd,
  chunks: Uint8Array[],
): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status, ...Object.fromEntries(header ?? []) }, { waitForTrailers: true });
  stream.once('wantTrailers', () => {
    if (stream.destroyed) return;
    stream.sendTrailers(Object.fromEntries(trailer ?? []));
    // The call ends once the rest of its message has arrived.
    stream.resume();
  });
  stream.end(Buffer.concat(chunks));
}

function fieldsOf(headers: IncomingHttpHeaders): Headers {
  const fields = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (!name.startsWith(':')) for (const one of [value ?? []].flat()) fields.append(name, one);
  return fields;
}

/** Rejects with the signal's reason if the deadline passes, or the caller disconnects, before there is a verdict. */
function beforeEnd(signal: AbortSignal, verdict: Promise<Verdict>): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    verdict.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
