import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import { decodeCurvePoint, p256, p384, readEncodedPublicKey } from '@countersign/signature/keys';
import { EcdsaVerifier } from '../src/curves/ecdsa-verifier.ts';
import { type CandidateKey, type Explanation, type Finding, findings as findingTexts } from '../src/index.ts';
import { type ExplainRequestOptions, explainRequest } from '../src/node.ts';
import { makeRequest, namesOf, nowSeconds, ownKey, type Signed, usualParams } from './mistaken-request.ts';
import { testTriedTexts } from './tried-texts.ts';

const curves = [
  { name: 'P-256', curve: p256, hashName: 'sha256', algorithm: 'ecdsa-p256-sha256' },
  { name: 'P-384', curve: p384, hashName: 'sha384', algorithm: 'ecdsa-p384-sha384' },
] as const;

/** Frequent mistakes of each kind, which few texts have to be tried for. */
const frequent: readonly string[] = ['http', 'only the path', 'a newline at its end', 'CRLF', 'no last line'];

function candidateOf(key: KeyObject, clientId: string): CandidateKey {
  const spkiPem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  return {
    spkiPem,
    fingerprint: `SHA256:${hash('sha256', spkiPem, 'base64')}`,
    clientId,
    keyState: 'active',
  };
}

for (const { name, curve, hashName, algorithm } of curves) {
  const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: name }).privateKey;
  const [privateKey, otherKey, strangerKey] = [newKey(), newKey(), newKey()];
  const candidates = [
    candidateOf(otherKey, 'client_01kother'),
    candidateOf(privateKey, ownKey.candidate.clientId),
  ];
  const params = usualParams.replace('alg="rsa-v1_5-sha256"', `alg="${algorithm}"`);
  const signed = (bytes: Uint8Array, key = privateKey): Buffer =>
    sign(hashName, bytes, { key, dsaEncoding: 'ieee-p1363' });
  const request = (change: Partial<Signed> = {}, key = privateKey): ReturnType<typeof makeRequest> =>
    makeRequest({ sign: (base) => signed(base, key), params, ...change });
  const explained = (
    one: ReturnType<typeof makeRequest>,
    options: Partial<ExplainRequestOptions> = {},
    keys = candidates,
  ): Explanation => explainRequest(one, keys, { nowSeconds, budgetMs: 60_000, ...options });

  describe(`the explanation of an ECDSA signature over ${name}`, () => {
    testTriedTexts(request, explained, frequent);

    test('recognizes DER, and proves the text in it', () => {
      const inDer = (base: Uint8Array): Buffer => sign(hashName, base, privateKey);
      const explanation = explained(request({ sign: inDer }));
      assert.deepEqual(namesOf(explanation), ['signature_der observed']);
      assert.match(explanation.findings[0]!.mend, /r and s one after the other/);
      const withNewline = explained(
        request({ sign: (base) => inDer(Buffer.concat([base, Buffer.from('\n')])) }),
      );
      assert.deepEqual(namesOf(withNewline).toSorted(), [
        'base_trailing_newline proven',
        'signature_der observed',
      ]);
      const ofRsaClient = explained(request({ sign: inDer }), {}, [ownKey.candidate]);
      assert.ok(ofRsaClient.findings.some(({ code }) => code === 'signature_other_kind'));
    });

    for (const otherName of ['sha1', 'sha256', 'sha384', 'sha512'].filter((one) => one !== hashName))
      test(`proves that ${otherName} was used`, () => {
        const other = (base: Uint8Array): Buffer =>
          sign(otherName, base, { key: privateKey, dsaEncoding: 'ieee-p1363' });
        const explanation = explained(request({ sign: other }));
        assert.deepEqual(namesOf(explanation), ['signature_other_hash proven']);
        const [{ what, mend }] = explanation.findings as [Finding];
        const [made, own] = [otherName, hashName].map((one) => one.replace('sha', 'SHA-'));
        assert.equal(
          what,
          `The signature was made with ${made}, but an ECDSA ${name} key signs with ${own}.`,
        );
        assert.equal(mend, `Sign with ${own} (${hashName.toUpperCase()}withECDSA).`);
        const inDer = (base: Uint8Array): Buffer => sign(otherName, base, privateKey);
        assert.deepEqual(namesOf(explained(request({ sign: inDer }))).toSorted(), [
          'signature_der observed',
          'signature_other_hash proven',
        ]);
      });

    test('proves another hash function with the second key of a rotation too', () => {
      const ownKeys = [newKey(), privateKey].map((key) => candidateOf(key, ownKey.candidate.clientId));
      const otherName = hashName === 'sha256' ? 'sha384' : 'sha256';
      const other = (base: Uint8Array): Buffer =>
        sign(otherName, base, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      const explanation = explained(request({ sign: other }), {}, ownKeys);
      assert.deepEqual(namesOf(explanation), ['signature_other_hash proven']);
      assert.ok(explanation.hypotheses < 300, String(explanation.hypotheses));
    });

    test('proves that a hash was signed in place of the base', () => {
      const hashed = request({ sign: (base) => signed(hash('sha256', base, 'buffer')) });
      assert.deepEqual(namesOf(explained(hashed)), ['signature_hashed_twice proven']);
    });

    test('proves whose key signed, and says what it cannot know of a key that nobody has', () => {
      const names = (key: KeyObject): readonly string[] => namesOf(explained(request({}, key)));
      assert.deepEqual(names(otherKey), ['key_of_other_client proven', 'keyid_of_other_client proven']);
      assert.deepEqual(names(strangerKey), ['key_unknown likely']);
      const [unknown] = explained(request({}, strangerKey)).findings;
      assert.match(unknown!.what, new RegExp(`ECDSA ${name} signatures do not show what was signed`));
    });

    test('names the algorithm of the key when the request names another one', () => {
      const { findings } = explained(request({ params: usualParams }));
      assert.deepEqual(
        findings.map(({ code, mend }) => [code, mend]),
        [['key_of_other_algorithm', `Use alg="${algorithm}".`]],
      );
      assert.ok(findingTexts.algorithm_other.mend.includes(`"${algorithm}"`));
    });
  });

  describe(`the verification over ${name} that needs no platform`, () => {
    const publicKey = createPublicKey(privateKey);
    const spki = readEncodedPublicKey(new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })))!;
    const verifier = new EcdsaVerifier(curve, decodeCurvePoint(curve, spki.subjectPublicKey)!);
    const text = Buffer.from('a text');
    const hashed = (bytes: Uint8Array): Uint8Array => new Uint8Array(hash(hashName, bytes, 'buffer'));

    test('agrees with OpenSSL on signatures, and on each with a bit that was changed', () => {
      const right = new Uint8Array(signed(text));
      for (let bit = -1; bit < right.length * 8; bit += 7) {
        const signature = right.slice();
        if (bit >= 0) signature[bit >> 3]! ^= 1 << (bit & 7);
        const isSigned = verifier.open(signature, hashed)?.(text) ?? false;
        const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
        assert.equal(isSigned, verify(hashName, text, key, signature), String(bit));
        assert.equal(isSigned, bit < 0);
      }
      assert.equal(verifier.open(right, hashed)!(Buffer.from('another text')), false);
    });

    test('knows no signature with a number out of range', () => {
      const right = new Uint8Array(signed(text));
      const { bytes } = curve;
      for (const place of [0, bytes])
        for (const filling of [0, 0xff]) {
          const signature = right.slice().fill(filling, place, place + bytes);
          assert.equal(verifier.open(signature, hashed), undefined);
        }
      assert.equal(verifier.open(right.subarray(1), hashed), undefined);
    });
  });
}
