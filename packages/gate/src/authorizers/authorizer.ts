import type { ClientMeans } from '../decision/admit-client.ts';
import type { Arrival } from '../arrival.ts';
import type { UnseenBody } from '../door.ts';
import { createIntake, type GateParts } from '../gate.ts';
import { type Answer, type AnswerContext, answerHeaders } from '../http/answer.ts';
import { BaseUrls } from '../http/base-urls.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { ProblemError } from '../http/problem-error.ts';
import { type ReceivedHead, valuesOf } from '../http/framing.ts';
import { type ForwardedIdentity, identityHeaders, unprovedHeaders } from '../proxy/forwarded-headers.ts';
import { createGateway, type Forwarding, type Routing, ruleFor, unprovedOf } from '../proxy/gateway.ts';

/** A request as a proxy hands it over. */
export interface HandedOver {
  /** The original request: its method, its raw target, and the headers that the proxy passes on. */
  readonly head: ReceivedHead;
  /** The client's address, not the proxy's. */
  readonly source: ClientAddress;
  /**
   * The whole body; `none` if the proxy shows that there is none; `unseen` if the proxy keeps it, or does not show
   * whether there is one.
   */
  readonly body: Uint8Array | 'unseen' | 'none';
}

/** The response for the proxy. */
export type Verdict =
  | {
      readonly allowed: true;
      /**
       * Headers for the upstream that identify the caller. The proxy must remove any that the client sent
       * under these names.
       */
      readonly headers: HeaderPairs;
      /** Headers for the client, added to the upstream's response. */
      readonly answerHeaders: HeaderPairs;
    }
  | {
      readonly allowed: false;
      readonly status: number;
      /** Headers for the client, sent with our problem document. */
      readonly headers: HeaderPairs;
      readonly body: Uint8Array;
    };

/** Names and values. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Decides a request for a proxy. Never rejects. */
export type Authorizer = (handedOver: HandedOver) => Promise<Verdict>;

/** Everything an authorizer is built from. */
export interface AuthorizerParts extends Omit<GateParts, 'baseUrls' | 'answerForeign'> {
  /** The authorizer's name, for the log. */
  readonly name: string;
  /** Says how to treat a request whose body the proxy keeps. */
  readonly unseenBody: UnseenBody;
  readonly clients: ClientMeans;
  /** The base URLs of the protected API. Requests for other hosts are rejected. */
  readonly baseUrls: readonly string[];
  /** Returns the routing of a base URL for the next request. */
  readonly routingOf: (baseUrl: string) => Omit<Routing, 'upstreams'>;
}

/**
 * Creates an authorizer. It runs the same steps as a request on a socket does, but tells the proxy whether to
 * forward the request instead of forwarding it.
 *
 * The proxy must forward exactly the method, target and body that it handed over, and must not forward
 * anything if it gets no response.
 */
export function createAuthorizer(parts: AuthorizerParts): Authorizer {
  const { name, unseenBody, clients, baseUrls, routingOf, ...shared } = parts;
  const doors = baseUrls.map((baseUrl) => ({
    baseUrls: [baseUrl],
    door: createGateway({
      clients,
      routing: () => ({ ...routingOf(baseUrl), upstreams: new Map() }),
      pass: async (forwarding, identity) => allowing(forwarding, identity, unseenBody),
    }),
  }));
  const take = createIntake({ ...shared, baseUrls: new BaseUrls(doors) });
  return (handedOver) =>
    new Promise((resolve) => take(handedOverArrival(handedOver, name, unseenBody, resolve)));
}

/** Returns the headers for the upstream, in the form of a response. */
function allowing(
  forwarding: Forwarding,
  identity: ForwardedIdentity | undefined,
  unseenBody: UnseenBody,
): Answer {
  ruleFor(forwarding);
  // The gateway never forwards an `Upgrade`. A proxy may, and would not ask about requests sent after a
  // switch to HTTP/2.
  if (valuesOf(forwarding.head.rawHeaders, 'upgrade').some((value) => /h2c/i.test(value)))
    throw new ProblemError('upgrade_refused');
  const headers: Record<string, string> = { 'Countersign-Request-Id': forwarding.head.requestId };
  if (identity) Object.assign(headers, Object.fromEntries(identityHeaders(identity)));
  const unproved = unprovedOf(forwarding);
  if (unproved) Object.assign(headers, Object.fromEntries(unprovedHeaders(unproved)));
  // Set even without a body, so that the upstream applies one rule and a hidden body fails it.
  if (identity && unseenBody === 'digest')
    headers['Countersign-Content-Digest'] = identity.contentDigest ?? digestOfNothing;
  return { status: 200, headers };
}

/** The `Content-Digest` of an empty body. */
const digestOfNothing = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';

/** Describes a request that a proxy handed over. */
function handedOverArrival(
  { head, source, body }: HandedOver,
  authorizer: string,
  unseenBody: UnseenBody,
  resolve: (verdict: Verdict) => void,
): Arrival {
  const isSeen = isWhole(body, head.rawHeaders);
  const forAnswer: Record<string, string> = {};
  return {
    received: isSeen ? withLengthOf(body, head) : head,
    source,
    unseenBody: isSeen ? undefined : unseenBody,
    authorizer,
    receiveBody: (bodyBytesMax) => Promise.resolve(readingOf(body, bodyBytesMax)),
    client: { onGone: () => undefined, hint: () => undefined, canSwitch: false },
    isGone: () => false,
    isAnswered: () => false,
    proved: () => undefined,
    failed: () => undefined,
    holdsBodyBack: () => false,
    setHeader(name, value) {
      forAnswer[name] = value;
    },
    answer: ({ fields }, { headers }) =>
      resolve({
        allowed: true,
        headers: pairsOf(headers),
        answerHeaders: pairsOf({ ...forAnswer, ...fields }),
      }),
    refuse: (context, refusal) => resolve(refusing(context, refusal, forAnswer)),
    cut: () => resolve({ allowed: false, status: 500, headers: [], body: noBytes }),
  };
}

function refusing(
  context: AnswerContext,
  { status, headers, bytes }: Answer,
  forAnswer: Readonly<Record<string, string>>,
): Verdict {
  return {
    allowed: false,
    status,
    headers: pairsOf(answerHeaders(context, { ...forAnswer, ...headers })),
    body: bytes instanceof Uint8Array ? bytes : noBytes,
  };
}

/** Returns true if these bytes are the complete body that the head announces. */
function isWhole(
  body: HandedOver['body'],
  rawHeaders: readonly string[],
): body is Exclude<HandedOver['body'], 'unseen'> {
  if (body === 'unseen') return false;
  const lengths = valuesOf(rawHeaders, 'content-length');
  const handedOver = body === 'none' ? 0 : body.length;
  if (lengths.some((length) => Number(length) !== handedOver)) return false;
  return body !== 'none' || valuesOf(rawHeaders, 'transfer-encoding').length === 0;
}

/** Replaces the body's framing with its length, because the whole body is here. */
function withLengthOf(body: Uint8Array | 'none', head: ReceivedHead): ReceivedHead {
  if (body === 'none') return head;
  const kept = head.rawHeaders.filter((_, index, all) => !framingNames.has(all[index & ~1]!.toLowerCase()));
  return { ...head, rawHeaders: [...kept, 'Content-Length', String(body.length)] };
}

const framingNames: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

function readingOf(
  body: HandedOver['body'],
  bodyBytesMax: number,
): Awaited<ReturnType<Arrival['receiveBody']>> {
  if (!(body instanceof Uint8Array)) return { outcome: 'complete', body: noBytes };
  return body.length > bodyBytesMax ? { outcome: 'too-large' } : { outcome: 'complete', body };
}

function pairsOf(headers: Answer['headers'] = {}): HeaderPairs {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string') pairs.push([name, value]);
    else for (const one of value) pairs.push([name, one]);
  return pairs;
}

const noBytes = new Uint8Array(0);
