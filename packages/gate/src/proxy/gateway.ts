import type { Awaitable } from '@countersign/signature/profile';
import { admitClient, type ClientMeans, type ProvedClient } from '../decision/admit-client.ts';
import type { Admission, Door, Rejection, RequestHead, Route, WaitingClient } from '../door.ts';
import type { Answer } from '../http/answer.ts';
import { valuesOf } from '../http/framing.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { RouteMatch, RouteRule, RouteTable } from '../routes/route-table.ts';
import { fieldHiddenByConnection, forwardedHeaders, type ForwardedIdentity } from './forwarded-headers.ts';
import { UpstreamError } from './upstream-error.ts';
import type { Upstream } from './upstream.ts';

/** The routes of one base URL, and the upstreams that they lead to. */
export interface Routing {
  readonly table: RouteTable;
  /** By the names that the table uses. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

/** Everything that a gateway is built from. */
export interface GatewayParts {
  readonly clients: ClientMeans;
  /** Returns the routing for the next request, which may change at any time. */
  readonly routing: () => Routing;
  /** Deals with a request that may pass, in place of forwarding it. */
  readonly pass?: Pass;
}

/** Deals with a request that may pass. Throws `ProblemError` if it leads nowhere. */
export type Pass = (
  forwarding: Forwarding,
  identity: ForwardedIdentity | undefined,
  body: Uint8Array,
  client: WaitingClient,
) => Promise<Answer>;

/**
 * Creates the door of a protected API. Accepted requests are forwarded as they were verified: the same method, raw target
 * and body. Default deny: a request without a route is refused, after the checks, so that only clients learn which
 * routes exist.
 */
export function createGateway(parts: GatewayParts): Door {
  return {
    find(head) {
      const routing = parts.routing();
      const match = routing.table.find(head.method, head.path);
      const route = match.kind === 'route' ? match.rule : undefined;
      const { clients, pass = forward } = parts;
      const forwarding: Forwarding = { head, match, routing, clients, pass };
      return {
        kind: 'client',
        admit: () => (route?.mode === 'observe' ? observe(forwarding) : admit(forwarding)),
        ...(route?.mode !== 'observe' && { isFailureLimited: true }),
        ...(route?.bodyBytesMax !== undefined && { bodyBytesMax: route.bodyBytesMax }),
      } satisfies Route;
    },
  };
}

/** One request, and where it goes. */
export interface Forwarding {
  readonly head: RequestHead;
  readonly match: RouteMatch;
  readonly routing: Routing;
  readonly clients: ClientMeans;
  readonly pass: Pass;
}

function admit(forwarding: Forwarding): Awaitable<Admission | Rejection> {
  const { head, match, clients } = forwarding;
  refuseHiddenFields(head);
  const requirement = match.kind === 'route' ? { permission: match.permission } : undefined;
  const answer = (proved: ProvedClient, body: Uint8Array, client: WaitingClient): Promise<Answer> =>
    forwarding.pass(forwarding, identityOf(proved), body, client);
  return admitClient(head, { requirement, parameters: {}, answer }, clients);
}

/** Decides as `admit` does, notes the refusal and lets the request pass, without an identity. */
async function observe(forwarding: Forwarding): Promise<Admission> {
  const decided = await admit(forwarding);
  if (!decided.ok) return letPass(decided, forwarding);
  let passed: Admission = decided;
  return {
    ok: true,
    get sender() {
      return passed.sender;
    },
    get observed() {
      return passed.observed;
    },
    ...(decided.countedAs !== undefined && { countedAs: decided.countedAs }),
    ...(decided.headers && { headers: decided.headers }),
    async accept(body) {
      const rejection = await decided.accept?.(body);
      if (rejection) passed = letPass(rejection, forwarding);
      return undefined;
    },
    answer: (body, client) => passed.answer(body, client),
  };
}

function letPass(rejection: Rejection, forwarding: Forwarding): Admission {
  return {
    ok: true,
    sender: rejection.sender ?? {},
    observed: rejection,
    answer: (body, client) => forwarding.pass(forwarding, undefined, body, client),
  };
}

async function forward(
  forwarding: Forwarding,
  identity: ForwardedIdentity | undefined,
  body: Uint8Array,
  client: WaitingClient,
): Promise<Answer> {
  const { head, routing } = forwarding;
  const rule = ruleFor(forwarding);
  const upstream = rule.upstream === undefined ? undefined : routing.upstreams.get(rule.upstream);
  if (upstream === undefined) throw new Error(`There is no upstream ${rule.upstream}.`);
  const [forwardedProto, forwardedHost] = schemeAndAuthority(head);
  try {
    const relay = await upstream.send(
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
          }),
        body,
        firstByteSeconds: rule.firstByteSeconds,
        idleSeconds: rule.idleSeconds,
      },
      client,
    );
    return { status: relay.head.status, relay };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    throw new ProblemError(error.failure, { detail: `${upstream.settings.name}: ${error.message}` });
  }
}

/** Returns the route's rule. Throws if there is no route, or none to which the connection may be upgraded. */
export function ruleFor({ head, match }: Forwarding): RouteRule {
  const rule = ruleOf(match);
  refuseUpgrade(head, rule);
  return rule;
}

function ruleOf(match: RouteMatch): RouteRule {
  switch (match.kind) {
    case 'route':
      return match.rule;
    case 'not found':
      throw new ProblemError('not_found');
    case 'method not allowed':
      throw new ProblemError('method_not_allowed', { headers: { Allow: match.allow.join(', ') } });
    case 'ambiguous':
      throw new ProblemError('path_ambiguous', { members: { reason: match.reason } });
  }
}

function identityOf({ client, key, examination }: ProvedClient): ForwardedIdentity {
  const { clientId, accountId, roles } = client;
  return { clientId, accountId, roles, keyId: key.keyId, contentDigest: examination.contentDigest };
}

/** A target URI is the base URL, without its path, and the raw target. */
function schemeAndAuthority({ targetUri }: RequestHead): ['http' | 'https', string] {
  const [scheme, rest] = targetUri.split('://', 2) as ['http' | 'https', string];
  return [scheme, rest.slice(0, rest.indexOf('/'))];
}

function refuseHiddenFields({ rawHeaders }: RequestHead): void {
  const name = fieldHiddenByConnection(rawHeaders);
  if (name === undefined) return;
  const reason = `Connection names ${name}, which is not a field for one connection only`;
  throw new ProblemError('request_malformed', { members: { reason } });
}

/** Refuses an upgrade that its route does not allow. `h2c`, which some clients offer with every request, is ignored (RFC 9110 section 7.8). */
function refuseUpgrade({ rawHeaders }: RequestHead, { upgrades }: RouteRule): void {
  for (const value of valuesOf(rawHeaders, 'upgrade')) {
    for (const protocol of value.toLowerCase().split(',')) {
      const name = protocol.trim();
      if (name !== '' && name !== 'h2c' && !upgrades.includes(name))
        throw new ProblemError('upgrade_refused');
    }
  }
}
