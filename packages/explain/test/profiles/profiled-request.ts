import { constants, createPublicKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import type { CandidateKey, Explanation, RequestToExplain } from '../../src/index.ts';
import { explainRequest, type ExplainRequestOptions } from '../../src/node.ts';
import { defineProfile, judgeBy, type MessageProfile, messageProfiles } from '../../src/profiles/index.ts';

export const nowSeconds: number = Date.UTC(2026, 4, 27, 16, 28, 44) / 1000;
export const created: number = nowSeconds - 2;

/** A right request by a profile, built by hand. Each test changes the part that it is about. */
export interface Profiled {
  readonly profile: MessageProfile;
  method: string;
  uri: string;
  headers: [name: string, value: string][];
  body: Buffer;
  label: string;
  /** Identifiers with the values that are signed. */
  lines: (readonly [identifier: string, value: string])[];
  params: string;
  key: KeyObject;
  /** Changes the signature base. */
  base: (base: string) => string;
  sign: (base: Buffer, key: KeyObject) => Buffer;
  /** Writes the members of Signature-Input and Signature. */
  input: (member: string) => string;
  write: (signature: Buffer) => string;
  /** Changes the header lines in the end. */
  sent: (headers: [string, string][]) => [string, string][];
}

export const keys = {
  ed25519: generateKeyPairSync('ed25519').privateKey,
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
} as const;
export const otherKey: KeyObject = generateKeyPairSync('ed25519').privateKey;

export function candidateOf(
  key: KeyObject,
  clientId: string,
  more: Partial<CandidateKey> = {},
): CandidateKey {
  const spkiPem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  const fingerprint = `SHA256:${hash('sha256', spkiPem, 'base64').slice(0, 43)}`;
  return { spkiPem, fingerprint, clientId, keyState: 'active', ...more };
}

export const clientId = 'client_01kagent';
export const candidates: readonly CandidateKey[] = [
  ...Object.values(keys).map((key) => candidateOf(key, clientId)),
  candidateOf(otherKey, 'client_01kother'),
];

/** RFC 7638 section 3. */
export function thumbprint(key: KeyObject): string {
  const { crv, x } = createPublicKey(key).export({ format: 'jwk' });
  return hash('sha256', JSON.stringify({ crv, kty: 'OKP', x }), 'base64url');
}

export function ecdsa(hashName: string) {
  return (base: Buffer, key: KeyObject): Buffer => sign(hashName, base, { key, dsaEncoding: 'ieee-p1363' });
}

/** RSASSA-PSS with a salt of this length. */
export function rsaPss(hashName: string, saltLength: number) {
  return (base: Buffer, key: KeyObject): Buffer =>
    sign(hashName, base, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
}

const body = Buffer.from('{"reference":"a/b","amount":1250}');
const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
const agent = '"https://agent.example.test/keys"';
const none = Buffer.alloc(0);

const shared = {
  body: none,
  base: (base: string) => base,
  write: (signature: Buffer) => `:${signature.toString('base64')}:`,
  input: (member: string) => member,
  sent: (headers: [string, string][]) => headers,
};

const bank: Profiled = {
  ...shared,
  profile: messageProfiles.fapi2Request01,
  method: 'POST',
  uri: 'https://bank.example.test/payments',
  headers: [
    ['Host', 'bank.example.test'],
    ['Authorization', 'Bearer at-1234'],
    ['Content-Type', 'application/json'],
    ['Content-Digest', digest],
  ],
  body,
  label: 'sig',
  lines: [
    ['"@method"', 'POST'],
    ['"@target-uri"', 'https://bank.example.test/payments'],
    ['"authorization"', 'Bearer at-1234'],
    ['"content-digest"', digest],
  ],
  params: `;created=${created};keyid="${clientId}";alg="ecdsa-p256-sha256";tag="fapi-2-request"`,
  key: keys.p256,
  sign: ecdsa('sha256'),
};

export const usual: Readonly<Record<'curl' | 'agent' | 'bank' | 'bankByPss' | 'social', Profiled>> = {
  curl: {
    ...shared,
    profile: messageProfiles.curl822,
    method: 'GET',
    uri: 'https://api.example.test/v1/payments?state=open&limit=20',
    headers: [['Host', 'api.example.test']],
    label: 'sig1',
    lines: [
      ['"@method"', 'GET'],
      ['"@authority"', 'api.example.test'],
      ['"@path"', '/v1/payments'],
      ['"@query"', '?state=open&limit=20'],
    ],
    params: `;created=${created};keyid="${clientId}";alg="ed25519"`,
    key: keys.ed25519,
    sign: (base, key) => sign(undefined, base, key),
  },
  agent: {
    ...shared,
    profile: messageProfiles.webBotAuth01,
    method: 'GET',
    uri: 'https://shop.example.test/catalogue',
    headers: [
      ['Host', 'shop.example.test'],
      ['Signature-Agent', `agent=${agent}`],
    ],
    label: 'sig2',
    lines: [
      ['"@authority"', 'shop.example.test'],
      ['"signature-agent";key="agent"', agent],
    ],
    params: `;created=${created};expires=${created + 3600};keyid="${thumbprint(keys.ed25519)}";alg="ed25519";nonce="bm9uY2U=";tag="web-bot-auth"`,
    key: keys.ed25519,
    sign: (base, key) => sign(undefined, base, key),
  },
  bank,
  bankByPss: {
    ...bank,
    params: bank.params.replace(/;alg="[^"]*"/, ''),
    key: keys.rsa,
    sign: rsaPss('sha256', 32),
  },
  social: {
    ...shared,
    profile: messageProfiles.mastodon45,
    method: 'POST',
    uri: 'https://social.example.test/inbox',
    headers: [
      ['Host', 'social.example.test'],
      ['Content-Digest', digest],
    ],
    body,
    label: 'sig1',
    lines: [
      ['"@method"', 'POST'],
      ['"@target-uri"', 'https://social.example.test/inbox'],
      ['"content-digest"', digest],
    ],
    params: `;created=${created};keyid="${clientId}"`,
    key: keys.rsa,
    sign: (base, key) => sign('sha256', base, key),
  },
};

export function requestOf(one: Profiled): RequestToExplain {
  const params = `(${one.lines.map(([identifier]) => identifier).join(' ')})${one.params}`;
  const lines = one.lines.map(([identifier, value]) => `${identifier}: ${value}\n`);
  const base = one.base(`${lines.join('')}"@signature-params": ${params}`);
  const signature = one.sign(Buffer.from(base), one.key);
  const headers: [string, string][] = [
    ...one.headers,
    ['Signature-Input', one.input(`${one.label}=${params}`)],
    ['Signature', `${one.label}=${one.write(signature)}`],
  ];
  return { method: one.method, targetUri: one.uri, headers: one.sent(headers), body: one.body };
}

export function explained(
  one: Profiled,
  options: Partial<ExplainRequestOptions> = {},
  given: readonly CandidateKey[] = candidates,
): Explanation {
  return explainRequest(requestOf(one), given, {
    nowSeconds,
    budgetMs: 60_000,
    judge: judgeBy(defineProfile(one.profile)),
    ...options,
  });
}
