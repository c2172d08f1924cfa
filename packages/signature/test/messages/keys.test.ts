import assert from 'node:assert/strict';
import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { hmacKey } from '../../src/messages/hmac.ts';
import * as node from '../../src/on-node/messages.ts';
import * as web from '../../src/on-web/messages.ts';
import type { JsonWebKeyObject, MessageAlgorithm, MessageKeyOptions } from '../../src/on-web/messages.ts';
import {
  base64,
  legacyEncryptedPem,
  jwkOf,
  pair as rsa,
  selfSignedCertificateDer,
  pem,
  pkcs1PrivatePem,
  spkiDer,
  spkiPem,
  sshRsaLine,
} from '../keys/generated-keys.ts';
import { assertTellsNothing } from '../keys/messages.ts';
import { pairs, pemOf, pssPair, unrestricted } from './fresh-keys.ts';
import { type MessagesPlatform, platforms } from './platforms.ts';

/** The part of a key's text that is the key, without PEM's labels and a JWK's punctuation. */
function materialOf(key: unknown): string {
  const text = typeof key === 'string' ? key : (JSON.stringify(key) ?? '');
  return text.replace(/-----[^-]*-----/g, '').replace(/[\s"{}:,]/g, '');
}

/** Returns the message with which a platform refuses; fails if it accepts, or if the message tells of the key. */
async function refusal(key: unknown, use: () => unknown): Promise<string> {
  try {
    await use();
  } catch (error) {
    assert.ok(error instanceof TypeError, `a TypeError, not ${String(error)}`);
    assert.equal(error.cause, undefined);
    assertTellsNothing(error.message, materialOf(key));
    return error.message;
  }
  assert.fail('the key is accepted');
}

function publicRefusal(
  platform: MessagesPlatform,
  key: unknown,
  options?: MessageKeyOptions,
): Promise<string> {
  return refusal(key, () => platform.verifyingKey(key as string, options));
}

const vectors = new URL('../../../../../shared/vectors/rfc9421.json', import.meta.url);
const noVectors = existsSync(vectors) ? false : 'the vectors of RFC 9421 are not here';

const rsaJwk = jwkOf(rsa.publicKey);
const rsaPrivateJwk = jwkOf(rsa.privateKey);
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = pairs.ed25519;
const p256 = pairs['ecdsa-p256-sha256'];
const p384 = pairs['ecdsa-p384-sha384'];
const shortRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pssOnly = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const exponent3 = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });

const otherKinds: Readonly<Record<string, { publicKey: KeyObject; privateKey: KeyObject }>> = {
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  secp256k1: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  Ed448: generateKeyPairSync('ed448'),
  X25519: generateKeyPairSync('x25519'),
  X448: generateKeyPairSync('x448'),
};

/** Every pair of a key and an algorithm of another kind. */
const otherAlgorithms: readonly (readonly [string, KeyObject, readonly MessageAlgorithm[]])[] = [
  ['RSA', rsa.publicKey, ['ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'ed25519', 'hmac-sha256']],
  [
    'P-256',
    p256.publicKey,
    ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256', 'ecdsa-p384-sha384', 'ed25519', 'hmac-sha256'],
  ],
  [
    'P-384',
    p384.publicKey,
    ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256', 'ecdsa-p256-sha256', 'ed25519', 'hmac-sha256'],
  ],
  [
    'Ed25519',
    ed25519.publicKey,
    ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'hmac-sha256'],
  ],
];

const notAlgorithms: readonly unknown[] = ['PS512', 'RS256', 'rsa', '', 'toString', '__proto__', 5, null, {}];

interface WrongKey {
  readonly what: string;
  readonly key: unknown;
  readonly options?: MessageKeyOptions;
  readonly says: RegExp;
}

const anyRsa: MessageKeyOptions = { algorithm: 'rsa-pss-sha512' };
const otherKind = /^The key is not an RSA, Ed25519, ECDSA P-256 or ECDSA P-384 key\./;
const isPrivate = /^This is a private key, or contains one\./;

const wrongPublicKeys: readonly WrongKey[] = [
  {
    what: 'nothing',
    key: undefined,
    says: /^key must be the text of a public key, or a JWK; it is undefined/,
  },
  { what: 'null', key: null, says: /it is null/ },
  { what: 'a number', key: 5, says: /it is 5/ },
  { what: 'a function', key: () => rsa.publicKey, says: /it is Function/ },
  { what: 'an empty text', key: '', says: /^There is no key in the text/ },
  { what: 'white space', key: ' \r\n\t', says: /^There is no key in the text/ },
  { what: 'another text', key: 'not a key', says: /^The text is not a key/ },
  { what: 'an empty object', key: {}, says: /^The JWK is malformed/ },
  { what: 'a list', key: [rsaJwk], says: /^This is the output of a tool/ },
  { what: 'an RSA key without an algorithm', key: spkiPem, says: /^Say which algorithm the key is for: / },
  { what: 'a JWK of RSA without alg', key: rsaJwk, says: /^Say which algorithm the key is for: / },
  { what: 'an RSA key of 1024 bits', key: pemOf(shortRsa.publicKey), options: anyRsa, says: /1024 bits/ },
  {
    what: 'an RSA key above the limit',
    key: spkiPem,
    options: { ...anyRsa, modulusBitsMax: 2047 },
    says: /2048 bits; at most 2047/,
  },
  {
    what: 'an RSA key with the exponent 3',
    key: pemOf(exponent3.publicKey),
    options: anyRsa,
    says: /exponent is not 65537/,
  },
  { what: 'two keys', key: spkiPem + pemOf(ed25519.publicKey), options: anyRsa, says: /more than one/ },
  { what: 'a private key in PEM', key: pemOf(ed25519.privateKey), says: isPrivate },
  { what: 'a private key of PKCS#1', key: pkcs1PrivatePem, options: anyRsa, says: isPrivate },
  {
    what: 'a private key in bare Base64',
    key: ed25519.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    says: isPrivate,
  },
  { what: 'a private JWK', key: rsaPrivateJwk, options: anyRsa, says: isPrivate },
  { what: "a private JWK's text", key: JSON.stringify(jwkOf(ed25519.privateKey)), says: isPrivate },
  { what: 'a private JWK with alg', key: { ...rsaPrivateJwk, alg: 'PS512' }, says: isPrivate },
  {
    what: 'a PSS-only key for PKCS#1 v1.5',
    key: pemOf(pssOnly.publicKey),
    options: { algorithm: 'rsa-v1_5-sha256' },
    says: /PSS/,
  },
  ...Object.entries(otherKinds).map(([name, { publicKey }]) => ({
    what: `a key of ${name}`,
    key: pemOf(publicKey),
    says: otherKind,
  })),
  ...Object.entries(otherKinds).map(([name, { publicKey }]) => ({
    what: `a JWK of ${name}`,
    key: jwkOf(publicKey),
    says: /^The JWK is a key for a curve other than/,
  })),
  {
    what: 'a shared secret',
    key: { kty: 'oct', k: randomBytes(32).toString('base64url'), alg: 'HS256' },
    says: isPrivate,
  },
  { what: 'a JWK Set', key: { keys: [rsaJwk] }, options: anyRsa, says: /JWK Set/ },
  { what: 'a JWK for encryption', key: { ...rsaJwk, alg: 'PS512', use: 'enc' }, says: /use must be sig/ },
  {
    what: 'a JWK that only signs',
    key: { ...rsaJwk, alg: 'PS512', key_ops: ['sign'] },
    says: /key_ops must include verify/,
  },
  ...[null, 5, ['PS512'], '', 'none', 'RS512', 'ps512', 'toString'].map((alg) => ({
    what: `a JWK with the alg ${JSON.stringify(alg)}`,
    key: { ...rsaJwk, alg },
    options: anyRsa,
    says: /^The (?:JWK's alg|alg of the JWK) is not /,
  })),
  ...[
    ['PS512', 'PS256', 'rsa-pss-sha512'],
    ['PS256', 'rsa-pss-sha512', 'PS256'],
    ['RS256', 'rsa-pss-sha512', 'rsa-v1_5-sha256'],
  ].map(([alg, algorithm, named]) => ({
    what: `a JWK with the alg ${alg!} for ${algorithm!}`,
    key: { ...rsaJwk, alg },
    options: { algorithm: algorithm as MessageAlgorithm },
    says: new RegExp(`^The JWK is for ${named!}, not for ${algorithm!}\\.$`),
  })),
  ...[
    ['ES256', 'ecdsa-p256-sha256'],
    ['EdDSA', 'ed25519'],
    ['HS256', 'hmac-sha256'],
  ].map(([alg, named]) => ({
    what: `a JWK of RSA with the alg ${alg!}`,
    key: { ...rsaJwk, alg },
    says: new RegExp(`^The key is not for ${named!}\\.$`),
  })),
  ...otherAlgorithms.flatMap(([name, key, algorithms]) =>
    algorithms.map((algorithm) => ({
      what: `a key of ${name} for ${algorithm}`,
      key: pemOf(key),
      options: { algorithm },
      says: new RegExp(`^The key is not for ${algorithm}\\.$`),
    })),
  ),
  ...notAlgorithms.map((algorithm) => ({
    what: `the algorithm ${JSON.stringify(algorithm)}`,
    key: spkiPem,
    options: { algorithm: algorithm as MessageAlgorithm },
    says: /^algorithm is not the name of an algorithm/,
  })),
];

describe('a public key is refused on both platforms, for the same reason', () => {
  for (const { what, key, options, says } of wrongPublicKeys) {
    test(what, async () => {
      const reasons = await Promise.all(platforms.map((platform) => publicRefusal(platform, key, options)));
      assert.match(reasons[0]!, says);
      assert.equal(reasons[1], reasons[0]);
    });
  }
});

describe('a JWK with a duplicate member is refused', () => {
  const { n } = rsaJwk;
  const { n: other } = jwkOf(otherRsa.publicKey);
  const { d } = rsaPrivateJwk;
  for (const [what, key, options] of [
    ['n', `{"kty":"RSA","n":"${other!}","n":"${n!}","e":"AQAB"}`, anyRsa],
    ['alg', `{"kty":"RSA","n":"${n!}","e":"AQAB","alg":"PS512","alg":"RS256"}`, {}],
    ['alg, the same twice', `{"kty":"RSA","n":"${n!}","e":"AQAB","alg":"PS512","alg":"PS512"}`, {}],
    ['n, next to alg', `{"kty":"RSA","n":"${other!}","n":"${n!}","e":"AQAB","alg":"PS512"}`, {}],
    ['kty, next to alg', `{"kty":"EC","kty":"RSA","n":"${n!}","e":"AQAB","alg":"PS512"}`, {}],
    ['alg, once escaped', `{"kty":"RSA","n":"${n!}","e":"AQAB","alg":"PS512","\\u0061lg":"RS256"}`, {}],
    ['d, next to alg', `{"kty":"RSA","n":"${n!}","e":"AQAB","d":"${d!}","d":"x","alg":"PS512"}`, {}],
  ] as const)
    test(what, async () => {
      for (const platform of platforms) {
        const reason = await publicRefusal(platform, key, options);
        assert.match(reason, /duplicate field|private key/);
      }
    });
});

describe('a JWK whose alg contradicts what the caller wants is refused, however it is written', () => {
  for (const [what, key] of [
    ['plainly', { ...rsaJwk, alg: 'RS256' }],
    ['as a text', JSON.stringify({ ...rsaJwk, alg: 'RS256' })],
    ['with white space', JSON.stringify({ alg: 'RS256', ...rsaJwk }, undefined, '\t')],
    ['after a byte order mark', `\uFEFF${JSON.stringify({ ...rsaJwk, alg: 'RS256' })}`],
    ['with an escaped name', JSON.stringify({ ...rsaJwk, alg: 'RS256' }).replace('"alg"', '"\\u0061lg"')],
    ['with an escaped value', JSON.stringify({ ...rsaJwk, alg: 'RS256' }).replace('RS256', 'RS\\u003256')],
    ["with Azure's kty", { ...rsaJwk, kty: 'RSA-HSM', alg: 'RS256' }],
  ] as const)
    test(what, async () => {
      for (const platform of platforms) await publicRefusal(platform, key, anyRsa);
    });
});

describe('published test keys', () => {
  const skip = noVectors;
  const published = skip === false ? publishedKeys() : [];

  test('those of RFC 9421 are refused, unless they are allowed', { skip }, async () => {
    for (const { name, publicKeyPem, algorithm } of published) {
      for (const platform of platforms) {
        const reason = await publicRefusal(platform, publicKeyPem, { algorithm });
        assert.match(reason, /^This is a test key/, name);
        const allowed = { algorithm, allowPublishedTestKeys: true };
        assert.equal((await platform.verifyingKey(publicKeyPem, allowed)).algorithm, algorithm);
      }
    }
    assert.equal(published.length, 4);
  });

  test('anything but true does not allow them', { skip }, async () => {
    for (const allow of ['true', 1, {}]) {
      const options = { allowPublishedTestKeys: allow } as unknown as MessageKeyOptions;
      const ed = published.find(({ algorithm }) => algorithm === 'ed25519')!;
      for (const platform of platforms)
        assert.match(await publicRefusal(platform, ed.publicKeyPem, options), /^This is a test key/);
    }
  });

  // RFC 8032 section 7.1, in order: tests 1 to 3, 1024 and SHA(abc).
  for (const [name, seed] of [
    ['1', '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'],
    ['2', '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'],
    ['3', 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7'],
    ['1024', 'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5'],
    ['SHA(abc)', '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42'],
  ] as const) {
    test(`that of RFC 8032's test ${name} is refused`, async () => {
      const pkcs8 = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex');
      const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
      const text = pemOf(createPublicKey(privateKey));
      for (const platform of platforms)
        assert.match(await publicRefusal(platform, text), /^This is a test key/);
    });
  }
});

interface PublishedKey {
  readonly name: string;
  readonly publicKeyPem: string;
  readonly privateKeyPem: string;
  readonly algorithm: MessageAlgorithm;
}

function publishedKeys(): readonly PublishedKey[] {
  const { keys } = JSON.parse(readFileSync(vectors, 'utf8')) as {
    keys: Record<string, { publicKeyPem?: string; privateKeyPem?: string }>;
  };
  const algorithmsOf: Readonly<Record<string, MessageAlgorithm>> = {
    'test-key-rsa': 'rsa-v1_5-sha256',
    'test-key-rsa-pss': 'rsa-pss-sha512',
    'test-key-ecc-p256': 'ecdsa-p256-sha256',
    'test-key-ed25519': 'ed25519',
  };
  return Object.entries(algorithmsOf).map(([name, algorithm]) => {
    const { publicKeyPem, privateKeyPem } = keys[name]!;
    return { name, algorithm, publicKeyPem: publicKeyPem!, privateKeyPem: privateKeyPem! };
  });
}

describe('a public key is accepted in each form, for the one algorithm that is named', () => {
  const forms: Readonly<Record<string, string | JsonWebKeyObject>> = {
    PEM: spkiPem,
    'PKCS#1': rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }),
    'bare Base64': base64(spkiDer),
    certificate: pem('CERTIFICATE', selfSignedCertificateDer()),
    'OpenSSH line': sshRsaLine(rsa.publicKey),
    JWK: rsaJwk,
    "JWK's text": JSON.stringify(rsaJwk),
  };
  for (const [form, key] of Object.entries(forms))
    test(form, async () => {
      for (const platform of platforms)
        assert.equal((await platform.verifyingKey(key, anyRsa)).algorithm, 'rsa-pss-sha512');
    });

  test('a JWK whose alg names it', async () => {
    for (const [jwk, alg, algorithm] of [
      [rsaJwk, 'RS256', 'rsa-v1_5-sha256'],
      [rsaJwk, 'PS512', 'rsa-pss-sha512'],
      [rsaJwk, 'PS256', 'PS256'],
      [jwkOf(p256.publicKey), 'ES256', 'ecdsa-p256-sha256'],
      [jwkOf(p384.publicKey), 'ES384', 'ecdsa-p384-sha384'],
      [jwkOf(ed25519.publicKey), 'EdDSA', 'ed25519'],
      [jwkOf(ed25519.publicKey), 'Ed25519', 'ed25519'],
    ] as const) {
      for (const platform of platforms) {
        for (const key of [{ ...jwk, alg }, JSON.stringify({ ...jwk, alg })]) {
          assert.equal((await platform.verifyingKey(key)).algorithm, algorithm);
          assert.equal((await platform.verifyingKey(key, { algorithm })).algorithm, algorithm);
        }
      }
    }
  });

  test('a key of a kind with one algorithm, without its name', async () => {
    for (const platform of platforms) {
      assert.equal((await platform.verifyingKey(pemOf(p256.publicKey))).algorithm, 'ecdsa-p256-sha256');
      assert.equal((await platform.verifyingKey(pemOf(p384.publicKey))).algorithm, 'ecdsa-p384-sha384');
      assert.equal((await platform.verifyingKey(pemOf(ed25519.publicKey))).algorithm, 'ed25519');
    }
  });
});

const passphrase = 'correct horse battery staple';
const encrypted = ed25519.privateKey.export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase,
});

type SigningOptions = Pick<MessageKeyOptions, 'algorithm'> & { readonly passphrase?: string };

/** What each platform says to a text that is no private key for the algorithm. */
const wrongPrivateKeys: readonly {
  readonly what: string;
  readonly key: unknown;
  readonly options?: SigningOptions;
  readonly onNode: RegExp;
  readonly onWeb: RegExp;
}[] = [
  {
    what: 'nothing',
    key: undefined,
    onNode: /KeyObject; it is undefined/,
    onWeb: /CryptoKey; it is undefined/,
  },
  { what: 'null', key: null, onNode: /KeyObject; it is null/, onWeb: /CryptoKey; it is null/ },
  { what: 'an object', key: rsaPrivateJwk, onNode: /it is Object/, onWeb: /it is Object/ },
  {
    what: 'bytes',
    key: ed25519.privateKey.export({ type: 'pkcs8', format: 'der' }),
    onNode: /it is Uint8Array/,
    onWeb: /it is Uint8Array/,
  },
  { what: 'an empty text', key: '', onNode: /^There is no key/, onWeb: /^There is no key/ },
  {
    what: 'another text',
    key: 'not a key',
    onNode: /^The text is not a key/,
    onWeb: /^The text is not a key/,
  },
  {
    what: 'a public key',
    key: pemOf(ed25519.publicKey),
    onNode: /^This is a public key/,
    onWeb: /^This is a public key/,
  },
  {
    what: 'a public JWK',
    key: JSON.stringify(jwkOf(ed25519.publicKey)),
    onNode: /^This is a public key/,
    onWeb: /^This is a public key/,
  },
  {
    what: 'a certificate',
    key: pem('CERTIFICATE', selfSignedCertificateDer()),
    onNode: /^This is a certificate/,
    onWeb: /^This is a certificate/,
  },
  {
    what: "a private JWK's text",
    key: JSON.stringify(jwkOf(ed25519.privateKey)),
    onNode: /format is not supported/,
    onWeb: /format is not supported/,
  },
  {
    what: 'an encrypted key without its passphrase',
    key: encrypted,
    onNode: /encrypted\. Provide its passphrase/,
    onWeb: /encrypted\. Provide its passphrase/,
  },
  {
    what: 'an encrypted key with an empty passphrase',
    key: encrypted,
    options: { passphrase: '' },
    onNode: /^The passphrase is wrong/,
    onWeb: /encrypted\. Provide its passphrase/,
  },
  {
    what: 'an encrypted key with a wrong passphrase',
    key: encrypted,
    options: { passphrase: 'incorrect horse battery staple' },
    onNode: /^The passphrase is wrong/,
    onWeb: /^The passphrase is wrong/,
  },
  {
    what: 'an encrypted key with a number as its passphrase',
    key: encrypted,
    options: { passphrase: 5 as unknown as string },
    onNode: /^The passphrase is wrong/,
    onWeb: /^The passphrase must be a string/,
  },
  {
    what: 'a key of 1024 bits',
    key: pemOf(shortRsa.privateKey),
    options: anyRsa,
    onNode: /fewer than 2048 bits/,
    onWeb: /fewer than 2048 bits/,
  },
  {
    what: 'an RSA key without an algorithm',
    key: pemOf(rsa.privateKey),
    onNode: /^Say which algorithm the key is for: /,
    onWeb: /^Say which algorithm the key is for: /,
  },
  {
    what: 'a PSS-only key for PKCS#1 v1.5',
    key: pemOf(pssOnly.privateKey),
    options: { algorithm: 'rsa-v1_5-sha256' },
    onNode: /PSS/,
    onWeb: /PSS/,
  },
  ...Object.entries(otherKinds).flatMap(([name, { privateKey }]) => [
    {
      what: `a key of ${name}`,
      key: pemOf(privateKey),
      onNode: /^The private key is not an RSA/,
      onWeb: /^The private key is not an RSA/,
    },
    {
      what: `a key of ${name} for ed25519`,
      key: pemOf(privateKey),
      options: { algorithm: 'ed25519' as const },
      onNode: /^The private key is not an RSA/,
      onWeb: /^The private key is not an RSA/,
    },
  ]),
  ...(
    [
      ['RSA', rsa.privateKey, 'ecdsa-p256-sha256'],
      ['RSA', rsa.privateKey, 'hmac-sha256'],
      ['P-256', p256.privateKey, 'ecdsa-p384-sha384'],
      ['P-384', p384.privateKey, 'ecdsa-p256-sha256'],
      ['Ed25519', ed25519.privateKey, 'rsa-pss-sha512'],
    ] as const
  ).map(([name, key, algorithm]) => ({
    what: `a key of ${name} for ${algorithm}`,
    key: pemOf(key),
    options: { algorithm },
    onNode: new RegExp(`^The key is not for ${algorithm}\\.$`),
    onWeb: new RegExp(`^The key is not for ${algorithm}\\.$`),
  })),
  ...notAlgorithms.map((algorithm) => ({
    what: `the algorithm ${JSON.stringify(algorithm)}`,
    key: pemOf(rsa.privateKey),
    options: { algorithm: algorithm as MessageAlgorithm },
    onNode: /^algorithm is not the name of an algorithm/,
    onWeb: /^algorithm is not the name of an algorithm/,
  })),
  // Two readers of such a text could sign with different keys; and nobody verifies signatures with the exponent 3.
  {
    what: 'two keys',
    key: pemOf(ed25519.privateKey) + pemOf(generateKeyPairSync('ed25519').privateKey),
    onNode: /more than one/,
    onWeb: /more than one/,
  },
  {
    what: 'a key with the exponent 3',
    key: pemOf(exponent3.privateKey),
    options: anyRsa,
    onNode: /65537/,
    onWeb: /65537/,
  },
];

describe('a private key is refused', () => {
  for (const { what, key, options, onNode, onWeb } of wrongPrivateKeys) {
    test(`${what}, node:crypto`, async () => {
      assert.match(await refusal(key, () => node.signingKey(key as string, options)), onNode);
    });
    test(`${what}, Web Crypto`, async () => {
      assert.match(await refusal(key, () => web.signingKey(key as string, options)), onWeb);
    });
  }

  test('a passphrase is not repeated', async () => {
    const wrong = randomBytes(24).toString('base64');
    for (const { signingKey } of [node, web]) {
      const message = await refusal(encrypted, () => signingKey(encrypted, { passphrase: wrong }));
      assertTellsNothing(message, wrong);
    }
  });
});

const base = new TextEncoder().encode('"@signature-params": ()');

describe('a private key is accepted', () => {
  test('encrypted, with its passphrase', async () => {
    for (const { signingKey } of [node, web]) {
      const key = await signingKey(encrypted, { passphrase });
      const signature = await key.sign(base);
      assert.equal(verify(undefined, base, ed25519.publicKey, signature), true);
    }
  });

  test('unencrypted, whatever the passphrase', async () => {
    for (const { signingKey } of [node, web])
      assert.equal((await signingKey(pemOf(ed25519.privateKey), { passphrase })).algorithm, 'ed25519');
  });

  test('of PKCS#1 and of SEC1', async () => {
    const sec1 = p256.privateKey.export({ type: 'sec1', format: 'pem' });
    for (const { signingKey } of [node, web]) {
      assert.equal((await signingKey(pkcs1PrivatePem, anyRsa)).algorithm, 'rsa-pss-sha512');
      assert.equal((await signingKey(sec1)).algorithm, 'ecdsa-p256-sha256');
    }
  });

  test('of RFC 9421, whose key for RSASSA-PSS is restricted to it', { skip: noVectors }, async () => {
    for (const { name, privateKeyPem, publicKeyPem, algorithm } of publishedKeys()) {
      for (const { signingKey } of [node, web]) {
        const key = await signingKey(privateKeyPem, { algorithm });
        const verifying = node.verifyingKey(publicKeyPem, { algorithm, allowPublishedTestKeys: true });
        assert.equal(await verifying.verifies(base, Uint8Array.from(await key.sign(base))), true, name);
      }
    }
  });

  test('that is restricted to RSASSA-PSS by node:crypto, for PSS', async () => {
    for (const algorithm of ['rsa-pss-sha512', 'PS256'] as const) {
      const verifying = node.verifyingKey(unrestricted(pssOnly.publicKey), { algorithm });
      for (const given of [pssOnly.privateKey, pemOf(pssOnly.privateKey)]) {
        const signature = await node.signingKey(given, { algorithm }).sign(base);
        assert.equal(await verifying.verifies(base, Uint8Array.from(signature)), true);
      }
    }
  });

  test("in OpenSSL's old encryption is refused, with the command that converts it", async () => {
    const options = { ...anyRsa, passphrase };
    for (const { signingKey } of [node, web]) {
      const message = await refusal(legacyEncryptedPem, () => signingKey(legacyEncryptedPem, options));
      assert.match(message, /legacy encryption/);
    }
  });
});

describe("node:crypto's KeyObject", () => {
  test('of the other half, or of a secret, is refused', async () => {
    const secret = createSecretKey(randomBytes(32));
    for (const key of [ed25519.privateKey, secret])
      assert.match(await refusal(key, () => node.verifyingKey(key)), /^key must be a public key/);
    for (const key of [ed25519.publicKey, secret])
      assert.match(await refusal(key, () => node.signingKey(key)), /^key must be a private key/);
  });

  test('is refused by Web Crypto', async () => {
    const given = (key: KeyObject): string => key as unknown as string;
    await refusal(undefined, () => web.verifyingKey(given(ed25519.publicKey)));
    await refusal(undefined, () => web.signingKey(given(ed25519.privateKey)));
  });

  test('that is weak, or for another algorithm, is refused like its text', async () => {
    for (const [key, options, says] of [
      [shortRsa.publicKey, anyRsa, /1024 bits/],
      [exponent3.publicKey, anyRsa, /exponent is not 65537/],
      [rsa.publicKey, {}, /^Say which algorithm/],
      [ed25519.publicKey, anyRsa, /^The key is not for rsa-pss-sha512/],
      [otherKinds['P-521']!.publicKey, {}, otherKind],
      [pssOnly.publicKey, { algorithm: 'rsa-v1_5-sha256' }, /PSS/],
    ] as const)
      assert.match(await refusal(pemOf(key), () => node.verifyingKey(key, options)), says);
    for (const [key, options, says] of [
      [shortRsa.privateKey, anyRsa, /at least 2048 bits/],
      [rsa.privateKey, {}, /^Say which algorithm/],
      [otherKinds['P-521']!.privateKey, {}, /^No algorithm has keys of this kind/],
      [pssOnly.privateKey, {}, /^Say which algorithm/],
      [pssOnly.privateKey, { algorithm: 'rsa-v1_5-sha256' }, /PSS/],
    ] as const)
      assert.match(await refusal(pemOf(key), () => node.signingKey(key, options)), says);
  });

  test('that is for PSS with other parameters is refused before it signs', async () => {
    const { privateKey } = pssPair('sha256', 'sha256', 32);
    await refusal(pemOf(privateKey), () => node.signingKey(privateKey, anyRsa));
  });

  test('signs and verifies', async () => {
    const signature = await node.signingKey(rsa.privateKey, anyRsa).sign(base);
    const key = node.verifyingKey(rsa.publicKey, anyRsa);
    assert.equal(await key.verifies(base, Uint8Array.from(signature)), true);
  });
});

describe("Web Crypto's CryptoKey", () => {
  const usages: KeyUsage[] = ['sign', 'verify'];
  const generate = async (
    parameters: RsaHashedKeyGenParams | EcKeyGenParams | { readonly name: 'Ed25519' },
  ): Promise<CryptoKeyPair> => (await crypto.subtle.generateKey(parameters, false, usages)) as CryptoKeyPair;
  const rsaOf = (
    name: string,
    hash: string,
    modulusLength = 2048,
    exponent = [1, 0, 1],
  ): Promise<CryptoKeyPair> =>
    generate({ name, hash, modulusLength, publicExponent: Uint8Array.from(exponent) });

  test('of another hash function or curve is refused', async () => {
    for (const pair of [
      await rsaOf('RSASSA-PKCS1-v1_5', 'SHA-1'),
      await rsaOf('RSASSA-PKCS1-v1_5', 'SHA-512'),
      await rsaOf('RSA-PSS', 'SHA-384'),
      await generate({ name: 'ECDSA', namedCurve: 'P-521' }),
    ])
      assert.match(
        await refusal(undefined, () => web.signingKey(pair.privateKey)),
        /^The CryptoKey is not for the algorithm/,
      );
  });

  test('for another algorithm than the wanted one is refused', async () => {
    const { privateKey } = await rsaOf('RSA-PSS', 'SHA-256');
    for (const algorithm of ['rsa-pss-sha512', 'rsa-v1_5-sha256', 'ed25519', 'hmac-sha256'] as const)
      assert.match(
        await refusal(undefined, () => web.signingKey(privateKey, { algorithm })),
        /^The CryptoKey is not for the algorithm/,
      );
  });

  test('that is public, secret, or for agreeing on keys, is refused', async () => {
    const { publicKey } = await generate({ name: 'Ed25519' });
    const secret = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, usages);
    const agreement = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, [
      'deriveBits',
    ]);
    for (const key of [publicKey, secret, agreement.privateKey])
      await refusal(undefined, () => web.signingKey(key));
  });

  test('is refused by node:crypto, and as a key that verifies', async () => {
    const { publicKey, privateKey } = await generate({ name: 'Ed25519' });
    const given = (key: CryptoKey): string => key as unknown as string;
    await refusal(undefined, () => node.signingKey(given(privateKey)));
    for (const platform of platforms) await publicRefusal(platform, publicKey);
  });

  test('of a short RSA key is refused', async () => {
    const { privateKey } = await rsaOf('RSASSA-PKCS1-v1_5', 'SHA-256', 1024);
    await refusal(undefined, () => web.signingKey(privateKey));
  });

  test('of an RSA key with the exponent 3 is refused', async () => {
    const { privateKey } = await rsaOf('RSASSA-PKCS1-v1_5', 'SHA-256', 2048, [3]);
    await refusal(undefined, () => web.signingKey(privateKey));
  });

  test('signs with the one algorithm that it is for', async () => {
    for (const [pair, algorithm] of [
      [await rsaOf('RSASSA-PKCS1-v1_5', 'SHA-256'), 'rsa-v1_5-sha256'],
      [await rsaOf('RSA-PSS', 'SHA-512'), 'rsa-pss-sha512'],
      [await rsaOf('RSA-PSS', 'SHA-256'), 'PS256'],
      [await generate({ name: 'ECDSA', namedCurve: 'P-256' }), 'ecdsa-p256-sha256'],
      [await generate({ name: 'ECDSA', namedCurve: 'P-384' }), 'ecdsa-p384-sha384'],
      [await generate({ name: 'Ed25519' }), 'ed25519'],
    ] as const) {
      const key = await web.signingKey(pair.privateKey);
      assert.equal(key.algorithm, algorithm);
      assert.equal((await web.signingKey(pair.privateKey, { algorithm })).algorithm, algorithm);
      const spki = await crypto.subtle.exportKey('spki', pair.publicKey);
      const verifying = await web.verifyingKey(Buffer.from(spki).toString('base64'), { algorithm });
      assert.equal(await verifying.verifies(base, Uint8Array.from(await key.sign(base))), true);
    }
  });
});

describe('a shared secret', () => {
  test('that is no bytes is refused', async () => {
    for (const secret of [undefined, null, 'x'.repeat(64), 32, {}, Array(32).fill(1), new Uint16Array(32)])
      assert.match(await refusal(secret, () => hmacKey(secret as Uint8Array)), /^secret must be bytes/);
  });

  test('of fewer than 32 bytes is refused', async () => {
    for (const length of [0, 1, 16, 31])
      assert.equal(
        await refusal(undefined, () => hmacKey(new Uint8Array(length))),
        'secret must have at least 32 bytes.',
      );
  });

  test('is kept apart from the bytes that the caller may change', async () => {
    const bytes = randomBytes(32);
    const made = hmacKey(bytes);
    const same = await hmacKey(Uint8Array.from(bytes));
    bytes.fill(0);
    const signature = Uint8Array.from(await (await made).sign(base));
    assert.equal(await same.verifies(base, signature), true);
  });
});

test('the options of a key cannot be null', async () => {
  for (const platform of platforms)
    await publicRefusal(platform, spkiPem, null as unknown as MessageKeyOptions);
});
