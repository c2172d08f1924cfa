import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { newId } from '@countersign/contract/ids';
import type { NetworkWhitelist } from '@countersign/contract/network';
import {
  isProblemCode,
  isSignatureProblem,
  type ProblemCode,
  problems,
} from '@countersign/contract/problems';
import { type Awaitable, isPromise } from '@countersign/signature/profile';
import type { Admission, Door, FailedRequest, Rejection, RequestHead, Route, Sender } from './door.ts';
import { type Answer, type AnswerContext, sendAnswer, sendProblem } from './http/answer.ts';
import type { BaseUrls } from './http/base-urls.ts';
import { readBody } from './http/body.ts';
import { type ClientAddress, clientAddress } from './http/client-address.ts';
import { type ReceivedHead, readFrame } from './http/framing.ts';
import type { RequestListener } from './http/listener.ts';
import { namedClientId } from './http/named-client.ts';
import { ProblemError } from './http/problem-error.ts';
import type { ClientLimit } from './limits/client-limit.ts';
import type { FailureLimit } from './limits/failure-limit.ts';
import type { Observer, RequestRecord, RequestSpan, Tracing } from './request-record.ts';

/** What a gate is made of. */
export interface GateParts {
  readonly baseUrls: BaseUrls<Door>;
  /** Answers a request although its Host names no base URL: balancers ask for health by address. */
  readonly answerForeign?: (head: ReceivedHead) => Answer | undefined;
  readonly trustedProxies: NetworkWhitelist;
  readonly bodyBytesMax: number;
  /** How many requests may fail that come from one address; undefined for any number. */
  readonly failureLimit?: FailureLimit | undefined;
  /** How many requests a caller may make; undefined for any number. */
  readonly clientLimit?: ClientLimit | undefined;
  readonly observer: Observer;
  /** Undefined to trace nothing. */
  readonly tracing?: Tracing | undefined;
  readonly problemTypeBase: string;
  readonly nowMs: () => number;
  readonly isStopping: () => boolean;
}

/**
 * The way of every request: frame, route, checks on the head, limit, body, checks on the body, handler, answer, record.
 * Whatever is behind the gate says in its routes how callers are decided; nothing else takes another way.
 */
export function createGate(parts: GateParts): RequestListener {
  return (request, response, expectsContinue) => {
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
      sender: nobody,
      isAccepted: false,
    };
    const ended = readHeadSafely(exchange, parts);
    const span = exchange.route?.kind === 'health' ? undefined : parts.tracing?.begin(request);
    exchange.span = span;
    if (span === undefined) void answerRequest(ended, exchange, parts);
    else void span.run(() => answerRequest(ended, exchange, parts)).finally(() => span.end());
  };
}

/** One request on its way: what is known so far, for its answer and its record. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly expectsContinue: boolean;
  readonly startedMs: number;
  readonly context: AnswerContext;
  readonly source: ClientAddress;
  span?: RequestSpan | undefined;
  /** Undefined until the frame is read. */
  head?: RequestHead;
  route?: Route;
  sender: Sender;
  /** Undefined until it is read. */
  body?: Uint8Array;
  isAccepted: boolean;
}

/** How a request ends. */
type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'gone' };

/** A refusal as it is told. */
interface Problem {
  readonly code: ProblemCode;
  readonly members?: Readonly<Record<string, unknown>> & { readonly retryAfterSeconds?: number | undefined };
  readonly headers?: Answer['headers'];
  /** For the log. */
  readonly reason?: string | undefined;
}

function readHeadSafely(exchange: Exchange, parts: GateParts): Outcome | undefined {
  try {
    return readHead(exchange, parts);
  } catch (error) {
    return { kind: 'problem', problem: problemOf(error, exchange.context.requestId, parts) };
  }
}

/** Check 1, and what the request is for. Returns how the request ends if it ends here. */
function readHead(exchange: Exchange, parts: GateParts): Outcome | undefined {
  const { request, context, source } = exchange;
  const frame = readFrame(request, parts.baseUrls);
  if (!frame.ok) {
    const health = frame.isForeign && parts.answerForeign?.(request);
    if (health) return { kind: 'answer', answer: health };
    context.closeConnection = frame.endsConnection === true;
    return parts.isStopping() ? stopping : refused(frame);
  }
  const { ok: _ok, door, ...framed } = frame;
  const { requestId, nowMs } = context;
  const { rawHeaders } = request;
  context.hasBody = frame.hasBody;
  exchange.head = { ...framed, requestId, rawHeaders, source, receivedAtMs: nowMs };
  exchange.route = door.find(exchange.head);
  return parts.isStopping() && exchange.route.kind !== 'health' ? stopping : undefined;
}

/**
 * Never rejects. Whatever can be answered at once is: bytes behind a request that ends its connection must not be heard,
 * and they may have come with it.
 */
async function answerRequest(
  ended: Outcome | undefined,
  exchange: Exchange,
  parts: GateParts,
): Promise<void> {
  try {
    const outcome = ended ?? outcomeOf(exchange, parts);
    tell(isPromise(outcome) ? await outcome : outcome, exchange, parts);
  } catch (error) {
    const { requestId } = exchange.context;
    try {
      tell({ kind: 'problem', problem: problemOf(error, requestId, parts) }, exchange, parts);
    } catch (unwritable) {
      // What is thrown here would end the process.
      parts.observer.failed(unwritable, requestId, 'an answer could not be written');
      exchange.response.destroy();
    }
  }
}

/** ProblemErrors are answered as such; anything else is a bug: log it and send a bare 500. */
function problemOf(error: unknown, requestId: string, { observer }: GateParts): Problem {
  if (error instanceof ProblemError) {
    const { code, members, headers, detail } = error;
    return { code, members, headers, reason: detail };
  }
  observer.failed(error, requestId, 'unexpected error');
  return { code: 'internal_error' };
}

/** The rest of the way. */
function outcomeOf(exchange: Exchange, parts: GateParts): Awaitable<Outcome> {
  const { source } = exchange;
  const head = exchange.head!;
  const route = exchange.route!;
  const failuresWait = route.isFailureLimited ? (parts.failureLimit?.waitSeconds(source.address) ?? 0) : 0;
  if (failuresWait > 0) return tooManyFailures(failuresWait);
  const decided = route.admit(head);
  return isPromise(decided)
    ? decided.then((admission) => goOn(admission, exchange, parts))
    : goOn(decided, exchange, parts);
}

/** What follows the checks on the head. */
function goOn(admission: Admission | Rejection, exchange: Exchange, parts: GateParts): Awaitable<Outcome> {
  if (!admission.ok) {
    if (exchange.route?.isFailureLimited && isUnproved(admission))
      parts.failureLimit?.count(exchange.source.address);
    return rejected(admission, exchange);
  }
  exchange.sender = admission.sender;
  const waitSeconds = limitSeconds(admission, exchange, parts);
  return waitSeconds > 0 ? rateLimited(waitSeconds) : goOnWithBody(admission, exchange, parts);
}

async function goOnWithBody(admission: Admission, exchange: Exchange, parts: GateParts): Promise<Outcome> {
  const body = await receiveBody(exchange, exchange.route?.bodyBytesMax ?? parts.bodyBytesMax);
  if (!(body instanceof Uint8Array)) return body;
  exchange.body = body;
  exchange.context.hasBody = body.length > 0;
  const rejection = admission.accept && (await admission.accept(body));
  return rejection ? rejected(rejection, exchange) : answerAccepted(admission, body, exchange, parts);
}

async function answerAccepted(
  admission: Admission,
  body: Uint8Array,
  exchange: Exchange,
  { clientLimit, isStopping }: GateParts,
): Promise<Outcome> {
  const { context, response } = exchange;
  const { countedAs, headers = {} } = admission;
  // Charged only now: whoever repeats a client's request, or sends its head alone, takes nothing from the client.
  const charged = countedAs === undefined ? undefined : clientLimit?.charge(countedAs);
  tellLimit(admission, exchange, clientLimit);
  exchange.isAccepted = true;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const answer = await admission.answer(body);
  await charged;
  tellLimit(admission, exchange, clientLimit);
  // A service that stops ends each connection with the answer that it owes there.
  if (isStopping()) context.closeConnection = true;
  return { kind: 'answer', answer };
}

/** Asked before the body is read. Nothing is charged here. */
function limitSeconds(admission: Admission, exchange: Exchange, { clientLimit }: GateParts): number {
  tellLimit(admission, exchange, clientLimit);
  return admission.countedAs === undefined ? 0 : (clientLimit?.waitSeconds(admission.countedAs) ?? 0);
}

function tellLimit(
  { countedAs }: Admission,
  { context }: Exchange,
  clientLimit: ClientLimit | undefined,
): void {
  if (clientLimit && countedAs !== undefined) context.fields = clientLimit.fields(countedAs);
}

/** Check 12, its first half: the body is within its limit. */
async function receiveBody(exchange: Exchange, bodyBytesMax: number): Promise<Uint8Array | Outcome> {
  const { head, request, response } = exchange;
  if (head?.hasBody === false) return noBytes;
  const tooLarge = refused({
    code: 'body_too_large',
    reason: `the body has more than ${bodyBytesMax} bytes`,
  });
  if (head?.contentLength !== undefined && head.contentLength > bodyBytesMax) return tooLarge;
  if (exchange.expectsContinue) response.writeContinue();
  const reading = await readBody(request, bodyBytesMax);
  if (reading.outcome === 'complete') return reading.bytes;
  return reading.outcome === 'too-large' ? tooLarge : { kind: 'gone' };
}

/** Failures of whoever has not proved who it is. */
function isUnproved({ code }: Rejection): boolean {
  return isSignatureProblem(code) || code === 'session_required';
}

function rejected(rejection: Rejection, exchange: Exchange): Awaitable<Outcome> {
  exchange.sender = rejection.sender ?? exchange.sender;
  const explain = exchange.route?.explainRefusal;
  const failed = explain && failedRequest(rejection.code, exchange);
  if (failed === undefined) return refused(rejection);
  return explain!(failed).then((explained) =>
    refused({ ...rejection, members: { ...rejection.members, ...explained } }),
  );
}

function refused(
  refusal: Omit<Rejection, 'ok' | 'reason' | 'sender'> & { readonly reason?: string },
): Outcome {
  const { code, reason, expected, received, retryAfterSeconds, members } = refusal;
  // The reason of check 8 would tell a stranger which clients exist. And an account that is not the caller's own is as
  // one that does not exist. Both are for the log only.
  const isSecret = code === 'signature_invalid' || code === 'not_found';
  const told = isSecret ? members : { reason, expected, received, ...members };
  return { kind: 'problem', problem: { code, reason, members: { ...told, retryAfterSeconds } } };
}

const stopping = refused({ code: 'shutting_down' });

function tooManyFailures(retryAfterSeconds: number): Outcome {
  const reason = 'too many requests from this address had no valid signature';
  return refused({ code: 'too_many_failures', reason, retryAfterSeconds });
}

function rateLimited(retryAfterSeconds: number): Outcome {
  const reason = 'the caller has made as many requests as it may';
  return refused({ code: 'rate_limited', reason, retryAfterSeconds });
}

/** Writes the answer, then records the request. Throws when the answer cannot be written. */
function tell(outcome: Outcome, exchange: Exchange, parts: GateParts): void {
  const { response, context } = exchange;
  if (outcome.kind === 'gone') {
    record('connection_closed', 0, 'the connection ended before the body was complete', exchange, parts);
  } else if (outcome.kind === 'answer') {
    sendAnswer(response, context, outcome.answer);
    const name = exchange.route?.kind === 'page' ? 'page' : 'accepted';
    record(name, outcome.answer.status, undefined, exchange, parts);
  } else if (!response.headersSent) {
    const { code, members, headers, reason } = outcome.problem;
    // A caller that waits for 100 Continue may send its body or not: only a new connection is unambiguous.
    if ((exchange.expectsContinue && !exchange.request.complete) || parts.isStopping())
      context.closeConnection = true;
    if (!response.destroyed) sendProblem(response, context, code, members, headers);
    record(code, problems[code].status, reason, exchange, parts);
  }
}

function record(
  outcome: string,
  status: number,
  reason: string | undefined,
  exchange: Exchange,
  { observer }: GateParts,
): void {
  const { request, context, source, head, route, isAccepted, span } = exchange;
  // Balancers ask for health all the time.
  if (route?.kind === 'health' || (head === undefined && outcome === 'accepted')) return;
  const sender = knownSender(exchange);
  const { client, claimedClientId, key, clockDifferenceSeconds, userId, accountId } = sender;
  const entry: RequestRecord = {
    requestId: context.requestId,
    outcome,
    status,
    method: request.method ?? '',
    path: head?.path ?? '',
    sourceAddress: source.text,
    durationMs: performance.now() - exchange.startedMs,
    clientId: client?.clientId,
    claimedClientId: client === undefined ? claimedClientId : undefined,
    userId,
    accountId,
    keyFingerprint: key?.fingerprint,
    clockDifferenceSeconds,
    reason,
  };
  const failed = isProblemCode(outcome) ? failedRequest(outcome, exchange) : undefined;
  observer.answered(entry, {
    kind: route?.kind,
    sender,
    isAccepted,
    receivedAtMs: context.nowMs,
    query: head?.query ?? '',
    source,
    failed,
  });
  span?.answered(entry);
}

function failedRequest(code: ProblemCode, exchange: Exchange): FailedRequest | undefined {
  const { head, body, context } = exchange;
  // A request without a body is known to have none before anything is read.
  const known = body ?? (context.hasBody === false ? noBytes : undefined);
  return head && { code, head, sender: knownSender(exchange), body: known };
}

/** The sender, by the name that the request claims where nothing better is known: its owner finds it by that. */
function knownSender({ sender, route, request }: Exchange): Sender {
  const isNamed = sender.client !== undefined || sender.claimedClientId !== undefined;
  if (isNamed || (route !== undefined && route.kind !== 'client')) return sender;
  return { ...sender, claimedClientId: namedClientId(request.rawHeaders) };
}

const nobody: Sender = {};
const noBytes = new Uint8Array(0);
