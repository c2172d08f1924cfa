import assert from 'node:assert/strict';
import { createCipheriv, createPrivateKey, generateKeyPairSync, pbkdf2Sync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  readDer,
  readDerSequence,
  writeDer,
  writeDerInteger,
  writeDerNull,
  writeDerObjectIdentifier,
  writeDerOctetString,
  writeDerSequence,
} from '../../src/keys/der.ts';
import { readPlainPrivateKey, readPrivateKey } from '../../src/keys/private-key.ts';
import {
  base64,
  encryptedPem,
  jwkOf,
  legacyEncryptedPem,
  pair,
  passphrase,
  pem,
  pkcs1PrivateDer,
  pkcs1PrivatePem,
  pkcs8Der,
  pkcs8Pem,
  selfSignedCertificateDer,
  spkiDer,
  spkiPem,
  sshRsaLine,
} from './generated-keys.ts';
import { assertTellsNothing } from './messages.ts';

const rsaPem = (modulusLength: number, publicExponent = 65537): string =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
const pkcs12 = writeDerSequence(
  writeDerInteger(Uint8Array.of(3)),
  writeDerSequence(writeDerObjectIdentifier('1.2.840.113549.1.7.1')),
);

/** The private key with one of its nine numbers replaced by 12345. */
function withWrongNumber(index: number): Uint8Array {
  const numbers = (readDerSequence(readDer(pkcs1PrivateDer)) ?? []).map((element) => element.encoded);
  return writeDerSequence(...numbers.with(index, writeDerInteger(Uint8Array.of(0x30, 0x39))));
}

const refused: readonly [name: string, text: string, code: string][] = [
  ['nothing', ' \n', 'key_missing'],
  ['other text', 'http://127.0.0.1/key.pem', 'key_malformed'],
  ['a public key', spkiPem, 'public_key'],
  ['a public key as bare Base64', base64(spkiDer), 'public_key'],
  ['a public key as PKCS#1', base64(pair.publicKey.export({ type: 'pkcs1', format: 'der' })), 'public_key'],
  ['a certificate', pem('CERTIFICATE', selfSignedCertificateDer()), 'public_key'],
  ['a certificate as bare Base64', base64(selfSignedCertificateDer()), 'public_key'],
  ['an ssh-rsa line', sshRsaLine(pair.publicKey), 'public_key'],
  ['a public JWK', JSON.stringify(jwkOf(pair.publicKey)), 'public_key'],
  ['a private JWK', JSON.stringify(jwkOf(pair.privateKey)), 'format_not_supported'],
  ['OpenSSH', pem('OPENSSH PRIVATE KEY', Buffer.from('openssh-key-v1\0')), 'format_not_supported'],
  ['PuTTY', 'PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none', 'format_not_supported'],
  ['PKCS#12', base64(pkcs12), 'format_not_supported'],
  ['hexadecimal', pkcs8Der.toString('hex'), 'format_not_supported'],
  ['two keys', pkcs8Pem + pkcs8Pem, 'several_keys'],
  ['a key and its public half', pkcs8Pem + spkiPem, 'several_keys'],
  ['text around the key', `Bag Attributes\n${pkcs8Pem}`, 'key_malformed'],
  ['a key that is cut off', base64(pkcs8Der.subarray(0, 600)), 'key_malformed'],
  ['PKCS#1 labelled as PKCS#8', pem('PRIVATE KEY', pkcs1PrivateDer), 'key_malformed'],
  ['EC as PKCS#8', ec.export({ type: 'pkcs8', format: 'pem' }), 'not_rsa'],
  ['EC', ec.export({ type: 'sec1', format: 'pem' }), 'not_rsa'],
  ['EC as bare Base64', base64(ec.export({ type: 'sec1', format: 'der' })), 'not_rsa'],
  ['RSA-PSS', pss.export({ type: 'pkcs8', format: 'pem' }), 'pss_only'],
  ['1024 bits', rsaPem(1024), 'modulus_too_small'],
  ['exponent 3', rsaPem(2048, 3), 'exponent_not_allowed'],
  ['an encrypted key', encryptedPem(), 'private_key_encrypted'],
  ['an encrypted key as bare Base64', encryptedPem().replace(/-----.*-----/g, ''), 'private_key_encrypted'],
  ['the encryption of old', legacyEncryptedPem, 'encryption_not_supported'],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((index): [string, string, string] => [
    `a key whose number ${index} does not fit the others`,
    pem('RSA PRIVATE KEY', withWrongNumber(index)),
    'key_malformed',
  ]),
  ['a key of more than two primes', pem('RSA PRIVATE KEY', withWrongNumber(0)), 'key_malformed'],
];

for (const [name, text, code] of refused) {
  test(`refused as ${code}: ${name}`, async () => {
    for (const reading of [readPlainPrivateKey(text), await readPrivateKey(text)]) {
      assert.ok(!reading.ok);
      assert.equal(reading.code, code);
      assert.match(reading.message, /^[A-Z].{20,400}$/);
      assertTellsNothing(reading.message, text);
    }
  });
}

const accepted: readonly [name: string, text: string][] = [
  ['PKCS#8', pkcs8Pem],
  ['PKCS#8 with CRLF, indented', `\uFEFF  ${pkcs8Pem.replaceAll('\n', '\r\n  ')}`],
  ['PKCS#8 without the PEM lines', pkcs8Pem.replace(/-----.*-----/g, '')],
  ['PKCS#8 as bare Base64', base64(pkcs8Der)],
  ['PKCS#1', pkcs1PrivatePem],
  ['PKCS#1 as bare Base64', base64(pkcs1PrivateDer)],
];

for (const [name, text] of accepted) {
  test(`read: ${name}`, async () => {
    for (const reading of [
      readPlainPrivateKey(text),
      await readPrivateKey(text),
      await readPrivateKey(text, 'not needed'),
    ]) {
      assert.ok(reading.ok);
      assert.equal(reading.modulusBits, 2048);
      assert.deepEqual(Buffer.from(reading.pkcs8Der), pkcs8Der);
    }
  });
}

test('attributes and a public key in PKCS#8 are left out', () => {
  const [, algorithm, privateKey] = (readDerSequence(readDer(pkcs8Der)) ?? []).map(
    (element) => element.encoded,
  );
  assert.ok(algorithm !== undefined && privateKey !== undefined);
  const extended = writeDerSequence(
    writeDerInteger(Uint8Array.of(1)),
    algorithm,
    privateKey,
    writeDer(0xa0),
    writeDer(0x81),
  );
  const reading = readPlainPrivateKey(base64(extended));
  assert.ok(reading.ok);
  assert.deepEqual(Buffer.from(reading.pkcs8Der), pkcs8Der);
  assert.ok(
    !readPlainPrivateKey(base64(writeDerSequence(writeDerInteger(Uint8Array.of(2)), algorithm, privateKey)))
      .ok,
  );
});

interface Encryption {
  readonly functionIdentifier?: string;
  readonly hash: string;
  readonly cipher: string;
  readonly cipherIdentifier: string;
  readonly keyBytes: number;
  readonly keyLength?: number;
  readonly iterations?: number;
  readonly derivation?: string;
}

/** PBES2 as RFC 8018 appendix A.4 has it, made without the code that reads it. */
function pbes2Pem(encryption: Encryption): string {
  const { iterations = 10, derivation = '1.2.840.113549.1.5.12', keyLength } = encryption;
  const salt = randomBytes(16);
  const iv = randomBytes(16);
  const key = pbkdf2Sync(
    passphrase,
    salt,
    Math.min(Math.max(iterations, 1), 10),
    encryption.keyBytes,
    encryption.hash,
  );
  const cipher = createCipheriv(encryption.cipher, key, iv);
  const algorithm = (name: string, ...parameters: Uint8Array[]): Uint8Array =>
    writeDerSequence(writeDerObjectIdentifier(name), ...parameters);
  const number = (value: number): Uint8Array => {
    const digits = value.toString(16);
    return writeDerInteger(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'));
  };
  const pbkdf2 = writeDerSequence(
    writeDerOctetString(salt),
    number(iterations),
    ...(keyLength === undefined ? [] : [number(keyLength)]),
    ...(encryption.functionIdentifier === undefined
      ? []
      : [algorithm(encryption.functionIdentifier, writeDerNull())]),
  );
  const parameters = writeDerSequence(
    algorithm(derivation, pbkdf2),
    algorithm(encryption.cipherIdentifier, writeDerOctetString(iv)),
  );
  const encrypted = Buffer.concat([cipher.update(pkcs8Der), cipher.final()]);
  return pem(
    'ENCRYPTED PRIVATE KEY',
    writeDerSequence(algorithm('1.2.840.113549.1.5.13', parameters), writeDerOctetString(encrypted)),
  );
}

const sha1Aes128: Encryption = {
  hash: 'sha1',
  cipher: 'aes-128-cbc',
  cipherIdentifier: '2.16.840.1.101.3.4.1.2',
  keyBytes: 16,
};
const encryptions: readonly Encryption[] = [
  sha1Aes128,
  { ...sha1Aes128, functionIdentifier: '1.2.840.113549.2.7', keyLength: 16 },
  {
    functionIdentifier: '1.2.840.113549.2.9',
    hash: 'sha256',
    cipher: 'aes-192-cbc',
    cipherIdentifier: '2.16.840.1.101.3.4.1.22',
    keyBytes: 24,
  },
  {
    functionIdentifier: '1.2.840.113549.2.10',
    hash: 'sha384',
    cipher: 'aes-256-cbc',
    cipherIdentifier: '2.16.840.1.101.3.4.1.42',
    keyBytes: 32,
  },
  {
    functionIdentifier: '1.2.840.113549.2.11',
    hash: 'sha512',
    cipher: 'aes-256-cbc',
    cipherIdentifier: '2.16.840.1.101.3.4.1.42',
    keyBytes: 32,
    keyLength: 32,
  },
];

async function codeOf(text: string, secret?: string): Promise<string> {
  const reading = await readPrivateKey(text, secret);
  if (!reading.ok) assertTellsNothing(reading.message, `${text}${secret}`);
  return reading.ok ? 'read' : reading.code;
}

test('the wrong passphrase is answered as such, also when the padding looks right by chance', async () => {
  const text = pbes2Pem(sha1Aes128);
  for (let attempt = 0; attempt < 600; attempt++)
    assert.equal(await codeOf(text, `wrong ${attempt}`), 'passphrase_wrong');
  assert.equal(await codeOf(text), 'private_key_encrypted');
  assert.equal(await codeOf(text, ''), 'private_key_encrypted');
});

test('an encrypted key that cannot be decrypted here is refused, with the line that converts it', async () => {
  const cases = [
    encryptedPem('des-ede3-cbc'),
    legacyEncryptedPem,
    pbes2Pem({ ...sha1Aes128, derivation: '1.3.6.1.4.1.11591.4.11' }),
    pbes2Pem({ ...sha1Aes128, iterations: 10_000_001 }),
    pbes2Pem({ ...sha1Aes128, functionIdentifier: '1.2.840.113549.2.8' }),
    base64(
      writeDerSequence(
        writeDerSequence(writeDerObjectIdentifier('1.2.840.113549.1.12.1.3')),
        writeDerOctetString(randomBytes(64)),
      ),
    ),
  ];
  for (const text of cases) {
    const reading = await readPrivateKey(text, passphrase);
    assert.ok(!reading.ok);
    assert.equal(reading.code, 'encryption_not_supported');
    assert.match(reading.message, /openssl pkcs8 -topk8/);
  }
});

test('damaged parameters of the encryption are refused', async () => {
  assert.equal(await codeOf(pbes2Pem({ ...sha1Aes128, keyLength: 32 }), passphrase), 'key_malformed');
  assert.equal(await codeOf(pbes2Pem({ ...sha1Aes128, iterations: 0 }), passphrase), 'key_malformed');
});

test('an encrypted key that is not RSA is refused for that', async () => {
  const text = ec.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase });
  assert.equal(await codeOf(text, passphrase), 'not_rsa');
});

for (const encryption of encryptions) {
  test(`decrypted: PBKDF2 with ${encryption.hash} and ${encryption.cipher}`, async () => {
    const text = pbes2Pem(encryption);
    const expected = createPrivateKey({ key: text, passphrase }).export({ type: 'pkcs8', format: 'der' });
    const reading = await readPrivateKey(text, passphrase);
    assert.ok(reading.ok);
    assert.deepEqual(Buffer.from(reading.pkcs8Der), expected);
  });
}

test('decrypted: what OpenSSL writes', async () => {
  for (const cipher of ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc']) {
    assert.equal(await codeOf(encryptedPem(cipher), passphrase), 'read');
  }
  assert.equal(await codeOf(encryptedPem().replace(/-----.*-----/g, ''), passphrase), 'read');
});

test('a private key that is changed in one place is never read as another one', async () => {
  const texts = fc.constantFrom(pkcs8Pem, pkcs1PrivatePem, base64(pkcs8Der), pbes2Pem(sha1Aes128));
  const property = fc.asyncProperty(
    texts,
    fc.nat(),
    fc.string({ unit: 'binary', maxLength: 2 }),
    async (text, place, put) => {
      const index = place % text.length;
      const changed = text.slice(0, index) + put + text.slice(index + 1);
      const reading = await readPrivateKey(changed, passphrase);
      if (reading.ok) assert.deepEqual(Buffer.from(reading.pkcs8Der), pkcs8Der);
      else assertTellsNothing(reading.message, changed);
    },
  );
  await fc.assert(property, { numRuns: 150 });
});
