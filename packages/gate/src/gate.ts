import { performance } from 'node:perf_hooks';
import { newId } from '@countersign/contract/ids';
import type { NetworkWhitelist } from '@countersign/contract/network';
import {
  isProblemCode,
  isSignatureProblem,
  type ProblemCode,
  problems,
} from '@countersign/contract/problems';
import { andThen, type Awaitable, isProfileId, isPromise } from '@countersign/signature/profile';
import { type Arrival, socketArrival } from './arrival.ts';
import type { Admission, Door, FailedRequest, Rejection, RequestHead, Route, Sender } from './door.ts';
import { type Answer, type AnswerContext, problemAnswer } from './http/answer.ts';
import type { BaseUrls } from './http/base-urls.ts';
import type { Spooling } from './http/body.ts';
import { ClientAddresses } from './http/client-address.ts';
import { type ReceivedHead, readFrame, valuesOf } from './http/framing.ts';
import type { RequestListener } from './http/listener.ts';
import { namedClientId } from './http/named-client.ts';
import { otherProfileDetails } from './http/other-profile-details.ts';
import { ProblemError } from './http/problem-error.ts';
import { isInMemory, type ReceivedBody } from './http/spool.ts';
import type { ClientLimit } from './limits/client-limit.ts';
import type { FailureLimit } from './limits/failure-limit.ts';
import type { Observer, RequestRecord, RequestSpan, Tracing } from './request-record.ts';

/** Everything that the steps use, however the request arrived. */
export interface GateParts {
  readonly baseUrls: BaseUrls<Door>;
  /** Responds to a request even if its Host matches no base URL: load balancers check health by IP address. */
  readonly answerForeign?: (head: ReceivedHead) => Answer | undefined;
  readonly bodyBytesMax: number;
  /** Where bodies above this size are stored, on routes that spool to disk; undefined to keep all in memory. */
  readonly spooling?: Spooling | undefined;
  /** Limits failed requests per address; undefined for no limit. */
  readonly failureLimit?: FailureLimit | undefined;
  /** Limits requests per caller; undefined for no limit. */
  readonly clientLimit?: ClientLimit | undefined;
  readonly observer: Observer;
  /** Traces requests; undefined for no tracing. */
  readonly tracing?: Tracing | undefined;
  readonly problemTypeBase: string;
  readonly nowMs: () => number;
  /** True once new requests are no longer served: each gets 503 `shutting_down`. */
  readonly isStopping: () => boolean;
  /** True once each connection closes after its next response, while requests are still served. Default never. */
  readonly isDraining?: () => boolean;
}

/** Everything a gate for sockets is built from. */
export interface SocketGateParts extends GateParts {
  readonly trustedProxies: NetworkWhitelist;
}

/**
 * Creates the listener that takes every request through the same steps: framing, route, checks on the head,
 * limit, body, checks on the body, handler, response, record. The routes define how their callers are
 * checked; nothing bypasses these steps.
 */
export function createGate(parts: SocketGateParts): RequestListener {
  const take = createIntake(parts);
  const addresses = new ClientAddresses(parts.trustedProxies);
  return (request, response, options = {}) => {
    take(socketArrival(request, response, options, addresses.of(request)));
  };
}

/**
 * Returns a predicate that decides, from the head alone, whether a connection may switch to another protocol.
 * If it may, the request then goes through the same steps as any other.
 */
export function createUpgradeCheck(baseUrls: BaseUrls<Door>): (request: ReceivedHead) => boolean {
  return ({ method = '', url = '', rawHeaders, httpVersion }) => {
    const [host, upgrade, length, coding] = ['host', 'upgrade', 'content-length', 'transfer-encoding'].map(
      (name) => valuesOf(rawHeaders, name),
    );
    // HTTP/1.0 has no upgrades (RFC 9110 section 7.8).
    if (httpVersion !== '1.1') return false;
    if (host!.length !== 1 || upgrade!.length !== 1 || length!.length + coding!.length > 0) return false;
    const path = url.split('?', 1)[0]!;
    const door = baseUrls.find(host![0]!)?.door;
    return door?.mayUpgrade?.({ method, path, protocol: upgrade![0]!.trim().toLowerCase() }) ?? false;
  };
}

/**
 * Creates the function that takes a request through these steps, however it arrived. Every request gets a
 * response.
 */
export function createIntake(parts: GateParts): (arrival: Arrival) => void {
  return (arrival) => {
    const nowMs = parts.nowMs();
    const exchange: Exchange = {
      arrival,
      startedMs: performance.now(),
      context: {
        requestId: newId('request', nowMs),
        problemTypeBase: parts.problemTypeBase,
        hasBody: undefined,
        alg: undefined,
        nowMs,
        closeConnection: endsConnections(parts),
      },
      sender: nobody,
      isAccepted: false,
    };
    const ended = readHeadSafely(exchange, parts);
    const span = exchange.route?.kind === 'health' ? undefined : parts.tracing?.begin(arrival.received);
    exchange.span = span;
    if (span === undefined) void answerRequest(ended, exchange, parts);
    else void span.run(() => answerRequest(ended, exchange, parts)).finally(() => span.end());
  };
}

/** One request in progress: what is known so far, for its response and its record. */
interface Exchange {
  readonly arrival: Arrival;
  readonly startedMs: number;
  readonly context: AnswerContext;
  span?: RequestSpan | undefined;
  /** Undefined until the framing is read. */
  head?: RequestHead;
  route?: Route;
  sender: Sender;
  /** Undefined until the body is read. */
  body?: Uint8Array;
  isAccepted: boolean;
  /** The rejection that was only observed, on a route that does not enforce. */
  observed?: Rejection | undefined;
  /** How long the upstream was waited for. */
  waitedMs?: number | undefined;
}

/** The outcome of a request. */
type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'gone'; readonly reason: string };

/** A rejection as the caller sees it. */
interface Problem {
  readonly code: ProblemCode;
  readonly members?: Readonly<Record<string, unknown>> & { readonly retryAfterSeconds?: number | undefined };
  readonly headers?: Answer['headers'];
  /** The detail for the log. */
  readonly reason?: string | undefined;
  readonly waitedMs?: number | undefined;
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
  const { arrival, context } = exchange;
  const { received, source, unseenBody } = arrival;
  const frame = readFrame(received, parts.baseUrls);
  if (!frame.ok) {
    const health = frame.isForeign && parts.answerForeign?.(received);
    if (health) return { kind: 'answer', answer: health };
    if (frame.endsConnection === true) context.closeConnection = true;
    return parts.isStopping() ? stopping : refused(frame);
  }
  const { ok: _ok, door, ...framed } = frame;
  const { requestId, nowMs } = context;
  const { rawHeaders } = received;
  // A proxy that keeps a body need not announce it.
  const hasBody = unseenBody === undefined || frame.hasBody ? frame.hasBody : undefined;
  context.hasBody = hasBody;
  exchange.head = { ...framed, hasBody, requestId, rawHeaders, source, receivedAtMs: nowMs, unseenBody };
  exchange.route = door.find(exchange.head);
  return parts.isStopping() && exchange.route.kind !== 'health' ? stopping : undefined;
}

/**
 * Responds to a request and never rejects. It does not await what is already known: if the response closes the
 * connection, the parser must not begin with the bytes behind the request, which may have arrived in the same packet.
 */
async function answerRequest(
  ended: Outcome | undefined,
  exchange: Exchange,
  parts: GateParts,
): Promise<void> {
  try {
    const outcome = ended ?? decideRequest(exchange, parts);
    finish(isPromise(outcome) ? await outcome : outcome, exchange, parts);
  } catch (error) {
    const { requestId } = exchange.context;
    try {
      finish({ kind: 'problem', problem: problemOf(error, requestId, parts) }, exchange, parts);
    } catch (unwritable) {
      // An error thrown here would crash the process.
      parts.observer.failed(unwritable, requestId, 'a response could not be written');
      exchange.arrival.cut();
    }
  }
}

/**
 * Turns an error into a problem. A `ProblemError` is sent as it is; anything else is a bug: log it and send a
 * bare 500.
 */
function problemOf(error: unknown, requestId: string, { observer }: GateParts): Problem {
  if (error instanceof ProblemError) {
    const { code, members, headers, detail, waitedMs } = error;
    return { code, members, headers, reason: detail, waitedMs };
  }
  observer.failed(error, requestId, 'unexpected error');
  return { code: 'internal_error' };
}

/** Decides and handles a request whose framing and route are known. */
function decideRequest(exchange: Exchange, parts: GateParts): Awaitable<Outcome> {
  const { source } = exchange.arrival;
  const head = exchange.head!;
  const route = exchange.route!;
  const failuresWait = route.isFailureLimited ? (parts.failureLimit?.waitSeconds(source.address) ?? 0) : 0;
  if (failuresWait > 0) return tooManyFailures(failuresWait);
  return andThen(route.admit(head), (admission) => proceed(admission, exchange, parts));
}

/** Continues after the checks on the head. */
function proceed(admission: Admission | Rejection, exchange: Exchange, parts: GateParts): Awaitable<Outcome> {
  if (!admission.ok) {
    if (exchange.route?.isFailureLimited && isUnproved(admission)) {
      parts.failureLimit?.count(exchange.arrival.source.address);
      exchange.arrival.failed();
    }
    return rejected(admission, exchange);
  }
  exchange.sender = admission.sender;
  if (admission.sender.client !== undefined || admission.sender.userId !== undefined)
    exchange.arrival.proved();
  const waitSeconds = announceLimit(admission, exchange, parts);
  return waitSeconds > 0 ? rateLimited(waitSeconds) : proceedWithBody(admission, exchange, parts);
}

function proceedWithBody(admission: Admission, exchange: Exchange, parts: GateParts): Awaitable<Outcome> {
  return andThen(receiveBody(exchange, parts), (received) => {
    if ('kind' in received) return received;
    const { body } = received;
    if (exchange.arrival.unseenBody === undefined) {
      if (isInMemory(body)) exchange.body = body;
      exchange.context.hasBody = body.length > 0;
    }
    return andThen(admission.accept?.(body), (rejection) => {
      if (rejection) return rejected(rejection, exchange);
      exchange.sender = admission.sender;
      return answerAccepted(admission, body, exchange, parts);
    });
  });
}

function answerAccepted(
  admission: Admission,
  body: ReceivedBody,
  exchange: Exchange,
  parts: GateParts,
): Awaitable<Outcome> {
  const { arrival } = exchange;
  const { limited } = admission;
  const headers = { ...exchange.route?.answerHeaders, ...admission.headers };
  // Charge only accepted requests: replaying a client's request, or sending only its head, costs the client nothing.
  const charged = limited && parts.clientLimit?.charge(limited);
  announceLimit(admission, exchange, parts);
  exchange.observed = admission.observed;
  exchange.isAccepted = admission.observed === undefined;
  for (const [name, value] of Object.entries(headers)) arrival.setHeader(name, value);
  return andThen(answerUnlessGone(admission, body, arrival), (answer) => {
    if (answer === 'gone') return { kind: 'gone', reason: 'the connection closed before the response' };
    return andThen(charged, () => {
      if (charged) announceLimit(admission, exchange, parts);
      // While the service is stopping, each connection closes after its last response.
      if (endsConnections(parts)) exchange.context.closeConnection = true;
      return { kind: 'answer', answer };
    });
  });
}

/** Returns `gone` if the work failed because the client has disconnected. */
function answerUnlessGone(
  admission: Admission,
  body: ReceivedBody,
  arrival: Arrival,
): Awaitable<Answer | 'gone'> {
  const failed = (error: unknown): 'gone' => {
    if (arrival.isGone() && error instanceof ProblemError) return 'gone';
    throw error;
  };
  try {
    const answer = admission.answer(body, arrival.client);
    return isPromise(answer) ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

/**
 * Adds the limit's headers to the response, and returns the seconds until the caller may make a request.
 * Charges nothing.
 */
function announceLimit({ limited }: Admission, { context }: Exchange, { clientLimit }: GateParts): number {
  const state = limited && clientLimit?.stateOf(limited);
  if (!state) return 0;
  context.fields = state.fields;
  return state.waitSeconds;
}

/** Runs the first half of check 12: the body is within its limit. A body that a proxy kept counts as empty. */
function receiveBody(
  { head, route, arrival }: Exchange,
  parts: GateParts,
): Awaitable<{ readonly body: ReceivedBody } | Outcome> {
  if (head?.hasBody === false) return { body: noBytes };
  const bodyBytesMax = route?.bodyBytesMax ?? parts.bodyBytesMax;
  const tooLarge = refused({
    code: 'body_too_large',
    reason: `the body has more than ${bodyBytesMax} bytes`,
  });
  if (head?.contentLength !== undefined && head.contentLength > bodyBytesMax) return tooLarge;
  if (arrival.unseenBody !== undefined) return { body: noBytes };
  const reading = arrival.receiveBody(bodyBytesMax, route?.takesSpooledBodies && parts.spooling);
  return reading.then((read) => {
    switch (read.outcome) {
      case 'complete':
        return read;
      case 'too-large':
        return tooLarge;
      case 'no-space':
        return refused({ code: 'storage_unavailable', reason: read.reason });
      case 'aborted':
        return { kind: 'gone', reason: 'the connection closed before the body was complete' };
    }
  });
}

/** Returns true for failures that show that the caller did not authenticate. */
function isUnproved({ code }: Rejection): boolean {
  return isSignatureProblem(code) || code === 'session_required';
}

function rejected(rejection: Rejection, exchange: Exchange): Awaitable<Outcome> {
  exchange.sender = rejection.sender ?? exchange.sender;
  exchange.context.alg = algIn(exchange.head?.rawHeaders ?? []);
  exchange.context.wanted = rejection.wanted;
  const explain = exchange.route?.explainRefusal;
  const failed = explain && failedRequest(rejection.code, exchange);
  if (failed === undefined) return refused(rejection);
  return explain!(failed).then((explained) =>
    refused({ ...rejection, members: { ...rejection.members, ...explained } }),
  );
}

/** Returns the algorithm that a signature names, if that can be told from a field that may be malformed. */
function algIn(rawHeaders: readonly string[]): string | undefined {
  const [input = ''] = valuesOf(rawHeaders, 'signature-input');
  return /;alg="([a-z0-9_-]{1,32})"/.exec(input.slice(0, 4096))?.[1];
}

function refused(
  refusal: Omit<Rejection, 'ok' | 'reason' | 'sender'> & { readonly reason?: string },
): Outcome {
  const { code, reason, expected, received, retryAfterSeconds, isOfOtherProfile } = refusal;
  const detail = isOfOtherProfile === true ? otherProfileDetails[code] : undefined;
  const members = detail === undefined ? refusal.members : { detail, ...refusal.members };
  // The reason of check 8 would tell a stranger which clients exist, and someone else's account must look like one that
  // doesn't exist. Both reasons go to the log only.
  const isSecret = code === 'signature_invalid' || code === 'not_found';
  const told = isSecret ? members : { reason, expected, received, ...members };
  return { kind: 'problem', problem: { code, reason, members: { ...told, retryAfterSeconds } } };
}

const stopping = refused({ code: 'shutting_down' });

function endsConnections({ isStopping, isDraining }: GateParts): boolean {
  return isStopping() || isDraining?.() === true;
}

function tooManyFailures(retryAfterSeconds: number): Outcome {
  const reason = 'too many requests from this address had no valid signature';
  return refused({ code: 'too_many_failures', reason, retryAfterSeconds });
}

function rateLimited(retryAfterSeconds: number): Outcome {
  const reason = 'the caller has reached its request limit';
  return refused({ code: 'rate_limited', reason, retryAfterSeconds });
}

/** Writes the response, then records the request. Throws if the response cannot be written. */
function finish(outcome: Outcome, exchange: Exchange, parts: GateParts): void {
  const { arrival, context } = exchange;
  if (outcome.kind === 'gone') {
    record('connection_closed', 0, outcome.reason, exchange, parts);
  } else if (outcome.kind === 'answer') {
    arrival.answer(context, outcome.answer);
    exchange.waitedMs = outcome.answer.waitedMs;
    const { observed, route } = exchange;
    const name = observed?.code ?? (route?.kind === 'page' ? 'page' : 'accepted');
    record(name, outcome.answer.status, observed?.reason, exchange, parts);
  } else if (!arrival.isAnswered()) {
    const { code, members, headers, reason, waitedMs } = outcome.problem;
    exchange.waitedMs = waitedMs;
    // A caller waiting for 100 Continue may or may not send its body, so only a new connection is unambiguous.
    if (arrival.holdsBodyBack() || endsConnections(parts)) context.closeConnection = true;
    const all = { ...exchange.route?.refusalHeaders, ...headers };
    const answer = problemAnswer(context, code, members, all);
    if (!arrival.isGone()) arrival.refuse(context, signedIfAsked(answer, exchange));
    record(code, problems[code].status, reason, exchange, parts);
  }
}

/** Signs a problem that followed every check, on a route whose responses are signed. */
function signedIfAsked(
  answer: ReturnType<typeof problemAnswer>,
  { route, isAccepted }: Exchange,
): ReturnType<typeof problemAnswer> {
  if (!isAccepted || route?.signProblem === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, ...route.signProblem(answer.status, answer.bytes) } };
}

function record(
  outcome: string,
  status: number,
  reason: string | undefined,
  exchange: Exchange,
  { observer }: GateParts,
): void {
  const { arrival, context, head, route, isAccepted, span } = exchange;
  const { received, source, authorizer, unseenBody } = arrival;
  // Load balancers check health all the time, so these requests are not recorded.
  if (route?.kind === 'health' || (head === undefined && outcome === 'accepted')) return;
  const sender = knownSender(exchange);
  const { client, claimedClientId, key, clockDifferenceSeconds, userId, accountId } = sender;
  const entry: RequestRecord = {
    requestId: context.requestId,
    outcome,
    status,
    method: received.method ?? '',
    path: head?.path ?? '',
    sourceAddress: source.text,
    durationMs: performance.now() - exchange.startedMs,
    clientId: client?.clientId,
    ...(client !== undefined && !isProfileId(client.profile) && { profile: client.profile }),
    claimedClientId: client === undefined ? claimedClientId : undefined,
    userId,
    accountId,
    keyFingerprint: key?.fingerprint,
    clockDifferenceSeconds,
    reason,
    ...(exchange.observed?.code === outcome && { isObserved: true }),
    ...(authorizer !== undefined && { authorizer }),
    ...(unseenBody === 'unchecked' && isAccepted && { isBodyUnchecked: true }),
  };
  const failed = isProblemCode(outcome) ? failedRequest(outcome, exchange) : undefined;
  observer.answered(entry, {
    kind: route?.kind,
    sender,
    isAccepted,
    operationPath: route?.operationPath,
    waitedMs: exchange.waitedMs,
    receivedAtMs: context.nowMs,
    query: head?.query ?? '',
    source,
    failed,
  });
  span?.answered(entry);
}

function failedRequest(code: ProblemCode, exchange: Exchange): FailedRequest | undefined {
  const { head, body, context } = exchange;
  // Before anything is read, a request without a body is already known to have none.
  const known = body ?? (context.hasBody === false ? noBytes : undefined);
  return head && { code, head, sender: knownSender(exchange), body: known };
}

/** Returns the sender, falling back to the client that the request names, so that its owner can find the request. */
function knownSender({ sender, route, arrival }: Exchange): Sender {
  const isNamed = sender.client !== undefined || sender.claimedClientId !== undefined;
  if (isNamed || (route !== undefined && route.kind !== 'client')) return sender;
  return { ...sender, claimedClientId: namedClientId(arrival.received.rawHeaders) };
}

const nobody: Sender = {};
const noBytes = new Uint8Array(0);
