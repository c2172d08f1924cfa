import { performance } from 'node:perf_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isProblemCode,
  newId,
  type NetworkWhitelist,
  type ProblemCode,
  isSignatureProblem,
  problems,
  type RequestExplanation,
} from '@countersign/contract';
import { presentedSignatureBase, readSignatureHeaders } from '@countersign/signature/steps';
import type { Logger } from 'pino';
import {
  type AccessChecks,
  type AccessDependencies,
  type Admission,
  type AnswerContext,
  type Attempt,
  type BaseUrls,
  type ClientAddress,
  clientAddress,
  type ClientLimit,
  type Denial,
  type FailureLimit,
  type Framed,
  ProblemError,
  readBody,
  readFrame,
  type Registry,
  type RequestListener,
  sendJson,
  sendProblem,
  sendStream,
  sendText,
  valuesOf,
} from '@countersign/gate';
import type { SessionDenial } from './access/session-checks.ts';
import type { FailedRequest, FailureExplanations } from './explaining/failure-explanations.ts';
import type { RequestMetrics } from './telemetry/metrics.ts';
import { logRequest, type RequestRecord } from './telemetry/request-record.ts';
import { namedClientId, shownQuery } from './telemetry/request-detail.ts';
import type { RequestStore } from './telemetry/request-store.ts';
import type { RequestSpan, Tracing } from './telemetry/tracing.ts';
import type { Api, ApiMatch } from './api/api.ts';
import { admitSession, isAdmittedAt, isOfPerson, type SessionParts } from './session-gateway.ts';
import type { ApiAnswer } from './api/answer.ts';
import type { Caller } from './api/caller.ts';
import type { ApiRequest, VerifiedRequest } from './api/handler.ts';

/** What the gateway is made of. */
export interface GatewayParts extends AccessDependencies {
  /** The checks of `access/`; only a benchmark, which measures what they cost, has others. */
  readonly checks: AccessChecks;
  readonly registry: Registry;
  readonly api: Api;
  readonly baseUrls: BaseUrls;
  /** Lets people in by their sessions; undefined where there are no people. */
  readonly sessions?: Omit<SessionParts, 'baseUrls'> | undefined;
  readonly trustedProxies: NetworkWhitelist;
  readonly bodyBytesMax: number;
  /** How many requests may fail that come from one address; undefined for any number. */
  readonly failureLimit?: FailureLimit | undefined;
  /** How many requests a client may make; undefined for any number. */
  readonly clientLimit?: ClientLimit | undefined;
  /** Keeps what was asked for the owners of the clients; undefined to keep nothing. */
  readonly requestStore?: Pick<RequestStore, 'add'> | undefined;
  /** The query parameters whose values are kept with that; none unless set. */
  readonly shownQueryParameters?: ReadonlySet<string> | undefined;
  /** Explains refusals, for the owners of the clients and for those who test signatures; undefined to explain nothing. */
  readonly explanations?: Pick<FailureExplanations, 'note' | 'explainNow'> | undefined;
  /** Counts what is decided; undefined to count nothing. */
  readonly metrics?: RequestMetrics | undefined;
  /** Makes a span for each request; undefined to trace nothing. */
  readonly tracing?: Tracing | undefined;
  readonly problemTypeBase: string;
  readonly nowMs: () => number;
  readonly logger: Logger;
  /** Answers what needs no signature (health, documents, the portal and its sign-in); false when the path is none of these. */
  readonly answerPublic: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly isStopping: () => boolean;
}

/** One request on its way: what is known of it so far, for its answer and its line in the log. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: AnswerContext;
  readonly startedMs: number;
  readonly expectsContinue: boolean;
  readonly source: ClientAddress;
  readonly span: RequestSpan | undefined;
  path: string;
  query: string;
  /** Undefined until the frame is read. */
  targetUri?: string;
  /** Undefined until it is read. */
  body?: Uint8Array;
  admission?: Admission;
  /** Whether it has passed every check; its handler may still refuse it. */
  isAccepted: boolean;
  clientId?: string | undefined;
  /** Who has proved by a session who it is, and the account that it may work in. */
  userId?: string | undefined;
  accountId?: string;
}

/** A caller that has passed every check, and what its handler can ask for besides. */
type Accepted = Pick<ApiRequest, 'caller' | 'verified' | 'isStillAdmitted'>;

/** The way of a request: frame, checks on the head, body, checks on the body, handler, answer, log. */
export function createGateway(parts: GatewayParts): RequestListener {
  return (request, response, expectsContinue) => {
    if (parts.answerPublic(request, response)) return;
    const nowMs = parts.nowMs();
    const exchange: Exchange = {
      request,
      response,
      expectsContinue,
      startedMs: performance.now(),
      context: {
        requestId: newId('request', nowMs),
        problemTypeBase: parts.problemTypeBase,
        hasBody: undefined,
        bodyBytesMax: parts.bodyBytesMax,
        nowMs,
        closeConnection: false,
      },
      source: clientAddress(request, parts.trustedProxies),
      span: parts.tracing?.begin(request),
      path: '',
      query: '',
      isAccepted: false,
    };
    const { span } = exchange;
    if (span === undefined) void answerRequest(exchange, parts);
    else void span.run(() => answerRequest(exchange, parts)).finally(() => span.end());
  };
}

/** Never rejects. */
function answerRequest(exchange: Exchange, parts: GatewayParts): Promise<void> {
  return handle(exchange, parts)
    .catch((error: unknown) => answerFailure(exchange, parts, error))
    .catch((error: unknown) => giveUp(exchange, parts, error));
}

async function handle(exchange: Exchange, parts: GatewayParts): Promise<void> {
  const { request, context } = exchange;
  if (parts.isStopping()) return refuse(exchange, parts, { code: 'shutting_down' });

  const frame = readFrame(request, parts.baseUrls);
  if (!frame.ok) {
    context.closeConnection = frame.endsConnection === true;
    return refuse(exchange, parts, frame);
  }
  exchange.path = frame.path;
  exchange.query = frame.query;
  exchange.targetUri = frame.targetUri;
  context.hasBody = frame.hasBody;
  if (hasFailedTooOften(exchange, parts)) return;

  const match = parts.api.find(frame.method, frame.path);
  if (parts.sessions && isOfPerson(request, match))
    return handleSession(exchange, parts, { ...parts.sessions, baseUrls: parts.baseUrls }, frame, match);
  let admission = await admitHead(exchange, parts, frame, match);
  if (!admission || isOverLimit(exchange, parts, admission.client.clientId)) return;

  const body = await receiveBody(exchange, parts, frame);
  if (!body) return;
  exchange.body = body;
  context.hasBody = body.length > 0;

  // The registry may have changed while the body came, or be out of reach by now: then the head is decided anew.
  if (
    !parts.registry.isFresh() ||
    parts.registry.clientById(admission.client.clientId) !== admission.client
  ) {
    admission = await admitHead(exchange, parts, frame, match);
    if (!admission) return;
  }
  const accepting = parts.checks.accept(admission, body, parts);
  const denial = accepting instanceof Promise ? await accepting : accepting;
  if (denial) return refuseExplained(exchange, parts, match, denial);

  await answerAccepted(exchange, parts, frame, match, acceptedClient(exchange, admission), body);
}

/** The way of a request by a person: the checks of `access/session-checks.ts` in the place of 2 to 13. */
async function handleSession(
  exchange: Exchange,
  parts: GatewayParts,
  sessions: SessionParts,
  frame: Framed,
  match: ApiMatch,
): Promise<void> {
  const { request, source, context } = exchange;
  const asked = { request, frame, match, source, nowMs: context.nowMs };
  const admission = await admitSession(asked, sessions);
  if (!admission.ok) {
    exchange.userId = admission.userId;
    if (admission.code === 'session_required') parts.failureLimit?.count(source.address);
    return refuse(exchange, parts, admission);
  }
  const { caller } = admission;
  exchange.userId = caller.person.userId;
  exchange.accountId = caller.accountId;
  const accepted: Accepted = {
    caller,
    verified: () => {
      throw new Error('The request of a person has no signature.');
    },
    isStillAdmitted: () => isAdmittedAt(asked, sessions, parts.nowMs()),
  };
  if (isOverLimit(exchange, parts, countedAs(caller))) return;
  const body = await receiveBody(exchange, parts, frame);
  if (!body) return;
  context.hasBody = body.length > 0;
  await answerAccepted(exchange, parts, frame, match, accepted, body);
}

function acceptedClient({ source }: Exchange, admission: Admission): Accepted {
  const { client, key, presented, attempt } = admission;
  const caller: Caller = {
    kind: 'client',
    client,
    key,
    accountId: client.accountId,
    permissions: client.permissions,
    sourceAddress: source.text,
    clockDifferenceSeconds: presented.created - attempt.nowSeconds,
  };
  return { caller, verified: () => verifiedRequest(admission) };
}

/** Whose requests are counted together. No clientId has a space in it. */
function countedAs(caller: Caller): string {
  return caller.kind === 'client' ? caller.client.clientId : `person ${caller.person.userId}`;
}

/** Before anything is computed for it: whether the address has sent too many requests that failed checks 2 to 8. */
function hasFailedTooOften(exchange: Exchange, parts: GatewayParts): boolean {
  const retryAfterSeconds = parts.failureLimit?.waitSeconds(exchange.source.address) ?? 0;
  if (retryAfterSeconds === 0) return false;
  refuse(exchange, parts, {
    code: 'too_many_failures',
    reason: 'too many requests from this address had no valid signature',
    retryAfterSeconds,
  });
  return true;
}

/** When the caller has proved who it is and may do it, before its body is read. Nothing is charged here. */
function isOverLimit(exchange: Exchange, parts: GatewayParts, counted: string): boolean {
  const { clientLimit } = parts;
  if (!clientLimit) return false;
  exchange.context.fields = clientLimit.fields(counted);
  const retryAfterSeconds = clientLimit.waitSeconds(counted);
  if (retryAfterSeconds === 0) return false;
  refuse(exchange, parts, {
    code: 'rate_limited',
    reason: 'the caller has made as many requests as it may',
    retryAfterSeconds,
  });
  return true;
}

/** Checks 2 to 11. Undefined when the request has been refused. */
async function admitHead(
  exchange: Exchange,
  parts: GatewayParts,
  frame: Framed,
  match: ApiMatch,
): Promise<Admission | undefined> {
  const { request, context, source } = exchange;
  if (!parts.registry.isFresh() && !(await isFreshNow(parts.registry))) {
    refuse(exchange, parts, staleRegistry);
    return undefined;
  }
  const attempt: Attempt = {
    method: frame.method,
    targetUri: frame.targetUri,
    headers: readSignatureHeaders(request.rawHeaders),
    hasBody: frame.hasBody,
    sourceAddress: source.text,
    isSourceAllowed: (client) => client.network.allows(source.address),
    requirement: 'operation' in match ? match.operation : undefined,
    parameters: 'operation' in match ? match.parameters : {},
    nowSeconds: Math.floor(context.nowMs / 1000),
  };
  let admission = parts.checks.admit(attempt, parts);
  // In a registry that warms up a client may be known by its name only, and then no key of it verified anything.
  if (!admission.ok && admission.clientId !== undefined && parts.registry.isUnread(admission.clientId)) {
    if (!(await isRead(parts.registry, admission.clientId))) {
      refuse(exchange, parts, staleRegistry);
      return undefined;
    }
    admission = parts.checks.admit(attempt, parts);
  }
  if (!admission.ok) {
    if (isSignatureProblem(admission.code)) parts.failureLimit?.count(source.address);
    await refuseExplained(exchange, parts, match, admission);
    return undefined;
  }
  exchange.admission = admission;
  exchange.clientId = admission.client.clientId;
  return admission;
}

/** Check 12, its first half: the body is within its limit. Undefined when the request has been answered or is gone. */
async function receiveBody(
  exchange: Exchange,
  parts: GatewayParts,
  frame: Framed,
): Promise<Uint8Array | undefined> {
  if (frame.hasBody === false) return noBytes;
  if (frame.contentLength !== undefined && frame.contentLength > parts.bodyBytesMax) {
    refuse(exchange, parts, tooLarge(parts.bodyBytesMax));
    return undefined;
  }
  if (exchange.expectsContinue) exchange.response.writeContinue();
  const reading = await readBody(exchange.request, parts.bodyBytesMax);
  if (reading.outcome === 'complete') return reading.bytes;
  if (reading.outcome === 'too-large') refuse(exchange, parts, tooLarge(parts.bodyBytesMax));
  else log(exchange, parts, 'connection_closed', 0, 'the connection ended before the body was complete');
  return undefined;
}

async function answerAccepted(
  exchange: Exchange,
  parts: GatewayParts,
  frame: Framed,
  match: ApiMatch,
  accepted: Accepted,
  body: Uint8Array,
): Promise<void> {
  const { response, context } = exchange;
  const { caller } = accepted;
  const counted = countedAs(caller);
  const charged = parts.clientLimit?.charge(counted);
  if (parts.clientLimit) context.fields = parts.clientLimit.fields(counted);
  exchange.isAccepted = true;
  // So that a program learns from any answer that its key will end.
  const endsAtMs = caller.kind === 'client' ? caller.key.endsAtMs : undefined;
  if (endsAtMs !== undefined) response.setHeader('Client-Key-Retire-At', new Date(endsAtMs).toUTCString());
  if ('problem' in match) {
    const allow = match.problem === 'method_not_allowed' ? { Allow: match.allow.join(', ') } : undefined;
    return answerProblem(exchange, parts, match.problem, {}, allow);
  }
  const answer = await callHandler(match, exchange, parts, { frame, accepted, body });
  await charged;
  if (parts.clientLimit) context.fields = parts.clientLimit.fields(counted);
  // A service that stops ends each connection with the answer that it owes there.
  if (parts.isStopping()) context.closeConnection = true;
  if (answer.stream) sendStream(response, context, answer.headers, answer.stream);
  else if (answer.text === undefined) sendJson(response, context, answer.status, answer.headers, answer.body);
  else sendText(response, context, answer.status, answer.headers, answer.text);
  log(exchange, parts, 'accepted', answer.status);
}

async function callHandler(
  match: Extract<ApiMatch, { readonly operation: unknown }>,
  { request, context }: Exchange,
  { metrics }: GatewayParts,
  {
    frame,
    accepted,
    body,
  }: { readonly frame: Framed; readonly accepted: Accepted; readonly body: Uint8Array },
): Promise<ApiAnswer> {
  const startedMs = performance.now();
  try {
    return await match.handler({
      operation: match.operation,
      parameters: match.parameters,
      query: frame.query,
      header: (name) => {
        const values = valuesOf(request.rawHeaders, name.toLowerCase());
        return values.length === 0 ? undefined : values.join(', ');
      },
      body,
      ...accepted,
      requestId: context.requestId,
      nowMs: context.nowMs,
    });
  } finally {
    metrics?.handled(performance.now() - startedMs);
  }
}

function verifiedRequest({ presented, attempt: { method, targetUri } }: Admission): VerifiedRequest {
  const { components, created, contentDigest } = presented;
  return {
    method,
    targetUri,
    components: components.identifiers,
    created,
    contentDigest,
    base: presentedSignatureBase(presented, method, targetUri),
  };
}

/** With the explanation, where the operation is there to test signatures and the client that is named allows it. */
async function refuseExplained(
  exchange: Exchange,
  parts: GatewayParts,
  match: ApiMatch,
  denial: Denial,
): Promise<void> {
  const failed =
    'operation' in match && match.operation.explainsRefusals === true
      ? failedRequest(exchange, denial.code)
      : undefined;
  const explanation = failed && (await parts.explanations?.explainNow(failed));
  refuse(exchange, parts, denial, explanation);
}

/** What is known of a refused request that names a client. */
function failedRequest(exchange: Exchange, code: ProblemCode): FailedRequest | undefined {
  const { request, context, targetUri, query, body } = exchange;
  const clientId = exchange.clientId ?? namedClientId(request.rawHeaders);
  if (clientId === undefined || targetUri === undefined) return undefined;
  return {
    requestId: context.requestId,
    code,
    clientId,
    receivedAtMs: context.nowMs,
    method: request.method ?? '',
    targetUri,
    query,
    rawHeaders: request.rawHeaders,
    // What has no body is known to have none, before anything is read.
    body: body ?? (context.hasBody === false ? noBytes : undefined),
  };
}

function refuse(
  exchange: Exchange,
  parts: GatewayParts,
  denial: Partial<SessionDenial> & { readonly code: ProblemCode },
  explanation?: RequestExplanation,
): void {
  const { code, reason, expected, received, retryAfterSeconds, methods } = denial;
  exchange.clientId ??= denial.clientId;
  // The reason of check 8 would tell a stranger which clients exist: it goes to the log only.
  // And an account that is not the person's own is as one that does not exist.
  const isSecret = code === 'signature_invalid' || code === 'not_found';
  const told = isSecret ? {} : { reason, expected, received, methods };
  answerProblem(exchange, parts, code, { ...told, explanation, retryAfterSeconds }, undefined, reason);
}

function answerProblem(
  exchange: Exchange,
  parts: GatewayParts,
  code: ProblemCode,
  members: Readonly<Record<string, unknown>> & { readonly retryAfterSeconds?: number | undefined },
  headers?: Readonly<Record<string, string>>,
  reason?: string,
): void {
  const { response, context } = exchange;
  if (response.headersSent) return;
  // A caller that waits for 100 Continue may send its body or not: only a new connection is unambiguous.
  if ((exchange.expectsContinue && !exchange.request.complete) || parts.isStopping())
    context.closeConnection = true;
  if (!response.destroyed) sendProblem(response, context, code, members, headers);
  log(exchange, parts, code, problems[code].status, reason);
}

/** What a handler throws: a problem that it means, or a mistake of ours of which nothing is told. */
function answerFailure(exchange: Exchange, parts: GatewayParts, error: unknown): void {
  if (error instanceof ProblemError) {
    answerProblem(exchange, parts, error.code, error.members, error.headers, error.detail);
    return;
  }
  parts.logger.error({ error, requestId: exchange.context.requestId }, 'unexpected error');
  answerProblem(exchange, parts, 'internal_error', {});
}

/** When not even the failure could be answered. What is thrown here would end the process. */
function giveUp({ response, context }: Exchange, parts: GatewayParts, error: unknown): void {
  parts.logger.error({ error, requestId: context.requestId }, 'an answer could not be written');
  response.destroy();
}

function log(
  exchange: Exchange,
  parts: GatewayParts,
  outcome: string,
  status: number,
  reason?: string,
): void {
  const { admission, userId, accountId, request, context } = exchange;
  const record: RequestRecord = {
    requestId: context.requestId,
    outcome,
    status,
    method: request.method ?? '',
    path: exchange.path,
    sourceAddress: exchange.source.text,
    durationMs: performance.now() - exchange.startedMs,
    clientId: exchange.clientId,
    userId,
    accountId,
    keyFingerprint: admission?.key.fingerprint,
    clockDifferenceSeconds: admission && admission.presented.created - admission.attempt.nowSeconds,
    reason,
  };
  logRequest(parts.logger, record);
  parts.metrics?.answered(outcome, record.durationMs);
  exchange.span?.answered(record);
  if (admission && exchange.isAccepted) parts.registry.keyUsed(admission.client, admission.key, record);
  // What people do is no request of a client: what they change is audited.
  if (userId !== undefined) return;
  parts.requestStore?.add(record, {
    receivedAtMs: context.nowMs,
    namedClientId: exchange.clientId ?? namedClientId(request.rawHeaders),
    isAccepted: exchange.isAccepted,
    // Check 8 is passed where the client is named by a check after it.
    isProved: exchange.clientId !== undefined && outcome !== 'signature_invalid',
    keyId: admission?.key.keyId,
    shownQuery: shownQuery(exchange.query, parts.shownQueryParameters ?? noNames),
    source: exchange.source.address,
  });
  if (outcome !== 'accepted') noteFailure(exchange, parts, outcome);
}

function noteFailure(exchange: Exchange, { explanations }: GatewayParts, outcome: string): void {
  const failed = explanations && isProblemCode(outcome) ? failedRequest(exchange, outcome) : undefined;
  if (failed) explanations?.note(failed);
}

/** How long a request waits for storage: an outage is to be told within a second. */
const lookTimeoutMs = 500;

async function isFreshNow(registry: Registry): Promise<boolean> {
  return (await isDoneInTime(registry.refresh())) && registry.isFresh();
}

async function isRead(registry: Registry, clientId: string): Promise<boolean> {
  return (await isDoneInTime(registry.read(clientId))) && !registry.isUnread(clientId);
}

async function isDoneInTime(look: Promise<void>): Promise<boolean> {
  const patience = new AbortController();
  const timeout = sleep(lookTimeoutMs, false, { signal: patience.signal });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([look.then(() => true), timeout]);
  } catch {
    return false;
  } finally {
    patience.abort();
  }
}

const staleRegistry = {
  code: 'registry_stale',
  reason: 'the registry could not be read',
  retryAfterSeconds: 1,
} as const;

function tooLarge(bodyBytesMax: number): { code: ProblemCode; reason: string } {
  return { code: 'body_too_large', reason: `the body has more than ${bodyBytesMax} bytes` };
}

const noNames: ReadonlySet<string> = new Set();
const noBytes = new Uint8Array(0);
