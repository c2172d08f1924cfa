import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { acceptReplaysUnsafely, createVerificationKey, verifyRequest } from '../src/node.ts';
import { readSignatureInput } from '../src/profile/index.ts';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const keys = [createVerificationKey(pair.publicKey)];
const nowSeconds = 1_790_000_000;
const list = '("@method" "@target-uri")';
const parameters = `;created=${nowSeconds};keyid="a";alg="rsa-v1_5-sha256"`;

/** Verifies a GET whose signature really is over the given text of @signature-params. */
function outcomeOf(signatureInput: string, signatureParams: string): string {
  const base = `"@method": GET\n"@target-uri": https://a.test/\n"@signature-params": ${signatureParams}`;
  const signature = sign('sha256', Buffer.from(base, 'latin1'), createPrivateKey(pair.privateKey));
  const headers = [
    ['Signature-Input', signatureInput],
    ['Signature', `sig=:${signature.toString('base64')}:`],
  ] as const;
  const result = verifyRequest(
    { method: 'GET', targetUri: 'https://a.test/', headers, body: undefined },
    {
      clientByKeyid: () => ({ keys, acceptWithoutDate: true }),
      guard: acceptReplaysUnsafely,
      nowSeconds: () => nowSeconds,
    },
  );
  return result.ok ? 'ok' : result.code;
}

describe('Signature-Input, rightly signed as it stands', () => {
  const params = list + parameters;
  const refused = {
    'with a second member': `${params}, other=()`,
    'with a second member that is a flag': `${params}, other`,
    'with the member twice': `${params}, sig=${params}`,
    'with white space at its parameters': `${list}; created=${nowSeconds};keyid="a";alg="rsa-v1_5-sha256"`,
    'with two spaces in its list': `("@method"  "@target-uri")${parameters}`,
    'with a parameter twice': `${params};created=${nowSeconds}`,
    'with leading zeros': `${list};created=0${nowSeconds};keyid="a";alg="rsa-v1_5-sha256"`,
  };
  for (const [what, text] of Object.entries(refused)) {
    test(`${what} is refused`, () => assert.equal(outcomeOf(`sig=${text}`, text), 'signature_malformed'));
  }

  test('under another label is refused', () => {
    assert.equal(outcomeOf(`sig1=${params}`, params), 'signature_malformed');
  });

  test('as the profile has it is accepted', () => assert.equal(outcomeOf(`sig=${params}`, params), 'ok'));

  test('with its parameters in another order is accepted', () => {
    const other = `${list};alg="rsa-v1_5-sha256";keyid="a";created=${nowSeconds}`;
    assert.equal(outcomeOf(`sig=${other}`, other), 'ok');
  });

  test('is read with everything that it holds', () => {
    assert.deepEqual(readSignatureInput(`sig=${params};nonce="n";tag=t`), {
      componentsText: list,
      parameters: {
        created: { type: 'integer', value: nowSeconds },
        keyid: { type: 'string', value: 'a' },
        alg: { type: 'string', value: 'rsa-v1_5-sha256' },
        nonce: { type: 'string', value: 'n' },
        unknown: ['tag'],
      },
      signatureParams: `${params};nonce="n";tag=t`,
    });
  });
});
