import {
  defineProfile,
  type DefinedProfile,
  type HttpMessage,
  MemoryMessageGuard,
  type MessageProfile,
  type MessageRefusal,
  type MessageVerifyingKey,
  type RequestMessage,
  type ResponseMessage,
  type VerifiedMessage,
} from '../../src/on-web/messages.ts';
import type { MessagesPlatform } from './platforms.ts';

/** The verifier's clock. */
export const nowSeconds = 1_800_000_000;

export const requestBody: Uint8Array<ArrayBuffer> = new TextEncoder().encode('{"amount":"12.50"}');
const responseBody: Uint8Array<ArrayBuffer> = new TextEncoder().encode('{"id":7}');

/** Fields that some profile wants covered; the others leave them alone. */
const fields: readonly (readonly [string, string])[] = [
  ['Host', 'api.example'],
  ['Date', 'Fri, 15 Jan 2027 08:00:00 GMT'],
  ['Authorization', 'Bearer 2YotnFZFEjr1zCsicMWpAA'],
  ['DPoP', 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln'],
  ['Idempotency-Key', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
  ['X-Request-Id', '4711'],
  ['UCP-Agent', 'profile="https://agent.example/profile"'],
  ['Signature-Agent', 'sig="https://agent.example", sig1="https://agent.example"'],
];

/** Requests with and without a body and a query. */
export const requests: Readonly<Record<string, RequestMessage>> = {
  GET: { method: 'GET', targetUri: 'https://api.example/orders', headers: fields },
  'GET with a query': { method: 'GET', targetUri: 'https://api.example/orders?state=open', headers: fields },
  'POST with a body': {
    method: 'POST',
    targetUri: 'https://api.example/orders',
    headers: [...fields, ['Content-Type', 'application/json']],
    body: requestBody,
  },
  'PUT with a query and a body': {
    method: 'PUT',
    targetUri: 'https://api.example/orders?id=7',
    headers: [...fields, ['Content-Type', 'application/json']],
    body: requestBody,
  },
};

/** Responses with and without a body, and with the request that they answer. */
export const responses: Readonly<Record<string, ResponseMessage>> = {
  '204 without a body': { status: 204, headers: [], request: requests['GET']! },
  '200 with a body': {
    status: 200,
    headers: [['Content-Type', 'application/json']],
    body: responseBody,
    request: requests['GET with a query']!,
  },
  '201 with a body, to a request with a digest': {
    status: 201,
    headers: [['Content-Type', 'application/json']],
    body: responseBody,
    request: {
      ...requests['POST with a body']!,
      headers: [
        ...linesOf(requests['POST with a body']!),
        ['Content-Digest', 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'],
      ],
    },
  },
};

/** Returns a message's header lines as a list. */
export function linesOf({ headers }: HttpMessage): readonly (readonly [string, string])[] {
  return [...(headers as Iterable<readonly [string, string]>)];
}

/** Returns a message with some of its lines replaced, or removed by `undefined`, by their names. */
export function withFields<Of extends HttpMessage>(
  message: Of,
  replaced: Readonly<Record<string, string | undefined>>,
): Of {
  const names = new Set(Object.keys(replaced).map((name) => name.toLowerCase()));
  const kept = linesOf(message).filter(([name]) => !names.has(name.toLowerCase()));
  const added = Object.entries(replaced).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...message, headers: [...kept, ...added] };
}

/** Verifies with a guard that has seen nothing, unless there is one. */
export function verifyAt(
  platform: MessagesPlatform,
  message: HttpMessage,
  profile: DefinedProfile,
  key: MessageVerifyingKey,
  guard: MemoryMessageGuard = new MemoryMessageGuard(),
): Promise<VerifiedMessage | MessageRefusal> {
  return platform.verifyMessage(message, {
    profile,
    keysFor: () => key,
    guard,
    nowSeconds: () => nowSeconds,
  });
}

/** Requires nothing: for cases about the syntax of a signature. */
export const anySignature: MessageProfile = {
  id: 'any',
  title: 'Any signature',
  message: 'request',
  components: { required: [], others: 'any' },
  parameters: {
    created: 'allowed',
    expires: 'allowed',
    keyid: 'allowed',
    alg: 'allowed',
    nonce: 'allowed',
    tag: 'allowed',
  },
  algorithms: [
    'ed25519',
    'ecdsa-p256-sha256',
    'ecdsa-p384-sha384',
    'rsa-pss-sha512',
    'rsa-v1_5-sha256',
    'hmac-sha256',
  ],
  time: { maxFutureSeconds: 0, neverExpires: true },
  replay: 'off',
};

/** A profile that permits whatever is signed, to verify what was signed without one. */
export const anythingRequest: DefinedProfile = defineProfile({
  ...anySignature,
  digests: ['sha-256'],
  fieldTypes: { 'example-dict': 'dictionary', 'example-list': 'list', 'example-item': 'item' },
});

export const anythingResponse: DefinedProfile = defineProfile({
  ...anythingRequest.profile,
  message: 'response',
});
