import { SigningError } from '@countersign/signature';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CommandError } from '../exits.ts';
import type { RequestToSend } from '../sending/send-request.ts';
import { unreachable } from '../sending/unreachable.ts';
import { type BodyBuffer, bodyBuffer } from './body-buffer.ts';
import { callTarget, openTarget, type TargetAnswer, type TargetConnections } from './call-target.ts';
import type { FollowedSigner } from './followed-signer.ts';
import { answerLines, type LocalPolicy, readLocalRequest } from './local-request.ts';
import { createProxyMetrics, type ProxyMetrics } from './proxy-metrics.ts';
import { answerRefusal, ProxyRefusal } from './refusals.ts';

export interface ProxySettings {
  readonly policy: LocalPolicy;
  readonly followed: FollowedSigner;
  readonly bodyBytesMax: number;
  /** The time limit for the target's response to begin. */
  readonly timeoutMs: number;
  /** The page of the service's error codes, if its operator has moved it. */
  readonly problemTypeBase: string | undefined;
  /** Receives one entry for each finished request. */
  readonly log: (entry: ProxyLogEntry) => void;
  /** Receives each request as it is sent. */
  readonly trace: (request: RequestToSend) => void;
  /** Receives errors of this program. */
  readonly warn: (text: string) => void;
  readonly nowMs: () => number;
}

/** The log entry of a request: no header, no query, no body. */
export interface ProxyLogEntry {
  readonly time: string;
  readonly method: string;
  /** Without the query, which may contain private data. */
  readonly path: string;
  /** The status that the caller got. */
  readonly status: number;
  /** The code of a rejection by the proxy itself. */
  readonly code?: string;
  /** The `created` of the last signature; undefined if nothing was signed. */
  readonly created?: number;
  /** The number of times it was signed and sent. */
  readonly attempts: number;
  readonly bodyBytes: number;
  readonly durationMs: number;
}

export interface Proxy {
  readonly server: Server;
  readonly metricsText: () => string;
  /** Stops accepting requests, and ends once the running ones have their responses, or after the grace period. */
  close(graceMs: number): Promise<void>;
}

/** The number of bodies of the largest size that may be buffered at once. */
const bodiesMax = 16;

interface Room extends ProxySettings {
  readonly target: TargetConnections;
  readonly bodies: BodyBuffer;
  readonly metrics: ProxyMetrics;
}

/** Creates the proxy; it does not listen yet. */
export function createProxy(settings: ProxySettings): Proxy {
  const { policy, followed, bodyBytesMax } = settings;
  const target = openTarget(policy.target, settings);
  const bodies = bodyBuffer(bodyBytesMax, bodiesMax);
  const metrics = createProxyMetrics();
  const room: Room = { ...settings, target, bodies, metrics };
  const server = createServer({ requestTimeout: 300_000, headersTimeout: 10_000, keepAliveTimeout: 60_000 });
  server.on('request', (request, response) => void serve(request, response, room));
  server.on('connect', (request: IncomingMessage, socket: Socket) => refuseTunnel(request, socket));
  return {
    server,
    metricsText: () =>
      metrics.text({
        bufferedBytes: bodies.bytes,
        keyChanges: followed.changes,
        clockAheadSeconds: followed.aheadMs / 1000,
      }),
    async close(graceMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(timer);
      target.close();
      followed.close();
    },
  };
}

/** Facts that become known while a request is served. */
interface Progress {
  attempts: number;
  bodyBytes: number;
  created?: number;
  code?: string;
}

async function serve(request: IncomingMessage, response: ServerResponse, room: Room): Promise<void> {
  const startedMs = performance.now();
  const progress: Progress = { attempts: 0, bodyBytes: 0 };
  room.metrics.inFlight += 1;
  response.on('close', () => {
    const durationMs = performance.now() - startedMs;
    room.metrics.inFlight -= 1;
    room.metrics.count(progress.code ?? String(response.statusCode), durationMs / 1000);
    room.log(logEntry(request, response, progress, durationMs, room));
  });
  try {
    await forward(request, response, progress, room);
  } catch (error) {
    if (response.destroyed) {
      progress.code ??= 'caller_gone';
      return;
    }
    const refusal = refusalOf(error, room);
    progress.code = refusal.code;
    answerRefusal(refusal, response);
  }
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  progress: Progress,
  { policy, bodies, target, followed }: Room,
): Promise<void> {
  const local = readLocalRequest(request, policy);
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const { body, release } = await bodies.read(request);
  try {
    progress.bodyBytes = body.length;
    const call = {
      local,
      body,
      gone: gone.signal,
      onSigned: ({ created }: { readonly created: number }) => {
        progress.attempts += 1;
        progress.created = created;
      },
    };
    const answered = await callTarget(call, target, followed);
    try {
      answerWith(answered, response);
    } catch (error) {
      // The status text or a header line must not be written.
      answered.answer.destroy();
      throw error;
    }
  } finally {
    release();
  }
}

/** Passes the response on as it arrives. If it ends too early, so does the caller's connection. */
function answerWith({ answer, begun }: TargetAnswer, response: ServerResponse): void {
  const { statusCode = 502, statusMessage, rawHeaders } = answer;
  response.sendDate = false;
  response.writeHead(statusCode, statusMessage, answerLines(rawHeaders).flat());
  // The data that has arrived goes out with the header, in one write: most responses are already complete.
  const arrived = (answer.read() as Buffer | null) ?? Buffer.alloc(0);
  const first = begun.length === 0 ? arrived : Buffer.concat([begun, arrived]);
  if (answer.complete && answer.readableLength === 0) {
    response.end(first);
    return;
  }
  // The header goes out before the first byte of the body: event streams may be quiet for long.
  if (first.length === 0) response.flushHeaders();
  else response.write(first);
  answer.on('error', () => response.destroy());
  answer.on('aborted', () => response.destroy());
  answer.pipe(response);
}

function refusalOf(error: unknown, { policy, warn }: Room): ProxyRefusal {
  if (error instanceof ProxyRefusal) return error;
  if (error instanceof SigningError) {
    const { code, message } = error;
    if (code === 'too_many_equal_requests' || code === 'request_invalid')
      return new ProxyRefusal(code, message);
    return new ProxyRefusal('signing_failed', message);
  }
  // The key store did not sign.
  if (error instanceof CommandError) return new ProxyRefusal('signing_failed', error.message);
  if ((error as NodeJS.ErrnoException).code === undefined) {
    warn(`mistake in the program: ${error instanceof Error ? error.stack : String(error)}`);
    return new ProxyRefusal('signing_failed', 'This is a mistake in the proxy. Its log says more.');
  }
  const { message } = unreachable(error, new URL(policy.target.origin), undefined);
  return new ProxyRefusal('target_unreachable', message);
}

function logEntry(
  { method = '', url = '' }: IncomingMessage,
  { statusCode }: ServerResponse,
  progress: Progress,
  durationMs: number,
  { nowMs }: Room,
): ProxyLogEntry {
  // The target of a request to a forward proxy begins with an origin, which may contain a password.
  const path = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? '';
  return {
    time: new Date(nowMs()).toISOString(),
    method,
    path,
    status: statusCode,
    ...progress,
    durationMs: Math.round(durationMs * 10) / 10,
  };
}

function refuseTunnel(_request: IncomingMessage, socket: Socket): void {
  socket.on('error', () => undefined);
  const body =
    '{"title":"This proxy opens no tunnels","status":405,"code":"method_not_allowed","from":"countersign proxy"}';
  socket.end(
    `HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/problem+json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
