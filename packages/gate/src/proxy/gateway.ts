import type { Awaitable } from '@countersign/signature/profile';
import { performance } from 'node:perf_hooks';
import { admitClient, type ClientMeans, type ProvedClient } from '../decision/admit-client.ts';
import { isStillAdmitted } from '../decision/still-admitted.ts';
import type { Admission, Door, Rejection, RequestHead, Route, Sender, WaitingClient } from '../door.ts';
import type { Answer } from '../http/answer.ts';
import type { ReceivedBody } from '../http/spool.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { LimitedCaller } from '../limits/client-limit.ts';
import type { RouteMatch, RouteRule, RouteTable } from '../routes/route-table.ts';
import { type CrossOrigin, type PageCall, preflightAnswer, readPageCall } from './cross-origin.ts';
import {
  fieldHiddenByConnection,
  forwardedHeaders,
  type ForwardedIdentity,
  type UnprovedSender,
} from './forwarded-headers.ts';
import { type ForwardedSignature, type ForwardingSigner, signForwarded } from './forwarded-signature.ts';
import { type AnswerSigning, problemSignature, signedAnswer, withoutUnsigned } from './signed-answer.ts';
import { endWhenRefused, Tunnel } from './tunnel.ts';
import { askedUpgrade, mayUpgrade, unlistedUpgrade } from './upgrades.ts';
import { UpstreamError } from './upstream-error.ts';
import type { ForwardingUpstream, UpstreamAnswer } from './upstream-request.ts';

/** The routes of one base URL, and their upstreams. */
export interface Routing {
  readonly table: RouteTable;
  /** The upstreams, by the names that the table uses. */
  readonly upstreams: ReadonlyMap<string, ForwardingUpstream>;
  /** The names of the profiles that the base URL accepts; undefined for all. The table's own are among them. */
  readonly profiles: readonly string[] | undefined;
}

/** Everything that a gateway is built from. */
export interface GatewayParts {
  readonly clients: ClientMeans;
  /** Returns the routing for the next request, which may change at any time. */
  readonly routing: () => Routing;
  /** Called when an upstream's response begins or fails, with the time that it took. */
  readonly onAnswered?: (durationMs: number, upstream: string) => void;
  /** Handles an accepted request instead of forwarding it. */
  readonly pass?: Pass;
  /** Signs for upstreams whose settings require it, and responses on routes that ask for it; not needed otherwise. */
  readonly signer?: ForwardingSigner;
  /** The pages of other origins that may call; undefined for none. */
  readonly crossOrigin?: CrossOrigin | undefined;
}

/** Handles an accepted request. Throws `ProblemError` if no route matches. */
export type Pass = (
  forwarding: Forwarding,
  identity: ForwardedIdentity | undefined,
  body: ReceivedBody,
  client: WaitingClient,
) => Promise<Answer>;

/**
 * Creates the door of a protected API. Accepted requests are forwarded as they were verified: the same
 * method, raw target and body. Requests without a route are rejected (default deny), after the checks, so
 * that only clients learn which routes exist.
 */
export function createGateway(parts: GatewayParts): Door {
  return {
    mayUpgrade: ({ method, path, protocol }) =>
      mayUpgrade(ruleOf(parts.routing().table.find(method, path)), protocol),
    find(head) {
      const routing = parts.routing();
      const match = routing.table.find(head.method, head.path);
      const route = ruleOf(match);
      const { clients, signer, onAnswered, pass = forward, crossOrigin } = parts;
      const routingNow = parts.routing;
      const forwarding: Forwarding = {
        head,
        match,
        route,
        routing,
        routingNow,
        clients,
        signer,
        onAnswered,
        pass,
      };
      const isSigned = route?.signedBytesMax !== undefined;
      const page = crossOrigin && readPageCall(head, crossOrigin, isSigned);
      if (page?.preflightFor !== undefined) {
        const preflight = preflightRoute(page.preflightFor, forwarding, crossOrigin!, page.fields);
        if (preflight) return preflight;
      }
      return {
        kind: 'client',
        operationPath: route?.path,
        ...page?.fields,
        takesSpooledBodies: true,
        admit: () => (letsAllPass(route) ? observe(forwarding) : admit(forwarding)),
        ...(!letsAllPass(route) && { isFailureLimited: true }),
        ...(route?.bodyBytesMax !== undefined && { bodyBytesMax: route.bodyBytesMax }),
        ...(isSigned &&
          signer && { signProblem: (status, document) => problemSignature(head, status, document, signer) }),
      } satisfies Route;
    },
  };
}

/**
 * Returns the route of a preflight, which a browser never signs. It is forwarded only to the route of the
 * request that it asks about; undefined if there is none.
 */
function preflightRoute(
  method: string,
  forwarding: Forwarding,
  { preflights }: CrossOrigin,
  fields: PageCall['fields'],
): Route | undefined {
  const { head, routing } = forwarding;
  const match = routing.table.find(method, head.path);
  const route = ruleOf(match);
  if (
    preflights === 'forward' &&
    (route === undefined || fieldHiddenByConnection(head.rawHeaders) !== undefined)
  )
    return undefined;
  const answer: Admission['answer'] = (body, client) =>
    preflights === 'answer'
      ? preflightAnswer(head, method, fields)
      : forwarding.pass({ ...forwarding, match, route }, undefined, body, client);
  return { kind: 'page', ...fields, admit: () => ({ ok: true, sender: {}, answer }) };
}

/** A request and its destination. */
export interface Forwarding {
  readonly head: RequestHead;
  readonly match: RouteMatch;
  /** Undefined if no route can be used. */
  readonly route: RouteRule | undefined;
  readonly routing: Routing;
  /** Returns the routing of now, for a connection that outlasts its request. */
  readonly routingNow: () => Routing;
  readonly clients: ClientMeans;
  readonly onAnswered: GatewayParts['onAnswered'];
  readonly pass: Pass;
  readonly signer: ForwardingSigner | undefined;
  /** The rejection that a route which identifies lets pass. */
  readonly unproved?: Rejection | undefined;
}

/** Returns true for a route that forwards whatever was proved. */
function letsAllPass(route: RouteRule | undefined): boolean {
  return route?.mode === 'observe' || route?.mode === 'identify';
}

function admit(forwarding: Forwarding): Awaitable<Admission | Rejection> {
  const { head, match, clients } = forwarding;
  const hidden = hiddenField(head);
  if (hidden) return hidden;
  const requirement = match.kind === 'route' ? { permission: match.permission } : undefined;
  const answer = (proved: ProvedClient, body: ReceivedBody, client: WaitingClient): Promise<Answer> => {
    const passed = forwarding.pass(forwarding, identityOf(proved), body, client);
    return isWatched(forwarding) ? passed.then((one) => watched(one, proved, forwarding)) : passed;
  };
  const { profiles: offeredProfiles } = forwarding.routing;
  const profiles = profilesOf(forwarding.routing, forwarding.route);
  return admitClient(head, { requirement, parameters: {}, answer, profiles, offeredProfiles }, clients);
}

/** Returns the names of the profiles that a client can have; undefined for all. Without a route, those of the base URL. */
function profilesOf(routing: Routing, route: RouteRule | undefined): readonly string[] | undefined {
  return route?.profiles ?? routing.profiles;
}

/**
 * Returns true if the answer can be a tunnel that must end when its client may no longer open it. A route that only
 * observes does not end one, because it would not reject the client's next request either.
 */
function isWatched({ head, route }: Forwarding): boolean {
  return route?.mode === 'enforce' && askedUpgrade(head) !== undefined;
}

/** Closes a tunnel once its client is no longer allowed to open it. */
function watched(
  answer: Answer,
  proved: ProvedClient,
  { head, match, clients, routingNow }: Forwarding,
): Answer {
  const permission = match.kind === 'route' ? match.permission : undefined;
  if (answer.relay instanceof Tunnel)
    endWhenRefused(answer.relay, () => {
      const routing = routingNow();
      const route = ruleOf(routing.table.find(head.method, head.path));
      return isStillAdmitted(proved, head, { permission }, clients, profilesOf(routing, route));
    });
  return answer;
}

/**
 * Decides as `admit` does, but only records a rejection and lets the request pass, without an identity. An ambiguous path and an
 * upgrade are still rejected on a route that identifies.
 */
async function observe(forwarding: Forwarding): Promise<Admission> {
  const decided = await admit(forwarding);
  if (!decided.ok) return letPass(decided, forwarding);
  return new ObservedAdmission(decided, forwarding);
}

/** An admission whose rejections are recorded but not enforced. */
class ObservedAdmission implements Admission {
  readonly ok = true;
  readonly limited?: LimitedCaller;
  readonly headers?: Readonly<Record<string, string>>;
  readonly #decided: Admission;
  readonly #forwarding: Forwarding;
  #passed: Admission;

  constructor(decided: Admission, forwarding: Forwarding) {
    if (decided.limited) this.limited = decided.limited;
    if (decided.headers) this.headers = decided.headers;
    this.#decided = decided;
    this.#forwarding = forwarding;
    this.#passed = decided;
  }

  get sender(): Sender {
    return this.#passed.sender;
  }

  get observed(): Rejection | undefined {
    return this.#passed.observed;
  }

  async accept(body: ReceivedBody): Promise<undefined> {
    const rejection =
      (await this.#decided.accept?.(body)) ??
      (this.#forwarding.route?.mode === 'observe'
        ? refusalOfRoute(this.#forwarding, this.#decided)
        : undefined);
    if (rejection) this.#passed = letPass(rejection, this.#forwarding);
  }

  answer(body: ReceivedBody, client: WaitingClient): Awaitable<Answer> {
    return this.#passed.answer(body, client);
  }
}

/** Returns the rejection that an enforcing route would send for an accepted request, without asking its upstream. */
function refusalOfRoute({ head, match, route }: Forwarding, { sender }: Admission): Rejection | undefined {
  if (match.kind === 'ambiguous') return { ok: false, code: 'path_ambiguous', reason: match.reason, sender };
  const upgrade = unlistedUpgrade(head, route ?? { upgrades: [] });
  if (upgrade === undefined) return undefined;
  return { ok: false, code: 'upgrade_refused', reason: `the route does not allow ${upgrade}`, sender };
}

function letPass(rejection: Rejection, forwarding: Forwarding): Admission {
  return {
    ok: true,
    sender: rejection.sender ?? {},
    observed: rejection,
    answer: (body, client) =>
      forwarding.pass({ ...forwarding, unproved: rejection }, undefined, body, client),
  };
}

async function forward(
  forwarding: Forwarding,
  identity: ForwardedIdentity | undefined,
  body: ReceivedBody,
  client: WaitingClient,
): Promise<Answer> {
  const { head, routing, signer, onAnswered } = forwarding;
  const rule = ruleFor(forwarding);
  const asked = askedUpgrade(head);
  // An upgrade needs a connection that was prepared for it. A server may also ignore it (RFC 9110 section 7.8).
  if (asked !== undefined && !client.canSwitch && rule.mode === 'enforce')
    throw new ProblemError('upgrade_refused');
  const upgrade = client.canSwitch ? asked : undefined;
  const upstream = rule.upstream === undefined ? undefined : routing.upstreams.get(rule.upstream);
  if (upstream === undefined) throw new Error(`There is no upstream ${rule.upstream}.`);
  const [forwardedProto, forwardedHost] = schemeAndAuthority(head);
  const signature = identity && upstream.settings.sign ? signatureFor(head, identity, signer) : undefined;
  // A preflight has no identity, and strangers get no signatures.
  const signing =
    identity && rule.signedBytesMax !== undefined
      ? answerSigning(
          rule.signedBytesMax,
          forwarding,
          rule.firstByteSeconds ?? upstream.settings.firstByteSeconds,
        )
      : undefined;
  const startedMs = performance.now();
  const waitedMs = (): number => performance.now() - startedMs;
  let answer: UpstreamAnswer;
  try {
    answer = await upstream.send(
      {
        method: head.method,
        target: head.target,
        headersFor: (origin) =>
          forwardedHeaders({
            rawHeaders: head.rawHeaders,
            host: upstream.settings.host === 'upstream' ? origin.host : forwardedHost,
            forwardedHost,
            forwardedProto,
            sourceAddress: head.source.text,
            requestId: head.requestId,
            identity,
            unproved: unprovedOf(forwarding),
            signature,
          }),
        body,
        firstByteSeconds: rule.firstByteSeconds,
        idleSeconds: rule.idleSeconds,
        upgrade,
      },
      signing === undefined ? client : withoutUnsigned(client),
    );
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const detail = `${upstream.settings.name}: ${error.message}`;
    throw new ProblemError(error.failure, { detail, waitedMs: waitedMs() });
  } finally {
    onAnswered?.(waitedMs(), upstream.settings.name);
  }
  if (signing === undefined) return { status: answer.head.status, relay: answer, waitedMs: waitedMs() };
  // Most of the time goes into waiting for the whole body.
  const signed = await signedAnswer(answer, signing).catch((error: unknown) => throwAfter(error, waitedMs()));
  return { ...signed, waitedMs: waitedMs() };
}

/** Throws an error that says how long the upstream was waited for. */
function throwAfter(error: unknown, waitedMs: number): never {
  if (!(error instanceof ProblemError)) throw error;
  const { code, detail, members, headers } = error;
  throw new ProblemError(code, { ...(detail !== undefined && { detail }), members, headers, waitedMs });
}

/** Returns what the API learns about a sender who proved nothing; undefined on routes that do not identify. */
export function unprovedOf({ route, unproved }: Forwarding): UnprovedSender | undefined {
  if (route?.mode !== 'identify' || unproved === undefined) return undefined;
  const { client, claimedClientId } = unproved.sender ?? {};
  return { code: unproved.code, claimed: client?.clientId ?? claimedClientId };
}

/** Returns the route's rule. Throws if there is no route, or if the route does not allow the upgrade. */
export function ruleFor({ head, match, route }: Forwarding): RouteRule {
  if (route === undefined) throw withoutRoute(match);
  if (route.mode === 'observe') return route;
  if (unlistedUpgrade(head, route) !== undefined) throw new ProblemError('upgrade_refused');
  return route;
}

function ruleOf(match: RouteMatch): RouteRule | undefined {
  if (match.kind === 'route') return match.rule;
  return match.kind === 'ambiguous' ? match.observing : undefined;
}

function withoutRoute(match: RouteMatch): ProblemError {
  switch (match.kind) {
    case 'method not allowed':
      return new ProblemError('method_not_allowed', { headers: { Allow: match.allow.join(', ') } });
    case 'ambiguous':
      return new ProblemError('path_ambiguous', { members: { reason: match.reason } });
    default:
      return new ProblemError('not_found');
  }
}

function identityOf({ client, key, examination, profiled }: ProvedClient): ForwardedIdentity {
  const { clientId, accountId, roles } = client;
  const { contentDigest } = examination;
  return { clientId, accountId, roles, keyId: key.keyId, contentDigest, profiled };
}

/**
 * @throws ProblemError if no key can sign. An upstream that requires signatures would reject the request
 * without one.
 */
function signatureFor(
  { method, targetUri, requestId }: RequestHead,
  identity: ForwardedIdentity,
  signer: ForwardingSigner | undefined,
): ForwardedSignature {
  const usable = signerWithKey(signer);
  return signForwarded({ method, targetUri, identity, requestId }, usable.key, usable.signer.nowMs());
}

/** Says how to sign the response, before the request is sent: the API must not carry out what could not be answered. */
function answerSigning(bytesMax: number, { head, signer }: Forwarding, bodySeconds: number): AnswerSigning {
  return { ...signerWithKey(signer), head, bytesMax, bodySeconds };
}

/** @throws ProblemError if no key can sign */
function signerWithKey(signer: ForwardingSigner | undefined): Pick<AnswerSigning, 'signer' | 'key'> {
  const key = signer?.key();
  if (signer !== undefined && key !== undefined) return { signer, key };
  const detail = 'no key for signing could be published';
  throw new ProblemError('storage_unavailable', { detail });
}

/** A target URI is the base URL, without its path, followed by the raw target. */
function schemeAndAuthority({ targetUri }: RequestHead): ['http' | 'https', string] {
  const [scheme, rest] = targetUri.split('://', 2) as ['http' | 'https', string];
  return [scheme, rest.slice(0, rest.indexOf('/'))];
}

function hiddenField({ rawHeaders }: RequestHead): Rejection | undefined {
  const name = fieldHiddenByConnection(rawHeaders);
  if (name === undefined) return undefined;
  const reason = `Connection names ${name}, which is not a hop-by-hop field`;
  return { ok: false, code: 'request_malformed', reason };
}
