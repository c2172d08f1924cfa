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
import type {
  Admission,
  Door,
  FailedRequest,
  Rejection,
  RequestHead,
  Route,
  Sender,
  WaitingClient,
} from './door.ts';
import { type Answer, type AnswerContext, sendAnswer, sendProblem } from './http/answer.ts';
import type { BaseUrls } from './http/base-urls.ts';
import { readBody } from './http/body.ts';
import { type ClientAddress, clientAddress } from './http/client-address.ts';
import { type ReceivedHead, readFrame, valuesOf } from './http/framing.ts';
import type { RequestListener } from './http/listener.ts';
import { namedClientId } from './http/named-client.ts';
import { ProblemError } from './http/problem-error.ts';
import type { ClientLimit } from './limits/client-limit.ts';
import type { FailureLimit } from './limits/failure-limit.ts';
import type { Observer, RequestRecord, RequestSpan, Tracing } from './request-record.ts';

/** Everything a gate is built from. */
export interface GateParts {
  readonly baseUrls: BaseUrls<Door>;
  /** Answers a request even if its Host names no base URL: load balancers check health by address. */
  readonly answerForeign?: (head: ReceivedHead) => Answer | undefined;
  readonly trustedProxies: NetworkWhitelist;
  readonly bodyBytesMax: number;
  /** Limits failed requests per address; undefined for no limit. */
  readonly failureLimit?: FailureLimit | undefined;
  /** Limits requests per caller; undefined for no limit. */
  readonly clientLimit?: ClientLimit | undefined;
  readonly observer: Observer;
  /** Undefined disables tracing. */
  readonly tracing?: Tracing | undefined;
  readonly problemTypeBase: string;
  readonly nowMs: () => number;
  readonly isStopping: () => boolean;
}

/**
 * Creates the listener that takes every request through the same steps: framing, route, checks on the head, limit,
 * body, checks on the body, handler, answer, record. The routes say how their callers are checked; nothing bypasses
 * these steps.
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

/** One request in progress: what is known so far, for its answer and its record. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly expectsContinue: boolean;
  readonly startedMs: number;
  readonly context: AnswerContext;
  readonly source: ClientAddress;
  span?: RequestSpan | undefined;
  /** Undefined until the framing is read. */
  head?: RequestHead;
  route?: Route;
  sender: Sender;
  /** Undefined until it is read. */
  body?: Uint8Array;
  isAccepted: boolean;
  /** The refusal that a route which only observes did not carry out. */
  observed?: Rejection | undefined;
}

/** The end of a request. */
type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'gone'; readonly reason: string };

/** A refusal as the caller sees it. */
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

/** Runs check 1 and finds the route. Returns the outcome if the request ends here. */
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
 * Answers a request and never rejects. It avoids waiting: when a request ends its connection, any bytes behind it must
 * be ignored, and they may have arrived together with it.
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
      // An error thrown here would crash the process.
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

/** Decides and answers a request whose framing and route are known. */
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

/** Continues after the checks on the head. */
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
  if (rejection) return rejected(rejection, exchange);
  exchange.sender = admission.sender;
  return answerAccepted(admission, body, exchange, parts);
}

async function answerAccepted(
  admission: Admission,
  body: Uint8Array,
  exchange: Exchange,
  { clientLimit, isStopping }: GateParts,
): Promise<Outcome> {
  const { context, response } = exchange;
  const { countedAs, headers = {} } = admission;
  // Charge only accepted requests: replaying a client's request, or sending only its head, costs the client nothing.
  const charged = countedAs === undefined ? undefined : clientLimit?.charge(countedAs);
  tellLimit(admission, exchange, clientLimit);
  exchange.observed = admission.observed;
  exchange.isAccepted = admission.observed === undefined;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const answer = await answerUnlessGone(admission, body, response);
  if (answer === 'gone') return { kind: 'gone', reason: 'the connection ended before the answer' };
  await charged;
  tellLimit(admission, exchange, clientLimit);
  // While the service is stopping, each connection closes after its last answer.
  if (isStopping()) context.closeConnection = true;
  return { kind: 'answer', answer };
}

/** Returns `gone` if the work failed because nobody waits for it any more. */
async function answerUnlessGone(
  admission: Admission,
  body: Uint8Array,
  response: ServerResponse,
): Promise<Answer | 'gone'> {
  try {
    return await admission.answer(body, waitingClient(response));
  } catch (error) {
    if (response.destroyed && error instanceof ProblemError) return 'gone';
    throw error;
  }
}

function waitingClient(response: ServerResponse): WaitingClient {
  return {
    onGone(act) {
      if (response.destroyed) act();
      else response.once('close', () => response.writableFinished || act());
    },
    hint(rawHeaders) {
      const links = valuesOf(rawHeaders, 'link');
      if (response.headersSent || response.req.httpVersion !== '1.1' || links.length === 0) return;
      try {
        response.writeEarlyHints({ link: links });
      } catch {
        // Hints that node:http finds malformed are dropped: the answer has its own fields.
      }
    },
  };
}

/** Returns the seconds until the caller may make a request. Runs before the body is read and charges nothing. */
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

/** Runs the first half of check 12: the body is within its limit. */
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
  if (reading.outcome === 'too-large') return tooLarge;
  return { kind: 'gone', reason: 'the connection ended before the body was complete' };
}

/** Recognises failures of callers that did not prove who they are. */
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
  // The reason of check 8 would tell a stranger which clients exist, and someone else's account must look like one that
  // doesn't exist. Both reasons go to the log only.
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

/** Writes the answer, then records the request. Throws if the answer cannot be written. */
function tell(outcome: Outcome, exchange: Exchange, parts: GateParts): void {
  const { response, context } = exchange;
  if (outcome.kind === 'gone') {
    record('connection_closed', 0, outcome.reason, exchange, parts);
  } else if (outcome.kind === 'answer') {
    sendAnswer(response, context, outcome.answer);
    const { observed, route } = exchange;
    const name = observed?.code ?? (route?.kind === 'page' ? 'page' : 'accepted');
    record(name, outcome.answer.status, observed?.reason, exchange, parts);
  } else if (!response.headersSent) {
    const { code, members, headers, reason } = outcome.problem;
    // A caller waiting for 100 Continue may or may not send its body, so only a new connection is unambiguous.
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
  // Load balancers check health all the time.
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
    ...(exchange.observed?.code === outcome && { isObserved: true }),
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

/** Returns the sender, falling back to the client that the request names, so that its owner can find the request. */
function knownSender({ sender, route, request }: Exchange): Sender {
  const isNamed = sender.client !== undefined || sender.claimedClientId !== undefined;
  if (isNamed || (route !== undefined && route.kind !== 'client')) return sender;
  return { ...sender, claimedClientId: namedClientId(request.rawHeaders) };
}

const nobody: Sender = {};
const noBytes = new Uint8Array(0);
