/** An HTTP protocol by which a proxy hands over a request. Header names are in lower case. */
export interface AuthorizerProtocol {
  /** The header that carries the original method; `own` if the hand-over has the same method. */
  readonly method: string;
  /** The header that carries the raw target; `own` if it follows the authorizer's path. */
  readonly target: string;
  /** The header that carries the original `Host`. */
  readonly host: string;
  /** The header that carries the client's address, in the format of `X-Forwarded-For`. */
  readonly source: string;
  /**
   * `handed over` if the body is part of the hand-over, `kept` if the proxy keeps it; `bodyShown` then says
   * whether there is one.
   */
  readonly body: 'handed over' | 'kept';
  /** The header that says `none` or `kept`. A body that is handed over is used unless this header says `kept`. */
  readonly bodyShown?: string;
  /**
   * The place where the proxy's settings declare that it hands over bodies. Only for a proxy that shows
   * nothing about a body that it keeps: a header with the value `whole`, or `query` for `?body=whole` after
   * the authorizer's path. Without the declaration, an empty body might be a hidden one.
   */
  readonly bodyDeclared?: string;
  /** The header in which the proxy reports that it truncated the body. */
  readonly bodyCut?: string;
  /** The header that tells the proxy which of the client's headers it must not forward. */
  readonly removals?: string;
  /** Other headers that the proxy itself writes into the hand-over, replacing the client's. */
  readonly sets?: readonly string[];
  /** `whole` if the proxy passes our response on to the client; `in headers` if it drops the body and status. */
  readonly refusals: 'whole' | 'in headers';
}

export type AuthorizerProtocolName = 'nginx' | 'nginx-njs' | 'caddy' | 'traefik' | 'haproxy' | 'envoy';

/** The headers that our recipes set. */
const ofRecipe = {
  method: 'x-original-method',
  target: 'x-original-uri',
  host: 'host',
  source: 'x-forwarded-for',
  refusals: 'whole',
} as const;

/**
 * The authorizer protocols, by the names that configuration and paths use. Each fact comes from exactly one
 * header, with no fallback: a proxy passes on client headers under names that it does not use itself.
 */
export const authorizerProtocols: Readonly<Record<AuthorizerProtocolName, AuthorizerProtocol>> = {
  nginx: { ...ofRecipe, body: 'kept', bodyShown: 'x-original-body', refusals: 'in headers' },
  'nginx-njs': { ...ofRecipe, body: 'handed over' },
  caddy: {
    ...ofRecipe,
    method: 'x-forwarded-method',
    target: 'x-forwarded-uri',
    body: 'kept',
    bodyShown: 'x-original-body',
    sets: ['x-forwarded-host', 'x-forwarded-proto'],
  },
  traefik: {
    ...ofRecipe,
    method: 'x-forwarded-method',
    target: 'x-forwarded-uri',
    host: 'x-forwarded-host',
    body: 'handed over',
    bodyDeclared: 'query',
    sets: ['x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server', 'x-real-ip'],
  },
  haproxy: { ...ofRecipe, body: 'handed over', bodyShown: 'x-original-body' },
  envoy: {
    ...ofRecipe,
    method: 'own',
    target: 'own',
    body: 'handed over',
    bodyDeclared: 'x-original-body',
    bodyCut: 'x-envoy-auth-partial-body',
    removals: 'x-envoy-auth-headers-to-remove',
  },
};

/**
 * Headers in which one of the proxies states a target or a method. A hand-over that carries one in addition
 * to its own protocol's is rejected, because a client sent it and the proxy would forward it.
 */
export const rivalHeaders: ReadonlySet<string> = new Set([
  'x-original-uri',
  'x-original-url',
  'x-forwarded-uri',
  'x-envoy-original-path',
  'x-rewrite-url',
  'x-original-method',
  'x-forwarded-method',
]);
