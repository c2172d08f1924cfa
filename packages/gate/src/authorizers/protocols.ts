/** How a proxy hands over a request in HTTP. Header names are in lower case. */
export interface AuthorizerProtocol {
  /** The header that carries the original method; `own` if the hand-over has the same method. */
  readonly method: string;
  /** The header that carries the raw target; `own` if it follows the authorizer's path. */
  readonly target: string;
  /** The header that carries the original `Host`. */
  readonly host: string;
  /** The header that carries the client's address, read as `X-Forwarded-For` is. */
  readonly source: string;
  /** `handed over`, as the body of the hand-over; or `kept`, and a recipe says in `bodyShown` whether there is one. */
  readonly body: 'handed over' | 'kept';
  /** The header that says `none` or `kept`. A body that is handed over counts unless this header says `kept`. */
  readonly bodyShown?: string;
  /**
   * Where the proxy's settings declare that it hands over bodies, for one that shows nothing of a body that it keeps: a
   * header that says `whole`, or `query` for `?body=whole` behind the authorizer's path. Without the declaration, an
   * empty body is not known to be empty.
   */
  readonly bodyDeclared?: string;
  /** The header in which the proxy says that it cut the body off. */
  readonly bodyCut?: string;
  /** The header in which the proxy reads which of the client's headers it must not forward. */
  readonly removals?: string;
  /** Further names that the proxy itself writes into the hand-over, in place of the client's. */
  readonly sets?: readonly string[];
  /** `whole`, if the proxy passes our answer on to the client; `in headers`, for one that drops its body and status. */
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
 * The protocols of authorizers, by the names that configuration and paths use. Exactly one header is believed for each
 * fact, and none in its place: a proxy passes on what clients write under the names that it does not use itself.
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
 * Headers that state a target or a method in one of the proxies. A hand-over that carries one besides its protocol's own
 * is refused: it is a client's, and the proxy would forward it.
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
