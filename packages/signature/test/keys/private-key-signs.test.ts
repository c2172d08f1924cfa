import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeDer, writeDerInteger, writeDerObjectIdentifier, writeDerSequence } from '../../src/keys/der.ts';
import { holdsPrivateKey } from '../../src/keys/private-key-signs.ts';
import { readPublicKey } from '../../src/keys/public-key.ts';
import type { PublicKeyRefusalCode } from '../../src/keys/public-key-refusal.ts';
import {
  base64,
  encryptedPem,
  jwkOf,
  legacyEncryptedPem,
  pair,
  pem,
  pkcs1PrivateDer,
  pkcs1PrivatePem,
  pkcs8Der,
  pkcs8Pem,
  rsaKeyValueXml,
  selfSignedCertificateDer,
  spkiPem,
  sshRsaLine,
} from './generated-keys.ts';
import { assertTellsNothing } from './messages.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const ec521 = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
const ed25519 = generateKeyPairSync('ed25519').privateKey;
const bare = (text: string): string => text.replace(/-----.*-----/g, '').trim();
const jwk = jwkOf(pair.privateKey);
const openSshBody = base64(Buffer.concat([Buffer.from('openssh-key-v1\0'), randomBytes(600)]));
const pkcs12 = writeDerSequence(
  writeDerInteger(Uint8Array.of(3)),
  writeDerSequence(writeDerObjectIdentifier('1.2.840.113549.1.7.1'), writeDer(0xa0, randomBytes(900))),
);
const utf16 = (text: string): string => text.replace(/[^]/g, '$&\0');

const privateTexts: readonly [name: string, text: string][] = [
  ['PKCS#8', pkcs8Pem],
  ['PKCS#1', pkcs1PrivatePem],
  ['encrypted PKCS#8', encryptedPem()],
  ['encrypted PKCS#8 with triple DES', encryptedPem('des-ede3-cbc')],
  ['the encryption of old', legacyEncryptedPem],
  ['EC', ec.export({ type: 'sec1', format: 'pem' })],
  ['EC as PKCS#8', ec.export({ type: 'pkcs8', format: 'pem' })],
  ['Ed25519', ed25519.export({ type: 'pkcs8', format: 'pem' })],
  ['PKCS#8 as bare Base64', base64(pkcs8Der)],
  ['PKCS#8 as bare Base64 in lines', bare(pkcs8Pem)],
  ['PKCS#8 as base64url', pkcs8Der.toString('base64url')],
  ['PKCS#1 as bare Base64', base64(pkcs1PrivateDer)],
  ['encrypted PKCS#8 as bare Base64', bare(encryptedPem())],
  ['EC as bare Base64', base64(ec.export({ type: 'sec1', format: 'der' }))],
  ['EC P-521 as bare Base64', base64(ec521.export({ type: 'sec1', format: 'der' }))],
  ['EC as bare Base64 of PKCS#8', base64(ec.export({ type: 'pkcs8', format: 'der' }))],
  ['Ed25519 as bare Base64', base64(ed25519.export({ type: 'pkcs8', format: 'der' }))],
  ['PKCS#12', base64(pkcs12)],
  ['PKCS#8 labelled as a public key', pem('PUBLIC KEY', pkcs8Der)],
  ['PKCS#1 labelled as a certificate', pem('CERTIFICATE', pkcs1PrivateDer)],
  ['PKCS#8 without its label', pem('KEY', pkcs8Der)],
  ['PKCS#8 with its label in another case', pkcs8Pem.replaceAll('PRIVATE KEY', 'pRIVATE kEY')],
  ['PKCS#8 as hexadecimal', pkcs8Der.toString('hex')],
  ['PKCS#8 as hexadecimal with colons', pkcs8Der.toString('hex').replace(/..(?!$)/g, '$&:')],
  ['PKCS#8 in UTF-16, read as bytes', utf16(pkcs8Pem)],
  ['bare Base64 in UTF-16, read as bytes', utf16(base64(pkcs8Der))],
  ['PKCS#8 in JSON', JSON.stringify({ key: pkcs8Pem })],
  ['bare Base64 in JSON', JSON.stringify({ key: bare(pkcs8Pem) })],
  ['PKCS#8 in a URL', encodeURIComponent(pkcs8Pem)],
  ['Base64 of the PEM text', base64(Buffer.from(pkcs8Pem))],
  ['Base64 of a JWK', base64(Buffer.from(JSON.stringify(jwk)))],
  ['a JWK', JSON.stringify(jwk)],
  [
    'a JWK with the private members first',
    JSON.stringify(Object.fromEntries(Object.entries(jwk).toReversed())),
  ],
  ['a JWK, indented', JSON.stringify(jwk, null, 2)],
  ['a JWK in upper case', JSON.stringify(jwk).toUpperCase()],
  [
    'a JWK with escaped names',
    JSON.stringify(jwk).replace(/"(d|p|q|dp|dq|qi)"/g, (name) =>
      name.replace(/[dpq]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    ),
  ],
  ['a JWK in a JWK Set', JSON.stringify({ keys: [jwkOf(pair.publicKey), jwk] })],
  ['a JWK as a string in JSON', JSON.stringify(JSON.stringify(jwk))],
  ['a JWK with the primes alone', JSON.stringify({ ...jwkOf(pair.publicKey), p: jwk['p'] })],
  ['an EC JWK', JSON.stringify(jwkOf(ec))],
  ['a secret as a JWK', JSON.stringify({ kty: 'oct', k: randomBytes(32).toString('base64url') })],
  [
    'a JWK as YAML',
    Object.entries(jwk)
      .map(([name, value]) => `${name}: "${value}"`)
      .join('\n'),
  ],
  ['OpenSSH', `-----BEGIN OPENSSH PRIVATE KEY-----\n${openSshBody}\n-----END OPENSSH PRIVATE KEY-----\n`],
  ['OpenSSH without its label', openSshBody],
  [
    'PuTTY',
    `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n${base64(randomBytes(48))}\n`,
  ],
  ['PuTTY without its first line', `Public-Lines: 1\nAAAA\nPrivate-Lines: 1\n${base64(randomBytes(48))}\n`],
  ['SSH2', '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAA\n---- END SSH2 ENCRYPTED PRIVATE KEY ----'],
  ['PGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----'],
  ['a test key of RFC 9500', pem('RSA TESTING KEY', pkcs1PrivateDer)],
  ['XML', rsaKeyValueXml(pair.privateKey)],
  ['XML, cut off', rsaKeyValueXml(pair.privateKey).slice(0, 500)],
  ['a printout', 'RSA Private-Key: (2048 bit, 2 primes)\nmodulus:\n    00:b4'],
  ['the lower part of a printout', 'publicExponent: 65537 (0x10001)\nprivateExponent:\n    00:b4'],
];

function assertPrivate(text: string): void {
  const reading = readPublicKey(text);
  assert.ok(!reading.ok);
  assert.equal(reading.code, 'private_key');
  assert.match(reading.message, /compromised/);
  assert.match(reading.message, /openssl pkey -in private\.pem -pubout/);
  assertTellsNothing(reading.message, text);
}

/** After other text these are rejected as well, but only as damaged. */
const mustBeginTheText: ReadonlySet<string> = new Set(['Base64 of a JWK']);

for (const [name, text] of privateTexts) {
  test(`answered as a private key: ${name}`, () => {
    assertPrivate(text);
    for (const other of [
      spkiPem,
      JSON.stringify(jwkOf(pair.publicKey)),
      sshRsaLine(pair.publicKey),
      'a comment',
    ]) {
      assertPrivate(`${text}\n${other}`);
      if (!mustBeginTheText.has(name)) assertPrivate(`${other}\n${text}`);
    }
  });
}

test('a private key that begins within the first 64 KiB of a longer text is answered as one', () => {
  assertPrivate(`${' '.repeat(60_000)}${pkcs8Pem}${' '.repeat(60_000)}`);
});

const privateText = fc.constantFrom(...privateTexts.map(([, text]) => text), pkcs8Pem, base64(pkcs8Der));
const publicText = fc.constantFrom(
  '',
  spkiPem,
  bare(spkiPem),
  JSON.stringify(jwkOf(pair.publicKey)),
  sshRsaLine(pair.publicKey),
);

/** One change to a text that keeps its first `kept` characters. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), place: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    kind: fc.constantFrom('case', 'space', 'newline', 'other', 'gone'),
    place: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

function applyDamage(text: string, kept: number, one: { kind: string; place: number }): string {
  if (text.length <= kept) return text;
  const index = kept + Math.floor(one.place * (text.length - kept - 1));
  const [before, at = '', after] = [text.slice(0, index), text[index], text.slice(index + 1)];
  const swapped = at === at.toUpperCase() ? at.toLowerCase() : at.toUpperCase();
  switch (one.kind) {
    case 'cut':
      return before;
    case 'case':
      return before + swapped + after;
    case 'space':
      return `${before} ${at}${after}`;
    case 'newline':
      return `${before}\n${at}${after}`;
    case 'other':
      return `${before}#${after}`;
    default:
      return before + after;
  }
}

test('a damaged private key, alone or beside a public key, is never accepted', () => {
  const property = fc.property(
    privateText,
    publicText,
    fc.array(damage, { maxLength: 6 }),
    fc.boolean(),
    (text, other, changes, first) => {
      const damaged = changes.reduce((changed, one) => applyDamage(changed, 40, one), text);
      const reading = readPublicKey(first ? `${damaged}\n${other}` : `${other}\n${damaged}`);
      assert.ok(!reading.ok);
      assertTellsNothing(reading.message, damaged);
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test('a private key whose first characters are whole is answered as one, whatever happens behind them', () => {
  const labelled = fc.constantFrom(pkcs8Pem, pkcs1PrivatePem, encryptedPem(), legacyEncryptedPem);
  const unlabelled = fc.constantFrom(
    base64(pkcs8Der),
    bare(pkcs8Pem),
    base64(pkcs1PrivateDer),
    bare(encryptedPem()),
    base64(pkcs12),
  );
  const property = fc.property(
    fc.oneof(labelled, unlabelled),
    publicText,
    fc.array(damage, { maxLength: 12 }),
    fc.boolean(),
    (text, other, changes, first) => {
      const kept = text.startsWith('-----') ? text.indexOf('\n') : 24;
      const damaged = changes.reduce((changed, one) => applyDamage(changed, kept, one), text);
      assertPrivate(first ? `${damaged}\n${other}` : `${other}\n${damaged}`);
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test('a label in any case is a sign, whatever is between its words', () => {
  const property = fc.property(
    fc.mixedCase(
      fc.constantFrom(
        '-----BEGIN RSA PRIVATE KEY',
        '- end private_key',
        '-beginprivatekey',
        '--END PGP SECRET KEY',
      ),
    ),
    fc.string(),
    (label, rest) => {
      assert.ok(holdsPrivateKey(label + rest));
    },
  );
  fc.assert(property);
});

test('a long value that is called a private or secret key is a sign', () => {
  const value = randomBytes(32);
  for (const text of [
    JSON.stringify({ privateKey: value.toString('base64') }),
    JSON.stringify({ secret_key: value.toString('hex') }),
    `PRIVATE-KEY=${value.toString('hex')}`,
    `privateKey: '${value.toString('base64')}'`,
  ])
    assert.ok(holdsPrivateKey(text), text);
});

const publicJwk = jwkOf(pair.publicKey);
const certificate = pem('CERTIFICATE', selfSignedCertificateDer({ version: 2 }));

/** Texts in which the words occur, and nothing private: their codes, and whether they are read. */
const publicTexts: readonly [name: string, text: string, code: 'ok' | PublicKeyRefusalCode][] = [
  [
    'a JWK whose kid is named after its private half',
    JSON.stringify({ ...publicJwk, kid: 'my-private-key-2026' }),
    'ok',
  ],
  ['a JWK with a secret key as its kid', JSON.stringify({ ...publicJwk, kid: 'secret-key: rotated' }), 'ok'],
  ['a JWK with an empty private exponent', JSON.stringify({ ...publicJwk, d: '' }), 'ok'],
  [
    'a JWK whose private members are null',
    JSON.stringify({ ...publicJwk, d: null, p: null, q: null, dp: null, dq: null, qi: null }),
    'key_malformed',
  ],
  ['an SSH line with the words as its comment', sshRsaLine(pair.publicKey, 'private key of the shop'), 'ok'],
  [
    'what keytool prints for an entry',
    `Alias name: client\nEntry type: PrivateKeyEntry\n${certificate}`,
    'key_malformed',
  ],
  [
    'the printout of a certificate with a usage period',
    `        X509v3 Private Key Usage Period: \n            Not Before: Jan  1 00:00:00 2026 GMT\n${certificate}`,
    'key_malformed',
  ],
  ['a comment', `# never share the private key\n${spkiPem}`, 'key_malformed'],
  ['a comment in camel case', `# rotated with its privateKey: see the runbook\n${spkiPem}`, 'key_malformed'],
  ['a path', `private_key = /etc/keys/shop.pem\n${spkiPem}`, 'key_malformed'],
  [
    'the attributes of a PKCS#12 file',
    `Bag Attributes\n    friendlyName: private key\n${certificate}`,
    'key_malformed',
  ],
  ['JSON with an empty half', JSON.stringify({ publicKey: spkiPem, privateKey: null }), 'key_malformed'],
  ['JSON with an empty text', JSON.stringify({ publicKey: spkiPem, privateKey: '' }), 'key_malformed'],
  [
    'XML with empty members',
    rsaKeyValueXml(pair.publicKey).replace('</RSAKeyValue>', '<D></D><P/></RSAKeyValue>'),
    'key_malformed',
  ],
  [
    'what a generator says',
    `Your private key has been saved in id_rsa\n${sshRsaLine(pair.publicKey)}`,
    'key_malformed',
  ],
  ['the words alone', 'the private key', 'key_malformed'],
];

for (const [name, text, code] of publicTexts)
  test(`not answered as a private key: ${name}`, () => {
    const reading = readPublicKey(text);
    assert.equal(reading.ok ? 'ok' : reading.code, code);
  });

test('public keys do not look like private ones', () => {
  const property = fc.property(fc.uint8Array({ minLength: 256, maxLength: 512 }), (bytes) => {
    const modulus = Buffer.concat([Buffer.of(0xc3), bytes]);
    const der = writeDerSequence(writeDerInteger(modulus), writeDerInteger(Uint8Array.of(1, 0, 1)));
    assert.ok(!holdsPrivateKey(pem('RSA PUBLIC KEY', der)));
    assert.ok(!holdsPrivateKey(base64(der)));
    assert.ok(
      !holdsPrivateKey(
        JSON.stringify({ kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB', use: 'sig' }),
      ),
    );
  });
  fc.assert(property, { numRuns: 500 });
});
