import { createHash, randomBytes } from 'node:crypto';
import { randomNumbers } from '../random-numbers.ts';

/** A request for a signer's program, as a line of JSON on its standard input. */
export interface LiveRequest {
  readonly id: number;
  readonly client: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Base64; null for no body. */
  readonly body: string | null;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** A body of DELETE or OPTIONS has no meaning, but must not be read as the next request on the connection. */
const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Segments that clients tend to rewrite. None of them can be read in two ways, which the gateway would reject. */
const segments = [
  'invoices',
  'Invoices',
  '%7euser',
  '~user',
  'caf%C3%A9',
  'caf%c3%a9',
  'a%20b',
  'a+b',
  "it's",
  '(1)',
  'a!b',
  'a*b',
  'a,b',
  'a@b',
  'a:b',
  'a=b',
  '$ref',
  '%41bc',
  'a%26b',
  '42',
  '-._~',
];

/** The same for queries. */
const queries = [
  '',
  '?',
  '?a=1',
  '?b=2&a=1',
  '?a=1&a=2&a=1',
  '?a=',
  '?a',
  '?a&b=&c=1',
  '?a=%20',
  '?a=+',
  '?a=%2B',
  '?a=%2f%2F',
  '?a=b?c/d',
  '?filter%5Bname%5D=x',
  '?a=%C3%A9',
  '?a=%c3%a9',
  '?a=%7e~',
  '?q=it%27s',
  "?q=it's",
  '?a=(1)!*',
  '?a=1,2',
  '?t=12:30:00',
  '?m=a@b.example',
  '?a=1&&b=2',
  '?=1',
  '?a==1',
  '?a=%25',
];

/**
 * Callers' false statements about where a body ends. If they were believed, the rest would be read as the
 * next request on the connection.
 */
const framings = [
  ['Content-Length', '1'],
  ['Content-Length', '9999'],
  ['Transfer-Encoding', 'chunked'],
] as const;

/** The caller alone composes the requests of these, with the headers of a signature. */
const withoutAdapter: ReadonlySet<string> = new Set(['curl', 'streams', 'http.client']);

/** This many equal requests are sent at once, to check that each gets its own signature. */
const equalRequests = 8;

export interface RandomRequestsOptions {
  readonly baseUrl: string;
  readonly count: number;
  readonly seed: number;
  /** True if some declare a wrong body length. Default: false. */
  readonly mayBeFramed?: boolean;
}

/**
 * Creates random requests for one HTTP client: methods, URLs that clients like to rewrite, bodies of up to 64
 * KiB, and occasionally several equal ones. The same seed gives the same requests, except for the bytes of
 * their bodies.
 */
export function randomRequests(
  client: string,
  { baseUrl, count, seed, mayBeFramed = false }: RandomRequestsOptions,
): LiveRequest[] {
  const random = randomNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[random() % items.length]!;
  const requests: LiveRequest[] = [];
  while (requests.length < count) {
    const method = pick(methods);
    const depth = 1 + (random() % 3);
    const path = Array.from({ length: depth }, () => `/${pick(segments)}`).join('');
    const body = methodsWithBody.has(method) ? randomBody(random) : null;
    const isFramed = mayBeFramed && body !== null && !withoutAdapter.has(client) && random() % 8 === 0;
    const request = {
      client,
      method,
      url: `${baseUrl}${path}${random() % 50 === 0 ? '/' : ''}${pick(queries)}`,
      headers: [
        ...(body === null ? [] : [['Content-Type', 'application/octet-stream'] as const]),
        ...(isFramed ? [pick(framings)] : []),
      ],
      body,
    };
    const copies = random() % 60 === 0 ? equalRequests : 1;
    for (let copy = 0; copy < copies && requests.length < count; copy++)
      requests.push({ id: requests.length, ...request });
  }
  return requests;
}

/** True if a request states itself where its body ends, which some clients reject. */
export function saysItsLength({ headers }: LiveRequest): boolean {
  return headers.some(([name]) => framings.some(([framing]) => framing === name));
}

function randomBody(random: () => number): string | null {
  const kind = random() % 8;
  if (kind === 0) return null;
  if (kind === 1) return '';
  const bytesMax = kind === 2 ? 65_536 : 400;
  return randomBytes(1 + (random() % bytesMax)).toString('base64');
}

/**
 * The response of the API behind the service: the request that it received, so that changes in transit are
 * noticed.
 */
export function echoOf(method: string, body: Uint8Array): string {
  return `${method} ${createHash('sha256').update(body).digest('hex')}`;
}
