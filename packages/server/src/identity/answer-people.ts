import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { newId, type ProblemCode, problems } from '@countersign/contract';
import { crossSiteReason } from '../access/same-origin.ts';
import {
  type AnswerContext,
  type BaseUrls,
  type ClientAddress,
  type Framed,
  ProblemError,
  readFrame,
  sendJson,
  sendProblem,
  valuesOf,
} from '@countersign/gate';
import { logRequest } from '../telemetry/request-record.ts';
import { StorageError } from '../storage/storage-error.ts';
import { readCookie, sessionCookie } from './cookies.ts';
import {
  type Endpoint,
  type PeopleAnswer,
  type PeopleParts,
  type PeopleRequest,
  requireFreshProof,
} from './endpoint.ts';
import { AbortedError, bodyBytesMax, readJsonBody } from './json-body.ts';
import { TooBusyError } from './passwords.ts';
import type { RequestLimit } from './request-limit.ts';
import { type FoundSession, findSessionByToken } from './sessions.ts';
import { tooManyAttempts } from './sign-in-attempts.ts';

/** What the answers need besides the parts of the endpoints. */
export interface AnsweringParts {
  readonly people: PeopleParts;
  readonly endpoints: readonly Endpoint[];
  readonly baseUrls: BaseUrls;
  readonly limit: RequestLimit;
  readonly problemTypeBase: string;
  readonly nowMs: () => number;
  readonly isStopping: () => boolean;
  /** Told of each answer, for the metrics. */
  readonly onAnswered: (outcome: string, durationMs: number) => void;
}

/** Where all of it is. */
export const peoplePath = '/portal/auth/';

/**
 * Answers a request below `/portal/auth/`: only what the table of endpoints names is there. In its order: the frame, the
 * path, that no other site has sent it, the session, the body. Never rejects.
 */
export async function answerPeople(
  request: IncomingMessage,
  response: ServerResponse,
  source: ClientAddress,
  parts: AnsweringParts,
): Promise<void> {
  const nowMs = parts.nowMs();
  const context: AnswerContext = {
    requestId: newId('request', nowMs),
    problemTypeBase: parts.problemTypeBase,
    hasBody: undefined,
    bodyBytesMax,
    nowMs,
    closeConnection: false,
  };
  const startedMs = performance.now();
  const log = (outcome: string, status: number, reason?: string): void => {
    const durationMs = performance.now() - startedMs;
    logRequest(parts.people.logger, {
      requestId: context.requestId,
      outcome,
      status,
      method: request.method ?? '',
      path: (request.url ?? '').split('?')[0]!,
      sourceAddress: source.text,
      durationMs,
      reason,
    });
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
    else if (error instanceof TooBusyError)
      refuse(
        'too_many_attempts',
        new ProblemError('too_many_attempts', { members: { retryAfterSeconds: 2 } }),
      );
    else if (error instanceof StorageError) {
      parts.people.logger.warn({ error, requestId: context.requestId }, 'the storage does not answer');
      refuse('storage_unavailable');
    } else {
      parts.people.logger.error({ error, requestId: context.requestId }, 'unexpected error');
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
  const { endpoint, id } = findEndpoint(parts.endpoints, frame.method, frame.path);
  if (endpoint.isReachedFromElsewhere !== true) refuseOtherSites(request, people.addresses.origins);
  const token = readCookie(request.headers.cookie, sessionCookie);
  const hasProvider = people.identityProvider !== undefined;
  const find = (atMs: number): Promise<FoundSession | undefined> =>
    findSessionByToken(people.database, token, atMs, hasProvider);
  const first = await find(context.nowMs);
  takeTurn(parts.limit, source, first);
  checkSession(endpoint, first, context.nowMs);
  const input = endpoint.body && (await readJsonBody(request, response, endpoint.body));
  // The session may have ended while the body came, because it is in the wrong hands even.
  const session = first && input !== undefined ? await find(nowMs()) : first;
  checkSession(endpoint, session, nowMs());
  const setCookies: string[] = [];
  const own: PeopleRequest = {
    request,
    requestId: context.requestId,
    nowMs: nowMs(),
    source,
    baseUrl: baseUrlOf(frame),
    query: new URLSearchParams(frame.query),
    id,
    setCookies,
    session,
  };
  try {
    return await endpoint.answer(own, input, people);
  } finally {
    if (setCookies.length > 0 && !response.headersSent) response.setHeader('Set-Cookie', setCookies);
  }
}

/** What stands before the path, which may be followed by a question mark alone. */
function baseUrlOf({ targetUri, path }: Framed): string {
  return (targetUri.split('?', 1)[0] ?? '').slice(0, -path.length);
}

function findEndpoint(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
): { readonly endpoint: Endpoint; readonly id: string } {
  const here = endpoints.flatMap((endpoint) => {
    const id = idIn(endpoint.path, path.slice(peoplePath.length));
    return id === undefined ? [] : [{ endpoint, id }];
  });
  const found = here.find(({ endpoint }) => endpoint.method === method);
  if (found !== undefined) return found;
  if (here.length === 0) throw new ProblemError('not_found');
  const Allow = here.map(({ endpoint }) => endpoint.method).join(', ');
  throw new ProblemError('method_not_allowed', { headers: { Allow } });
}

/** The id that stands in the place of `{id}`, empty for a path without one; undefined when the path is another one. */
function idIn(pattern: string, path: string): string | undefined {
  if (!pattern.endsWith('/{id}')) return pattern === path ? '' : undefined;
  const start = pattern.slice(0, -'{id}'.length);
  const id = path.slice(start.length);
  return path.startsWith(start) && /^[a-z]+_[0-9a-z]{1,40}$/.test(id) ? id : undefined;
}

function refuseOtherSites({ method = '', rawHeaders }: IncomingMessage, origins: ReadonlySet<string>): void {
  const reason = crossSiteReason(
    {
      method,
      origin: valuesOf(rawHeaders, 'origin'),
      secFetchSite: valuesOf(rawHeaders, 'sec-fetch-site'),
      countersignCsrf: valuesOf(rawHeaders, 'countersign-csrf'),
    },
    origins,
  );
  if (reason !== undefined)
    throw new ProblemError('cross_site_request', { detail: reason, members: { reason } });
}

function takeTurn(limit: RequestLimit, source: ClientAddress, session: FoundSession | undefined): void {
  const retryAfterSeconds = limit.take(source, session?.userId);
  if (retryAfterSeconds > 0) throw tooManyAttempts(retryAfterSeconds);
}

function checkSession({ needs }: Endpoint, session: FoundSession | undefined, nowMs: number): void {
  if (needs === 'nothing') return;
  if (session === undefined) throw new ProblemError('session_required');
  if (needs === 'fresh-proof') requireFreshProof(session, nowMs);
}
