import { identityFields, isKeyid } from '@countersign/signature/profile';
import type { ForwardedSignature } from './forwarded-signature.ts';
import { keepRecent, recentNames } from '../http/recent-texts.ts';

/**
 * The prefix of headers that only the gateway writes. An upstream can trust them, because nobody else can
 * send them.
 */
export const identityPrefix = 'countersign-';

/** What a client proved, as the upstream learns it. Undefined on a route that only observes, if it proved nothing. */
export interface ForwardedIdentity {
  readonly clientId: string;
  readonly accountId: string;
  readonly roles: readonly string[];
  readonly keyId: string;
  /** The `Content-Digest` that the signature covers; undefined without a body. */
  readonly contentDigest: string | undefined;
  /** Set if the request followed another profile than the closed one. */
  readonly profiled?: ProfiledIdentity | undefined;
}

/** What an upstream should know about a request that need not bind everything. */
export interface ProfiledIdentity {
  readonly profile: string;
  /** The covered components, as in `Signature-Input`. */
  readonly covered: string;
  /** The same, each by its name and its parameters. */
  readonly components: readonly string[];
}

/** A sender whose request would be rejected by a route that enforces. */
export interface UnprovedSender {
  /** Why. */
  readonly code: string;
  /** The client or key that the request names, which anyone can. */
  readonly claimed: string | undefined;
}

/** Everything that determines the headers of a forwarded request. */
export interface ForwardedRequest {
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  /** `Host` for the upstream. */
  readonly host: string;
  /** The authority and the scheme that the client called. */
  readonly forwardedHost: string;
  readonly forwardedProto: 'http' | 'https';
  /** The client's address; empty if it cannot be determined. */
  readonly sourceAddress: string;
  readonly requestId: string;
  readonly identity: ForwardedIdentity | undefined;
  /** Set on a route that identifies, if there is no identity. */
  readonly unproved?: UnprovedSender | undefined;
  /** Undefined if nothing is signed for the upstream, or if there is no identity to sign. */
  readonly signature: ForwardedSignature | undefined;
}

/**
 * Returns the headers of a forwarded request, names and values in turn. Starts with the client's, without
 * framing, headers that name another sender, and names that servers could confuse with these; then adds our
 * own.
 */
export function forwardedHeaders(request: ForwardedRequest): string[] {
  const { rawHeaders, identity, signature } = request;
  const named = namedByConnection(rawHeaders);
  // Only a request of the closed profile is known to have no other member than its own.
  const mayImitate = identity === undefined || identity.profiled !== undefined;
  const headers: string[] = ['Host', request.host];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const kind = kindOf(name);
    if (kind === 'drop' || kind === 'ours' || named?.has(name.toLowerCase())) continue;
    if (kind === 'spelled otherwise' && hasPlainSpelling(rawHeaders, name)) continue;
    const value = rawHeaders[index + 1]!;
    if (mayImitate && imitatesOurs(name, value)) continue;
    // The digest is the one that was compared: the client's may be by another algorithm, not signed, or spelled otherwise.
    if (identity?.profiled && plainName(name) === 'content-digest') continue;
    headers.push(name, value);
  }
  if (request.sourceAddress !== '') headers.push('X-Forwarded-For', request.sourceAddress);
  headers.push('X-Forwarded-Host', request.forwardedHost, 'X-Forwarded-Proto', request.forwardedProto);
  headers.push('Via', '1.1 countersign', 'Countersign-Request-Id', request.requestId);
  if (identity) headers.push(...identityHeaders(identity).flat());
  if (request.unproved) headers.push(...unprovedHeaders(request.unproved).flat());
  if (identity?.profiled && identity.contentDigest !== undefined)
    headers.push('Content-Digest', identity.contentDigest);
  if (signature) headers.push('Signature-Input', signature.input, 'Signature', signature.signature);
  return headers;
}

/** Returns the headers that identify the caller to an upstream. */
export function identityHeaders(identity: ForwardedIdentity): readonly (readonly [string, string])[] {
  return [
    ['Countersign-Client-Id', identity.clientId],
    ['Countersign-Account', identity.accountId],
    ['Countersign-Roles', identity.roles.join(', ')],
    ['Countersign-Key', identity.keyId],
    ...(identity.profiled === undefined
      ? []
      : ([
          ['Countersign-Profile', identity.profiled.profile],
          ['Countersign-Covered', identity.profiled.covered],
        ] as const)),
  ];
}

/** Returns the headers that tell an upstream that nothing was proved, and why. */
export function unprovedHeaders({ code, claimed }: UnprovedSender): readonly (readonly [string, string])[] {
  const isNamed = isKeyid(claimed);
  return [['Countersign-Unproved', code], ...(isNamed ? [['Countersign-Claimed', claimed] as const] : [])];
}

/**
 * Returns the received headers that a forwarded request would not have, as lower-case names, for a proxy that
 * forwards by itself. Leaves framing to the proxy.
 */
export function namesNotForwarded(rawHeaders: readonly string[]): string[] {
  const names = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const kind = kindOf(name);
    if (kind === 'pass' || framingNames.has(name.toLowerCase())) continue;
    if (kind === 'spelled otherwise' && !hasPlainSpelling(rawHeaders, name)) continue;
    names.add(name.toLowerCase());
  }
  return [...names];
}

/**
 * Returns the lower-case name of a received header with which a client could pretend to an upstream to be
 * another sender, or to have sent another request; undefined if there is none. For a proxy that forwards by
 * itself.
 *
 * @param isOfProxy recognizes names, in lower case, that the proxy writes in place of the client
 */
export function claimIn(
  rawHeaders: readonly string[],
  isOfProxy: (name: string) => boolean,
): string | undefined {
  return namesNotForwarded(rawHeaders).find(
    (name) => !isOfProxy(name) && !recipesReplace.has(plainName(name)),
  );
}

/** The names that every recipe sets or removes, in every spelling. */
const recipesReplace: ReadonlySet<string> = new Set([...identityFields, `${identityPrefix}content-digest`]);

/**
 * Returns the field that `Connection` must not name, in lower case; undefined if there is none. Otherwise a
 * client could have a field removed that is signed, or that determines what the request means (RFC 9110
 * section 7.6.1).
 */
export function fieldHiddenByConnection(rawHeaders: readonly string[]): string | undefined {
  for (const name of namedByConnection(rawHeaders) ?? [])
    if (endToEnd.test(name) || kindOf(name) === 'ours') return name;
  return undefined;
}

const endToEnd =
  /^(?:signature|signature-input|content-.*|date|host|authorization|cookie|idempotency-key|if-.*|accept.*|range)$/;

/**
 * Returns true for a signature field that may hold a member `countersign`. Requests of the closed profile have
 * only the member `sig`; others, and those on a route that only observes, can have any.
 */
function imitatesOurs(name: string, value: string): boolean {
  return /^signature(?:[-_]input)?$/i.test(name) && value.includes('countersign');
}

type HeaderKind = 'pass' | 'drop' | 'ours' | 'spelled otherwise';

const kindOf = keepRecent(classify, recentNames);

function classify(name: string): HeaderKind {
  const lowerCase = name.toLowerCase();
  const plain = plainName(name);
  if (plain.startsWith(identityPrefix)) return 'ours';
  if (notForwarded.has(plain) || notForwardedPrefixes.some((prefix) => plain.startsWith(prefix)))
    return 'drop';
  if (/[^a-z0-9_-]/.test(lowerCase)) return 'drop';
  return lowerCase.includes('_') ? 'spelled otherwise' : 'pass';
}

/** CGI, WSGI, Rack and PHP turn every character except letters and digits into the same underscore. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '-');
}

function hasPlainSpelling(rawHeaders: readonly string[], name: string): boolean {
  const plain = name.toLowerCase().replaceAll('_', '-');
  return rawHeaders.some((other, index) => index % 2 === 0 && other.toLowerCase() === plain);
}

/** Framing and hop-by-hop fields (RFC 9110 section 7.6.1, RFC 9112), of which the gateway writes its own. */
const framing =
  'connection keep-alive te trailer transfer-encoding upgrade expect content-length host http2-settings via';

/** Fields that describe a request's origin or path. */
const origins =
  'forwarded x-forwarded x-client-ip client-ip true-client-ip x-true-client-ip cf-connecting-ip ' +
  'cf-connecting-ipv6 cf-pseudo-ipv4 fastly-client-ip fly-client-ip do-connecting-ip x-cluster-client-ip x-host ' +
  'x-backend-host x-originating-ip x-proxyuser-ip x-azure-clientip x-azure-socketip x-appengine-user-ip ' +
  'x-nf-client-connection-ip x-vercel-forwarded-for wl-proxy-client-ip wl-proxy-ssl front-end-https x-scheme ' +
  'x-url-scheme x-custom-ip-authorization x-arr-ssl x-forwarder-for x-forward-for cloudfront-forwarded-proto ' +
  'cloudfront-viewer-address x-request-scheme x-proto x-protocol';

/** Fields that change a request's method or URL, or its server's proxy (CVE-2016-5385). */
const overrides =
  'x-http-method-override x-http-method x-method-override http-method-override x-tunnel-method x-rewrite-url ' +
  'x-override-url x-http-host-override x-http-destinationurl script-name x-script-name path-info proxy';

/** Fields in which other proxies name the sender of a request; RFC 9440 defines the first two. */
const senders =
  'client-cert client-cert-chain x-client-cert x-client-verify x-client-dn x-arr-clientcert x-anonymous-consumer';

const framingNames: ReadonlySet<string> = new Set(framing.split(' '));

const notForwarded: ReadonlySet<string> = new Set(
  [framing, origins, overrides, senders].flatMap((names) => names.split(' ')),
);

const notForwardedPrefixes = (
  'proxy- x-forwarded- x-real- x-original- x-envoy- x-auth-request- x-remote- remote- x-middleware- x-ssl- ssl-client- ' +
  'x-client-cert- x-amzn-oidc- x-goog-authenticated-user- x-goog-iap- x-ms-client-principal x-ms-token- ' +
  'x-authenticated- x-webauth- x-authentik- x-pomerium- x-vouch- x-consumer- x-credential- x-endpoint-api- ' +
  'x-apigateway-api- cf-access- tailscale-'
).split(' ');

/** Returns the fields that `Connection` names, in lower case; undefined if it names only the usual options. */
function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> | undefined {
  let named: Set<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length !== connection.length || name.toLowerCase() !== connection) continue;
    const value = rawHeaders[index + 1]!.toLowerCase();
    if (value === 'keep-alive' || value === 'close') continue;
    named ??= new Set();
    for (const option of value.split(',')) named.add(option.trim());
  }
  return named;
}

const connection = 'connection';
