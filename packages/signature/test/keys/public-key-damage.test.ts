import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPublicKey } from '../../src/keys/public-key.ts';
import {
  base64,
  jwkOf,
  pair,
  pem,
  selfSignedCertificateDer,
  spkiDer,
  spkiPem,
  sshRsaLine,
} from './generated-keys.ts';
import { assertTellsNothing } from './messages.ts';

const pkcs1Der = pair.publicKey.export({ type: 'pkcs1', format: 'der' });
const texts = [
  spkiPem,
  base64(spkiDer),
  pem('RSA PUBLIC KEY', pkcs1Der),
  pem('CERTIFICATE', selfSignedCertificateDer({ version: 2 })),
  JSON.stringify({ ...jwkOf(pair.publicKey), alg: 'RS256', use: 'sig' }),
  sshRsaLine(pair.publicKey),
];

/** Whatever is accepted is a key that node:crypto reads too, and reading it again gives the same. */
function assertSound(text: string): void {
  const reading = readPublicKey(text);
  if (!reading.ok) return assertTellsNothing(reading.message, text);
  const key = createPublicKey(reading.key.spkiPem);
  assert.equal(key.asymmetricKeyType, 'rsa');
  assert.equal(key.asymmetricKeyDetails?.modulusLength, reading.key.bits);
  assert.equal(key.asymmetricKeyDetails?.publicExponent, 65537n);
  assert.deepEqual(Buffer.from(reading.key.spkiDer), key.export({ type: 'spki', format: 'der' }));
}

test('any text is answered', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), assertSound));
  const likeKeys = fc.string({
    unit: fc.constantFrom(
      '-----BEGIN ',
      'PUBLIC KEY',
      '-----',
      '-----END ',
      '\n',
      'MIIB',
      '{"kty":"RSA"',
      ',',
      '"n":"',
      '}',
      'ssh-rsa ',
      'AAAA',
      '=',
      '30',
      ' ',
    ),
  });
  fc.assert(fc.property(likeKeys, assertSound), { numRuns: 300 });
});

test('a text that is changed in one place is refused or is a sound key', () => {
  const change = fc.tuple(
    fc.constantFrom(...texts),
    fc.nat(),
    fc.string({ unit: 'binary', maxLength: 2 }),
    fc.nat({ max: 2 }),
  );
  const property = fc.property(change, ([text, place, put, removed]) => {
    const index = place % text.length;
    assertSound(text.slice(0, index) + put + text.slice(index + removed));
  });
  fc.assert(property, { numRuns: 250 });
});

test('a text that is cut off is refused, or is a whole key still', () => {
  const property = fc.property(fc.constantFrom(...texts), fc.nat(), (text, place) =>
    assertSound(text.slice(0, place % text.length)),
  );
  fc.assert(property, { numRuns: 300 });
});

test('bytes that are changed under a whole armour are refused or are a sound key', () => {
  const der = fc.constantFrom<[string, Uint8Array]>(
    ['PUBLIC KEY', spkiDer],
    ['RSA PUBLIC KEY', pkcs1Der],
    ['CERTIFICATE', selfSignedCertificateDer()],
  );
  const property = fc.property(
    der,
    fc.nat({ max: 60 }),
    fc.nat({ max: 255 }),
    fc.nat(),
    ([label, bytes], near, value, cut) => {
      const changed = Uint8Array.from(bytes);
      changed[near] = value;
      assertSound(pem(label, changed));
      assertSound(pem(label, bytes.subarray(0, cut % bytes.length)));
      assertSound(base64(bytes.subarray(cut % bytes.length)));
    },
  );
  fc.assert(property, { numRuns: 120 });
});
