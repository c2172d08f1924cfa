import {
  type Answer,
  BucketTable,
  type ClientAddress,
  inMemory,
  ProblemError,
  type RequestHead,
  type Route,
  secondsToFill,
  valuesOf,
} from '@countersign/gate';
import { bodyInvalid, fitBody, jsonContentType } from '../../request-bodies/request-body.ts';
import { readJson } from '../../request-bodies/strict-json.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { tooManyAttempts } from './attempts.ts';
import { Cookies } from './cookies.ts';
import { sessionCookie } from '../sessions/session-cookie.ts';
import {
  type Call,
  checkOrigin,
  checkSession,
  type Endpoint,
  type PeopleAnswer,
  type PeopleParts,
  sessionRules,
} from './endpoint.ts';
import { findEndpoint, peoplePath } from './endpoints/endpoints.ts';
import { mailLanguageOf, mailLanguages } from './mail/mail-language.ts';
import { networkOf } from './guess-limit.ts';
import { TooBusyError } from './passwords.ts';
import { type FoundSession, findSessionByToken } from './sessions.ts';

/** Everything that the sign-in route needs. */
export interface SignInRouteParts {
  readonly people: PeopleParts;
  readonly limit: RequestLimit;
  readonly nowMs: () => number;
}

/** Connects the endpoints below `/portal/auth/` to the gate; undefined for any other path. */
export function signInRoute(head: RequestHead, parts: SignInRouteParts): Route | undefined {
  if (!head.path.startsWith(peoplePath)) return undefined;
  return {
    kind: 'person',
    bodyBytesMax: 16_384,
    admit: () =>
      asProblems(async () => {
        const begun = await begin(head, parts);
        return {
          ok: true,
          sender: {},
          answer: (body) => asProblems(() => answer(head, begun, inMemory(body), parts), begun.cookies),
        };
      }),
  };
}

/** A request to an endpoint that its caller may make, judged by its head. */
interface Begun {
  readonly endpoint: Endpoint;
  readonly id: string;
  readonly cookies: Cookies;
  readonly session: FoundSession | undefined;
  readonly find: (atMs: number) => Promise<FoundSession | undefined>;
}

async function begin(head: RequestHead, { people, limit, nowMs }: SignInRouteParts): Promise<Begun> {
  const { endpoint, id } = findEndpoint(head.method, head.path);
  checkOrigin(endpoint, originOf(head), people.addresses.origins);
  const cookies = new Cookies(fieldOf(head, 'cookie', '; '));
  const token = cookies.read(sessionCookie);
  const rules = sessionRules(people);
  const find: Begun['find'] = (atMs) => findSessionByToken(people.database, token, atMs, rules);
  const session = await find(head.receivedAtMs);
  const retryAfterSeconds = limit.take(head.source, session?.userId);
  if (retryAfterSeconds > 0) throw tooManyAttempts(retryAfterSeconds);
  checkSession(endpoint, session, nowMs());
  if (endpoint.body !== undefined && !jsonContentType.test(fieldOf(head, 'content-type', ', ') ?? ''))
    throw new ProblemError('content_type_unsupported');
  return { endpoint, id, cookies, session, find };
}

async function answer(
  head: RequestHead,
  { endpoint, id, cookies, session: first, find }: Begun,
  body: Uint8Array,
  { people, nowMs }: SignInRouteParts,
): Promise<Answer> {
  const input = readInput(body, endpoint);
  // The session may have ended while the body arrived, perhaps because it was stolen.
  const session = first && input !== undefined ? await find(nowMs()) : first;
  checkSession(endpoint, session, nowMs());
  const call: Call = {
    ...people,
    requestId: head.requestId,
    nowMs: nowMs(),
    source: head.source,
    baseUrl: baseUrlOf(head),
    query: new URLSearchParams(head.query),
    id,
    userAgent: fieldOf(head, 'user-agent', ', ') ?? '',
    language: mailLanguageOf(people.languageOf(head, mailLanguages)),
    cookies,
    session,
  };
  return answerOf(await endpoint.answer(call, input), cookies);
}

function answerOf(answered: PeopleAnswer, { lines }: Cookies): Answer {
  const headers = {
    ...(answered.status === 302 && { Location: answered.location }),
    ...(lines.length > 0 && { 'Set-Cookie': lines }),
  };
  return { status: answered.status, headers, ...('body' in answered && { body: answered.body }) };
}

/** Turns expected errors into problems. Rejections set cookies too. */
async function asProblems<Value>(work: () => Promise<Value>, cookies?: Cookies): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined || cookies === undefined || cookies.lines.length === 0) throw problem ?? error;
    const { code, detail, members, headers } = problem;
    throw new ProblemError(code, {
      ...(detail !== undefined && { detail }),
      members,
      headers: { ...headers, 'Set-Cookie': cookies.lines },
      cause: error,
    });
  }
}

function problemOf(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  if (error instanceof TooBusyError) return tooManyAttempts(2);
  if (error instanceof StorageError)
    return new ProblemError('storage_unavailable', { detail: error.message, cause: error });
  return undefined;
}

/** Returns everything before the path. A question mark may follow the path even without a query. */
function baseUrlOf({ targetUri, path }: RequestHead): string {
  return (targetUri.split('?', 1)[0] ?? '').slice(0, -path.length);
}

function originOf({ method, rawHeaders }: RequestHead): Parameters<typeof checkOrigin>[1] {
  return {
    method,
    origin: valuesOf(rawHeaders, 'origin'),
    secFetchSite: valuesOf(rawHeaders, 'sec-fetch-site'),
    countersignCsrf: valuesOf(rawHeaders, 'countersign-csrf'),
  };
}

function fieldOf({ rawHeaders }: RequestHead, name: string, separator: string): string | undefined {
  const values = valuesOf(rawHeaders, name);
  return values.length === 0 ? undefined : values.join(separator);
}

/** Reads the body as strict JSON that fits the endpoint's schema; undefined for an endpoint without one. */
function readInput(body: Uint8Array, { body: schema }: Endpoint): unknown {
  if (schema === undefined) return undefined;
  // An empty body counts as an empty object.
  const json = body.length === 0 ? { ok: true as const, value: {} } : readJson(body);
  if (!json.ok) throw bodyInvalid([json.fault]);
  return fitBody(json.value, schema, []);
}

/** Limits requests per signed-in person, or per network for strangers. Every request costs a database query. */
export class RequestLimit {
  readonly #buckets: BucketTable;

  /** @param monotonicMs a monotonic clock, in milliseconds */
  constructor(monotonicMs: () => number) {
    this.#buckets = new BucketTable(requestPolicy, monotonicMs, 100_000);
  }

  /** Counts a request and returns the seconds to wait; 0 if it may continue. */
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
