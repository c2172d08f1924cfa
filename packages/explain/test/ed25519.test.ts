import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import { Ed25519Verifier } from '../src/curves/ed25519-verifier.ts';
import type { CandidateKey, Explanation } from '../src/index.ts';
import { explainRequest, type ExplainRequestOptions, explainRequestHops } from '../src/node.ts';
import { makeRequest, namesOf, nowSeconds, ownKey, type Signed, usualParams } from './mistaken-request.ts';
import { testTriedTexts } from './tried-texts.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const otherKey = generateKeyPairSync('ed25519').privateKey;
const strangerKey = generateKeyPairSync('ed25519').privateKey;
const own = candidateOf(privateKey, ownKey.candidate.clientId);
const candidates = [candidateOf(otherKey, 'client_01kother'), own];

function candidateOf(key: KeyObject, clientId: string): CandidateKey {
  const spkiPem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  return {
    spkiPem,
    fingerprint: `SHA256:${hash('sha256', spkiPem, 'base64')}`,
    clientId,
    keyState: 'active',
  };
}

/** A correct request with an Ed25519 signature, and one change. */
function request(change: Partial<Signed> = {}, key = privateKey): ReturnType<typeof makeRequest> {
  return makeRequest({
    sign: (base) => sign(undefined, base, key),
    params: usualParams.replace('alg="rsa-v1_5-sha256"', 'alg="ed25519"'),
    ...change,
  });
}

function explained(
  one: ReturnType<typeof makeRequest>,
  options: Partial<ExplainRequestOptions> = {},
  keys = candidates,
): Explanation {
  return explainRequest(one, keys, { nowSeconds, budgetMs: 60_000, ...options });
}

/** Frequent mistakes of each kind, which few texts have to be tried for. */
const frequent: readonly string[] = [
  'http',
  'a port',
  'no query',
  'another encoding',
  'only the path',
  'no prefix',
  'sorted',
  'a newline at its end',
  'CRLF',
  'no quotes',
  'no last line',
  'another order',
  'undefined',
  'the base in Base64',
  'http and CRLF',
  'an indented body and a newline',
];

describe('the explanation of an Ed25519 signature', () => {
  testTriedTexts(request, explained, frequent);

  for (const algorithm of ['sha256', 'sha512'])
    test(`proves that a ${algorithm} hash was signed in place of the base`, () => {
      const hashed = request({
        sign: (base) => sign(undefined, hash(algorithm, base, 'buffer'), privateKey),
      });
      assert.deepEqual(namesOf(explained(hashed)), ['signature_hashed_twice proven']);
    });

  test('proves whose key signed', () => {
    const { findings } = explained(request({}, otherKey));
    assert.deepEqual(
      findings.map(({ code, certainty }) => `${code} ${certainty}`),
      ['key_of_other_client proven'],
    );
  });

  test('says what it cannot know of a key or a text that it does not recognize', () => {
    for (const unknown of [request({}, strangerKey), request({ base: () => 'something else' })]) {
      const { findings, hypotheses, isComplete } = explained(unknown, { hypothesesMax: 6400 });
      assert.deepEqual(
        findings.map(({ code, certainty }) => `${code} ${certainty}`),
        ['key_unknown likely'],
      );
      assert.match(findings[0]!.what, /do not show what was signed, and .* none of the texts that we tried/);
      assert.equal(isComplete, false);
      assert.ok(hypotheses <= 6400, String(hypotheses));
    }
  });

  test('compares with the base that the caller claims, if that was signed', () => {
    const claimedBase = 'an order of mine';
    const { findings } = explained(request({ base: () => claimedBase }), { claimedBase });
    assert.deepEqual(
      findings.map(({ code, certainty }) => `${code} ${certainty}`),
      ['base_differs proven'],
    );
  });

  test('names the algorithm of the key when the request names the other one', () => {
    const explanation = explained(request({ params: usualParams }));
    const { findings, base } = explanation;
    assert.deepEqual(namesOf(explanation), ['key_of_other_algorithm observed']);
    assert.deepEqual(
      findings.map(({ what, mend }) => ({ what, mend })),
      [
        {
          what: 'alg is "rsa-v1_5-sha256", but the client\'s key is for "ed25519".',
          mend: 'Use alg="ed25519".',
        },
      ],
    );
    assert.match(base!, /;alg="ed25519"$/);
    const withoutAlg = request({ params: usualParams.replace(/;alg=.*/, '') });
    assert.match(explained(withoutAlg).findings[0]!.mend, /;alg="ed25519"/);
  });

  test('says that an RSA key signed, and that a shorter signature is none of an RSA key', () => {
    const byRsa = request({ sign: (base) => sign('sha256', base, ownKey.privateKey) });
    assert.match(explained(byRsa).findings[0]!.what, /256 bytes is not made by an Ed25519 key/);
    const ofRsa = explained(request(), {}, [ownKey.candidate]);
    assert.ok(ofRsa.findings.some(({ code }) => code === 'signature_other_kind'));
    assert.ok(ofRsa.findings.some(({ what }) => what.includes('the client\'s key is for "rsa-v1_5-sha256"')));
  });

  test('shows on which way a request was changed', () => {
    const { method, targetUri, headers, body } = request();
    const views = [targetUri, targetUri.replace('limit=20', 'limit=2')].map((target, index) => ({
      name: `view ${index}`,
      method,
      target,
      headers,
      body,
    }));
    const { verdict, firstWrongHop } = explainRequestHops(views, candidates, { nowSeconds });
    assert.deepEqual({ verdict, firstWrongHop }, { verdict: 'broken', firstWrongHop: 0 });
  });
});

describe('the verification of an Ed25519 signature that needs no platform', () => {
  const raw = (key: KeyObject): Uint8Array =>
    new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(12));

  test('agrees with OpenSSL on signatures, and on each with a bit that was changed', () => {
    const text = Buffer.from('a text');
    const verifier = new Ed25519Verifier(raw(privateKey));
    const right = new Uint8Array(sign(undefined, text, privateKey));
    const publicKey = createPublicKey(privateKey);
    for (let bit = -1; bit < 512; bit += 7) {
      const signature = right.slice();
      if (bit >= 0) signature[bit >> 3]! ^= 1 << (bit & 7);
      const isSigned = verifier.open(signature)?.(text) ?? false;
      assert.equal(isSigned, verify(undefined, text, publicKey, signature), String(bit));
      assert.equal(isSigned, bit < 0);
    }
    assert.equal(verifier.open(right)?.(Buffer.from('another text')), false);
  });

  test('rejects what anyone can make of a signature: a number S with the order of the group added', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const text = Buffer.from('a text');
    const signature = new Uint8Array(sign(undefined, text, privateKey));
    const s = BigInt(`0x${Buffer.from(signature.subarray(32).toReversed()).toString('hex')}`) + order;
    signature.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed(), 32);
    assert.equal(new Ed25519Verifier(raw(privateKey)).open(signature), undefined);
  });
});
