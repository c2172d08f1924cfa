import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  privateEncrypt,
  sign,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CandidateKey, codesOf, type Explanation, type RequestToExplain } from '../src/index.ts';
import { type ExplainRequestOptions, explainRequest } from '../src/node.ts';

export interface TestKey {
  readonly privateKey: KeyObject;
  readonly candidate: CandidateKey;
}

export function testKey(clientId: string, more: Partial<CandidateKey> = {}, modulusLength = 2048): TestKey {
  return testKeyOf(generateKeyPairSync('rsa', { modulusLength }).privateKey, clientId, more);
}

function testKeyOf(privateKey: KeyObject, clientId: string, more: Partial<CandidateKey>): TestKey {
  const publicKey = createPublicKey(privateKey);
  const spkiPem = publicKey.export({ type: 'spki', format: 'pem' });
  const fingerprint = `SHA256:${hash('sha256', spkiPem, 'base64').slice(0, 43)}`;
  return { privateKey, candidate: { spkiPem, fingerprint, clientId, keyState: 'active', ...more } };
}

/**
 * The client's own key, and others that the reader may see. Its own is always the same: one signature in two hundred has no plus
 * sign, or no slash, and a mistake that changes these would change nothing.
 */
export const ownKey: TestKey = testKeyOf(publishedKey('rsa-2048-a'), 'client_01kown', {
  clientName: 'Web shop',
});
export const otherKey: TestKey = testKey('client_01kother', { clientName: 'Back office' });
export const revokedKey: TestKey = testKey('client_01kown', { keyState: 'revoked' });
export const expiredKey: TestKey = testKey('client_01kown', { keyState: 'expired' });
export const foreignKey: TestKey = testKey('client_01ksandbox', { environment: 'sandbox' });
export const strangerKey: TestKey = testKey('nobody', {}, 3072);
export const candidates: readonly CandidateKey[] = [ownKey, otherKey, revokedKey, expiredKey, foreignKey].map(
  ({ candidate }) => candidate,
);

function publishedKey(name: string): KeyObject {
  const file = new URL('../../../vectors/profile/keys.json', import.meta.url);
  const { keys } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly keys: Readonly<Record<string, { readonly privateKeyPem: string }>>;
  };
  return createPrivateKey(keys[name]!.privateKeyPem);
}

export const nowSeconds: number = Date.UTC(2026, 4, 27, 16, 28, 44) / 1000;
export const created: number = nowSeconds - 2;
export const date = 'Wed, 27 May 2026 16:28:42 GMT';
export const uri = 'https://api.example.test/v1/payments?state=open&limit=20&ref=a%20b';
export const jsonBody = '{"reference":"a/b","amount":1250,"name":"Zoë"}';

/** A correct request. Each test changes the relevant part. */
export interface Signed {
  method: string;
  uri: string;
  body: Uint8Array;
  digest: string;
  date: string;
  params: string;
  /** Changes the signature base. */
  base: (base: string) => string;
  sign: (base: Buffer, key: KeyObject) => Buffer;
  /** Writes the signature into its header. */
  write: (signature: Buffer) => string;
  key: TestKey;
  /** Changes the header lines. */
  headers: (headers: [string, string][]) => [string, string][];
}

export function contentDigest(body: Uint8Array | string): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`;
}

export const usualParams: string = `("@method" "@target-uri" "content-digest" "date");created=${created};keyid="${ownKey.candidate.clientId}";alg="rsa-v1_5-sha256"`;
export const paramsWithoutBody: string = usualParams.replace(' "content-digest"', '');

export function makeRequest(change: Partial<Signed> = {}): RequestToExplain {
  const body = change.body ?? Buffer.from(jsonBody);
  const hasBody = body.length > 0;
  const one: Signed = {
    method: hasBody ? 'POST' : 'GET',
    uri,
    body,
    digest: contentDigest(body),
    date,
    params: hasBody ? usualParams : paramsWithoutBody,
    base: (base) => base,
    sign: (base, key) => sign('sha256', base, key),
    write: (signature) => `sig=:${signature.toString('base64')}:`,
    key: ownKey,
    headers: (headers) => headers,
    ...change,
  };
  const covers = (name: string): boolean => one.params.split(')')[0]!.includes(name);
  const lines = [`"@method": ${one.method}`, `"@target-uri": ${one.uri}`];
  if (covers('content-digest')) lines.push(`"content-digest": ${one.digest}`);
  if (covers('"date"')) lines.push(`"date": ${one.date}`);
  lines.push(`"@signature-params": ${one.params}`);
  const signature = one.sign(Buffer.from(one.base(lines.join('\n'))), one.key.privateKey);
  const headers: [string, string][] = [
    ['Host', 'api.example.test'],
    ['Date', one.date],
    ...(hasBody ? [['Content-Digest', one.digest] as [string, string]] : []),
    ['Signature-Input', `sig=${one.params}`],
    ['Signature', one.write(signature)],
  ];
  return { method: one.method, targetUri: one.uri, headers: one.headers(headers), body: one.body };
}

/** Explains with enough time for a busy machine and as many hypotheses as a quiet one tries. */
export function explained(
  request: RequestToExplain,
  options: Partial<ExplainRequestOptions> = {},
): Explanation {
  return explainRequest(request, candidates, {
    nowSeconds,
    budgetMs: 30_000,
    hypothesesMax: 40_000,
    ...options,
  });
}

/** The findings, as `code certainty`. */
export function namesOf({ findings }: Explanation): readonly string[] {
  return findings.flatMap((one) => codesOf(one).map((code) => `${code} ${one.certainty}`));
}

/** Signs with PKCS#1 type 1 padding around something other than a DigestInfo. */
export function signBare(content: Buffer, key: KeyObject): Buffer {
  return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, content);
}
