import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readPublicKey } from '../../src/keys/public-key.ts';

const shared = new URL('../../../../../shared/vectors/', import.meta.url);
const skip = existsSync(shared) ? false : 'the third-party vectors are not there';

function refusalCode(publicKeyPem: string): string {
  const reading = readPublicKey(publicKeyPem, { modulusBitsMax: 8192 });
  return reading.ok ? 'accepted' : reading.code;
}

test('the RSA keys of RFC 9421 are refused', { skip }, () => {
  const { keys } = JSON.parse(readFileSync(new URL('rfc9421.json', shared), 'utf8')) as {
    keys: Record<string, { publicKeyPem: string }>;
  };
  for (const name of ['test-key-rsa', 'test-key-rsa-pss']) {
    assert.equal(refusalCode(keys[name]?.publicKeyPem ?? ''), 'published_test_key');
  }
});

const wycheproofFiles = [
  'rsa_signature_2048_sha256_test.json',
  'rsa_signature_3072_sha256_test.json',
  'rsa_signature_4096_sha256_test.json',
  'rsa_signature_8192_sha256_test.json',
  'rsa_pkcs1_2048_sig_gen_test.json',
  'rsa_pkcs1_3072_sig_gen_test.json',
  'rsa_pkcs1_4096_sig_gen_test.json',
];

for (const file of wycheproofFiles) {
  test(`the keys of Wycheproof's ${file} are refused`, { skip }, () => {
    const { testGroups } = JSON.parse(readFileSync(new URL(`wycheproof/${file}`, shared), 'utf8')) as {
      testGroups: readonly Record<
        'publicKey' | 'privateKey',
        { modulus: string; publicExponent: string } | undefined
      >[];
    };
    assert.ok(testGroups.length > 0);
    for (const group of testGroups) {
      const { modulus = '', publicExponent = '' } = group.publicKey ?? group.privateKey ?? {};
      const base64Url = (hex: string): string =>
        Buffer.from(hex.replace(/^00/, ''), 'hex').toString('base64url');
      const jwk = { kty: 'RSA', n: base64Url(modulus), e: base64Url(publicExponent) };
      const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
      assert.equal(
        refusalCode(pem),
        publicExponent === '010001' ? 'published_test_key' : 'exponent_not_allowed',
      );
    }
  });
}

test('the key of RFC 7517 is refused as a JWK', () => {
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj' +
    'hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ' +
    'vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK' +
    'nqDKgw';
  assert.equal(refusalCode(JSON.stringify({ kty: 'RSA', n, e: 'AQAB' })), 'published_test_key');
});
