import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { newId, type ProblemCode, problems } from '@countersign/contract';
import {
  type AnswerContext,
  type BaseUrls,
  BucketTable,
  type ClientAddress,
  type Framed,
  ProblemError,
  readBody,
  readFrame,
  secondsToFill,
  sendJson,
  sendProblem,
  valuesOf,
} from '@countersign/gate';
import { logRequest } from '../telemetry/request-record.ts';
import { StorageError } from '../storage/storage-error.ts';
import { bodyInvalid, fitBody, jsonContentType } from '../api/request-body.ts';
import { readJson } from '../api/strict-json.ts';
import { tooManyAttempts } from './attempts.ts';
import { Cookies, sessionCookie } from './cookies.ts';
import {
  type Call,
  checkOrigin,
  checkSession,
  type Endpoint,
  type PeopleAnswer,
  type PeopleParts,
} from './endpoint.ts';
import { findEndpoint } from './endpoints/endpoints.ts';
import { networkOf } from './guess-limit.ts';
import { TooBusyError } from './passwords.ts';
import { type FoundSession, findSessionByToken } from './sessions.ts';

/*
 * Connects the endpoints to node:http: framing, limits, bodies, answers and the log. No other file of this folder touches
 * requests or responses.
 */

/** What answering needs besides the endpoints' own parts. */
export interface AnsweringParts {
  readonly people: PeopleParts;
  readonly baseUrls: BaseUrls;
  readonly limit: RequestLimit;
  readonly problemTypeBase: string;
  readonly nowMs: () => number;
  readonly isStopping: () => boolean;
  /** Called with each answer, for the metrics. */
  readonly onAnswered: (outcome: string, durationMs: number) => void;
}

/** Answers a request below `/portal/auth/`. Never rejects. */
export async function answerPeople(
  request: IncomingMessage,
  response: ServerResponse,
  source: ClientAddress,
  parts: AnsweringParts,
): Promise<void> {
  const nowMs = parts.nowMs();
  const { logger } = parts.people;
  const context: AnswerContext = {
    requestId: newId('request', nowMs),
    problemTypeBase: parts.problemTypeBase,
    hasBody: undefined,
    bodyBytesMax,
    nowMs,
    closeConnection: false,
  };
  const { requestId } = context;
  const startedMs = performance.now();
  const log = (outcome: string, status: number, reason?: string): void => {
    const durationMs = performance.now() - startedMs;
    const { method = '', url = '' } = request;
    const path = url.split('?')[0]!;
    const sourceAddress = source.text;
    logRequest(logger, { requestId, outcome, status, method, path, sourceAddress, durationMs, reason });
    parts.onAnswered(outcome, durationMs);
  };
  const refuse = (code: ProblemCode, error?: ProblemError): void => {
    if (!response.headersSent && !response.destroyed)
      sendProblem(response, context, code, error?.members, error?.headers);
    log(code, problems[code].status, error?.detail);
  };
  try {
    const answer = await answerOf(request, response, source, context, parts);
    if (parts.isStopping()) context.closeConnection = true;
    const headers = answer.status === 302 ? { Location: answer.location } : undefined;
    sendJson(response, context, answer.status, headers, 'body' in answer ? answer.body : undefined);
    log('accepted', answer.status);
  } catch (error) {
    if (error instanceof AbortedError)
      log('connection_closed', 0, 'the connection ended before the body was complete');
    else if (error instanceof ProblemError) refuse(error.code, error);
    else if (error instanceof TooBusyError) refuse('too_many_attempts', tooManyAttempts(2));
    else if (error instanceof StorageError) {
      logger.warn({ error, requestId }, 'the storage does not answer');
      refuse('storage_unavailable');
    } else {
      logger.error({ error, requestId }, 'unexpected error');
      refuse('internal_error');
    }
  }
}

async function answerOf(
  request: IncomingMessage,
  response: ServerResponse,
  source: ClientAddress,
  context: AnswerContext,
  parts: AnsweringParts,
): Promise<PeopleAnswer> {
  const { people, nowMs, isStopping } = parts;
  if (isStopping()) throw new ProblemError('shutting_down');
  const frame = readFrame(request, parts.baseUrls);
  if (!frame.ok) {
    context.closeConnection = frame.endsConnection === true;
    throw new ProblemError(frame.code, { members: { reason: frame.reason } });
  }
  context.hasBody = frame.hasBody;
  const { endpoint, id } = findEndpoint(frame.method, frame.path);
  checkOrigin(endpoint, originOf(request), people.addresses.origins);
  const cookies = new Cookies(request.headers.cookie);
  const find = (atMs: number): Promise<FoundSession | undefined> =>
    findSessionByToken(
      people.database,
      cookies.read(sessionCookie),
      atMs,
      people.identityProvider !== undefined,
    );
  const first = await find(context.nowMs);
  const retryAfterSeconds = parts.limit.take(source, first?.userId);
  if (retryAfterSeconds > 0) throw tooManyAttempts(retryAfterSeconds);
  checkSession(endpoint, first, context.nowMs);
  const input = await readInput(request, response, endpoint);
  // The session may have ended while the body was on its way, perhaps because somebody else has it.
  const session = first && input !== undefined ? await find(nowMs()) : first;
  checkSession(endpoint, session, nowMs());
  const call: Call = {
    ...people,
    requestId: context.requestId,
    nowMs: nowMs(),
    source,
    baseUrl: baseUrlOf(frame),
    query: new URLSearchParams(frame.query),
    id,
    userAgent: request.headers['user-agent'] ?? '',
    cookies,
    session,
  };
  try {
    return await endpoint.answer(call, input);
  } finally {
    if (cookies.lines.length > 0 && !response.headersSent) response.setHeader('Set-Cookie', cookies.lines);
  }
}

/** Everything before the path. A question mark may follow the path even without a query. */
function baseUrlOf({ targetUri, path }: Framed): string {
  return (targetUri.split('?', 1)[0] ?? '').slice(0, -path.length);
}

function originOf({ method = '', rawHeaders }: IncomingMessage): Parameters<typeof checkOrigin>[1] {
  return {
    method,
    origin: valuesOf(rawHeaders, 'origin'),
    secFetchSite: valuesOf(rawHeaders, 'sec-fetch-site'),
    countersignCsrf: valuesOf(rawHeaders, 'countersign-csrf'),
  };
}

const bodyBytesMax = 16_384;

/** The connection ended before the body was complete, so nobody waits for an answer. */
class AbortedError extends Error {}

/** Reads the body as strict JSON that fits the endpoint's schema; undefined for an endpoint without one. */
async function readInput(
  request: IncomingMessage,
  response: ServerResponse,
  { body: schema }: Endpoint,
): Promise<unknown> {
  if (schema === undefined) return undefined;
  const { rawHeaders } = request;
  if (Number(valuesOf(rawHeaders, 'content-length')[0] ?? 0) > bodyBytesMax)
    throw new ProblemError('body_too_large');
  if (!jsonContentType.test(valuesOf(rawHeaders, 'content-type').join(', ')))
    throw new ProblemError('content_type_unsupported');
  if (valuesOf(rawHeaders, 'expect').length > 0) response.writeContinue();
  const reading = await readBody(request, bodyBytesMax);
  if (reading.outcome === 'too-large') throw new ProblemError('body_too_large');
  if (reading.outcome === 'aborted') throw new AbortedError('The connection ended.');
  // An empty body is fine where there is nothing to say.
  const json = reading.bytes.length === 0 ? { ok: true as const, value: {} } : readJson(reading.bytes);
  if (!json.ok) throw bodyInvalid([json.fault]);
  return fitBody(json.value, schema, []);
}

/** Limits requests per signed-in person, or per network for strangers. Every request costs a database query. */
export class RequestLimit {
  readonly #buckets = new BucketTable(requestPolicy, () => performance.now(), 100_000);

  /** Counts a request and returns the seconds to wait; 0 when it may go on. */
  take({ address }: ClientAddress, userId: string | undefined): number {
    const name = userId ?? networkOf(address);
    const tokens = this.#buckets.tokens(name);
    if (tokens < 1) return secondsToFill(requestPolicy, 1 - tokens);
    this.#buckets.take(name);
    return 0;
  }
}

/** A large burst, because a whole office may share an address; ten a second in the long run. */
const requestPolicy = { tokensMax: 600, tokensPerSecond: 10 } as const;
