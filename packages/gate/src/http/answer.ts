import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { type ProblemCode, problems } from '@countersign/contract/problems';
import { isRestShort } from './body.ts';
import { unprovedKeepAliveSeconds } from './connection-budget.ts';
import { lingerAtEnd } from './linger.ts';
import { sendBytes } from './send-bytes.ts';
import {
  isAboutTime,
  problemBody,
  problemHeaders,
  type ProblemMembers,
  type RequestToSignAgain,
} from './problem.ts';

/** Settings shared by every possible response to one request. */
export interface AnswerContext extends RequestToSignAgain {
  readonly requestId: string;
  readonly problemTypeBase: string;
  hasBody: boolean | undefined;
  alg: string | undefined;
  wanted?: string | undefined;
  readonly nowMs: number;
  /** Closes the connection after this response. */
  closeConnection: boolean;
  /** Header fields that every response to this request has. */
  fields?: Readonly<Record<string, string>>;
}

/** A response: a status, headers, and at most one of the five kinds of content. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A value, sent as JSON. */
  readonly body?: Body;
  /** Text; set its `Content-Type` in `headers`. */
  readonly text?: string;
  /** Bytes, complete or streamed; set their `Content-Type` in `headers`. */
  readonly bytes?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Server-sent events. Called once, after the response's head is written. */
  readonly stream?: EventStream;
  /** An upstream's response, passed on with its own head. */
  readonly relay?: RelayedAnswer;
  /** How long the upstream took; undefined if it was not asked. */
  readonly waitedMs?: number;
}

/** An upstream's response, ready to be passed on. */
export interface RelayedAnswer {
  readonly head: {
    readonly status: number;
    readonly statusText: string;
    /** Names and values in turn, without hop-by-hop fields. */
    readonly headers: readonly string[];
  };
  /** Writes the body as it arrives, after the head. */
  pipe(response: ServerResponse): void;
  /** Abandons the upstream's response, because it cannot be written. */
  abandon(): void;
}

/** Sends events until it is stopped. Returns a function that is called once, when either side ends the response. */
export type EventStream = (output: StreamOutput) => () => void;

/** The sink of an event stream. */
export interface StreamOutput {
  /** Sends text and returns how many bytes the caller has not received yet. Sends nothing after the end. */
  readonly write: (text: string) => number;
  readonly end: () => void;
}

/** Writes a response of any kind. If it cannot be written, throws before writing any of it. */
export function sendAnswer(response: ServerResponse, context: AnswerContext, answer: Answer): void {
  const { status, headers, body, text, bytes, stream, relay } = answer;
  if (relay !== undefined) sendRelayed(response, context, relay);
  else if (stream !== undefined) sendEvents(response, context, headers, stream);
  else if (bytes instanceof Uint8Array) send(response, context, status, { ...headers }, bytes);
  else if (bytes !== undefined) sendStream(response, context, status, headers, bytes);
  else if (text !== undefined) send(response, context, status, { ...headers }, Buffer.from(text));
  else if (body === undefined) send(response, context, status, { ...headers }, noBytes);
  else {
    const json = Buffer.from(JSON.stringify(body));
    send(response, context, status, { 'Content-Type': 'application/json', ...headers }, json);
  }
}

/** Sends events as they happen, or only the head for a HEAD request. */
function sendEvents(
  response: ServerResponse,
  context: AnswerContext,
  headers: Answer['headers'],
  stream: EventStream,
): void {
  writeHead(response, context, 200, {
    'Content-Type': 'text/event-stream',
    ...headers,
    // A buffering proxy would delay events.
    'X-Accel-Buffering': 'no',
  });
  if (isHeadOnly(response)) {
    response.end();
    return;
  }
  response.flushHeaders();
  const stop = stream({
    write: (text) => {
      if (!response.writableEnded && !response.destroyed) response.write(text);
      return response.writableLength;
    },
    end: () => response.end(),
  });
  response.once('close', stop);
}

/**
 * Streams bytes no faster than the caller reads them. If the source fails, cuts the connection, because a
 * normal end would make the response look complete.
 */
function sendStream(
  response: ServerResponse,
  context: AnswerContext,
  status: number,
  headers: Answer['headers'],
  bytes: AsyncIterable<Uint8Array>,
): void {
  writeHead(response, context, status, { ...headers });
  const source = Readable.from(bytes, { objectMode: false });
  if (isHeadOnly(response)) {
    source.destroy();
    response.end();
    return;
  }
  pipeline(source, response, () => undefined);
}

/**
 * Passes on an upstream's response. Its head stays as it is, so that clients see what they would see without
 * a gateway. Adds only the request's ID and, unless the upstream sets its own, the rate limit's headers.
 */
function sendRelayed(response: ServerResponse, context: AnswerContext, relay: RelayedAnswer): void {
  const { status, statusText, headers } = relay.head;
  if (context.closeConnection) response.shouldKeepAlive = false;
  const keepAlive = Object.entries(keepAliveHeader(response)).flat();
  const all = [...headers, 'Countersign-Request-Id', context.requestId, ...keepAlive];
  for (const [name, value] of Object.entries(context.fields ?? {})) {
    const lowerCase = name.toLowerCase();
    if (!headers.some((other, index) => index % 2 === 0 && other.toLowerCase() === lowerCase))
      all.push(name, value);
  }
  try {
    response.writeHead(status, statusText, all);
  } catch (error) {
    relay.abandon();
    throw error;
  }
  relay.pipe(response);
}

function isHeadOnly({ req, destroyed }: ServerResponse): boolean {
  return req.method === 'HEAD' || destroyed;
}

/** Returns the response for a problem with this code. */
export function problemAnswer(
  context: AnswerContext,
  code: ProblemCode,
  members: ProblemMembers & { readonly retryAfterSeconds?: number | undefined } = {},
  headers?: Answer['headers'],
): Answer & { readonly bytes: Uint8Array } {
  const { retryAfterSeconds, ...told } = members;
  const body = problemBody(context.problemTypeBase, code, {
    ...told,
    requestId: context.requestId,
    serverTime: isAboutTime(code) ? new Date(context.nowMs).toISOString() : undefined,
  });
  const all = { ...problemHeaders(code, context, retryAfterSeconds), ...headers };
  return { status: problems[code].status, headers: all, bytes: Buffer.from(body) };
}

function send(
  response: ServerResponse,
  context: AnswerContext,
  status: number,
  headers: Record<string, string | readonly string[]>,
  bytes: Uint8Array,
): void {
  // A response without content has no length either (RFC 9110 section 8.6).
  if (status !== 204 && status !== 304) headers['Content-Length'] = String(bytes.length);
  if (context.hasBody !== false && !isRestShort(response.req)) {
    context.closeConnection = true;
    lingerAtEnd(response.req.socket);
  }
  writeHead(response, context, status, headers);
  sendBytes(response, bytes);
}

function writeHead(
  response: ServerResponse,
  context: AnswerContext,
  status: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
): void {
  // node:http then sends Connection: close, and the listener ignores anything else on the connection.
  if (context.closeConnection) response.shouldKeepAlive = false;
  const all = { ...answerHeaders(context, headers), ...keepAliveHeader(response) };
  response.writeHead(status, all as Record<string, string | string[]>);
}

/** Announces how long an unproved connection is kept open. For other connections, node:http does so. */
function keepAliveHeader({ req, shouldKeepAlive }: ServerResponse): Readonly<Record<string, string>> {
  const seconds = shouldKeepAlive ? unprovedKeepAliveSeconds(req.socket) : undefined;
  return seconds === undefined ? {} : { 'Keep-Alive': `timeout=${seconds}` };
}

/**
 * Adds the headers that every response has: the request's ID, no caching unless the response allows it, and
 * no content sniffing.
 */
export function answerHeaders(
  { fields, requestId }: AnswerContext,
  headers: Answer['headers'],
): Readonly<Record<string, string | readonly string[]>> {
  return {
    'Cache-Control': 'no-store',
    ...fields,
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    'Request-Id': requestId,
  };
}

const noBytes = new Uint8Array(0);
