import type { WireRequest } from '@countersign/testing/wire';

/** A request of a client, before its proxy hands it over. */
export interface Original {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly address: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | undefined;
}

type Pair = readonly [string, string];

/** Writes hand-overs as each proxy does. Written by hand, so that the table of protocols is not compared with itself. */
export const handOvers: Readonly<Record<string, (original: Original) => WireRequest>> = {
  nginx: ({ method, target, host, address, headers, body }) => ({
    method: 'GET',
    target: '/authorize/nginx',
    headers: [
      ['Host', host],
      ['X-Original-Method', method],
      ['X-Original-Uri', target],
      ['X-Original-Body', body === undefined ? 'none' : 'kept'],
      ['X-Forwarded-For', address],
      ...headers,
    ],
  }),
  'nginx-njs': (original) => withBody('/authorize/nginx-njs', original, []),
  caddy: ({ method, target, host, address, headers, body }) => ({
    method: 'GET',
    // Caddy appends the client's query to the address of the authorizer.
    target: `/authorize/caddy${/\?.*/.exec(target)?.[0] ?? ''}`,
    headers: [
      ['Host', host],
      ...headers,
      ['X-Forwarded-Method', method],
      ['X-Forwarded-Uri', target],
      ['X-Original-Body', body === undefined ? 'none' : 'kept'],
      ['X-Forwarded-Host', host],
      ['X-Forwarded-For', address],
    ],
  }),
  traefik: ({ method, target, host, address, headers, body = '' }) => ({
    method: 'GET',
    target: '/authorize/traefik?body=whole',
    headers: [
      ['Host', '127.0.0.1:8423'],
      ...headers,
      ['X-Forwarded-Method', method],
      ['X-Forwarded-Uri', target],
      ['X-Forwarded-Host', host],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-For', address],
      ...(body === '' ? [] : [['Transfer-Encoding', 'chunked'] as const]),
    ],
    ...(body !== '' && { body: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` }),
  }),
  haproxy: (original) => withBody('/authorize/haproxy', original, [['X-Original-Body', 'none']]),
  envoy: ({ method, target, host, address, headers, body = '' }) => ({
    method,
    target: `/authorize/envoy${target}`,
    headers: [
      ['Host', host],
      ['X-Forwarded-For', address],
      ...headers,
      ['Content-Length', String(body.length)],
      ['X-Original-Body', 'whole'],
    ],
    body,
  }),
};

function withBody(
  path: string,
  { method, target, host, address, headers, body = '' }: Original,
  more: readonly Pair[],
): WireRequest {
  return {
    method: 'POST',
    target: path,
    headers: [
      ['Host', host],
      ['X-Original-Method', method],
      ['X-Original-Uri', target],
      ['X-Forwarded-For', address],
      ['Content-Length', String(body.length)],
      ...more,
      ...headers,
    ],
    body,
  };
}

/** The headers that each protocol needs, exactly once unless it says otherwise. */
export const neededHeaders: Readonly<Record<string, readonly string[]>> = {
  nginx: ['X-Original-Method', 'X-Original-Uri', 'X-Original-Body', 'Host'],
  'nginx-njs': ['X-Original-Method', 'X-Original-Uri', 'Host'],
  caddy: ['X-Forwarded-Method', 'X-Forwarded-Uri', 'X-Original-Body', 'Host'],
  traefik: ['X-Forwarded-Method', 'X-Forwarded-Uri', 'X-Forwarded-Host'],
  haproxy: ['X-Original-Method', 'X-Original-Uri', 'Host'],
  envoy: ['Host'],
};

/** The protocols whose proxies keep bodies. */
export const bodyKeepers: readonly string[] = ['nginx', 'caddy'];

/** The protocols whose proxies show nothing of a body that they keep, so that settings declare that they keep none. */
export const bodyDeclarers: readonly string[] = ['traefik', 'envoy'];

/** Further headers, in lower case, that each proxy writes in place of a client's. */
export const ownHeaders: Readonly<Record<string, readonly string[]>> = {
  nginx: ['x-forwarded-for'],
  'nginx-njs': ['x-forwarded-for'],
  caddy: ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
  traefik: ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server', 'x-real-ip'],
  haproxy: ['x-forwarded-for'],
  envoy: ['x-forwarded-for', 'x-forwarded-proto', 'x-envoy-external-address'],
};
