import assert from 'node:assert/strict';
import {
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  type webcrypto,
} from 'node:crypto';
import { describe, test } from 'node:test';
import * as web from '../src/index.ts';
import * as node from '../src/node.ts';
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
  rsaKeyValueXml,
  selfSignedCertificateDer,
  spkiDer,
  spkiPem,
} from './keys/generated-keys.ts';
import { vectorFiles } from './conformance/files.ts';
import { assertTellsNothing } from './keys/messages.ts';

/*
 * Every form of a private key that a signer accepts, and every kind that it rejects, with advice and without
 * a trace of it.
 */

const keyid = 'client_01';
const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
const three = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).privateKey;
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
const ed448 = generateKeyPairSync('ed448').privateKey;
const pkcs8Of = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' });
const damaged = Buffer.from(pkcs8Der);
damaged[damaged.length - 40]! ^= 1;

function refusal(message: RegExp, ...secrets: readonly string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof node.SigningError, String(error));
    assert.equal(error.code, 'private_key_invalid');
    assert.match(error.message, message);
    for (const secret of secrets) assertTellsNothing(error.message, secret);
    return true;
  };
}

describe('a text that is no usable private key', () => {
  const refused: readonly (readonly [name: string, text: string, message: RegExp])[] = [
    ['an empty text', ' \n', /no key in the text/],
    ['some other text', 'the key of the office door', /./],
    ['a key that is cut off', pkcs8Pem.slice(0, 900), /whole key file|damaged|-----END/],
    ['a key with a damaged number', base64(damaged), /damaged/],
    ['two keys', pkcs8Pem + pkcs8Pem, /exactly one/],
    ['a public key', spkiPem, /public key.*Use the private key/],
    ['a public key as bare Base64', base64(spkiDer), /public key.*Use the private key/],
    ['a certificate', pem('CERTIFICATE', selfSignedCertificateDer()), /certificate.*Use its private key/],
    ['a private JWK', JSON.stringify(jwkOf(pair.privateKey)), /Convert the key to PKCS#8/],
    ['a private key of .NET', rsaKeyValueXml(pair.privateKey), /Convert the key to PKCS#8/],
    ['an EC key', pkcs8Of(ec), /not an RSA, Ed25519, ECDSA P-256 or ECDSA P-384 key.*openssl genrsa/],
    [
      'an EC key in its own form',
      ec.export({ type: 'sec1', format: 'pem' }),
      /not an RSA, Ed25519, ECDSA P-256 or ECDSA P-384 key.*openssl genrsa/,
    ],
    ['an Ed448 key', pkcs8Of(ed448), /not an RSA, Ed25519, ECDSA P-256 or ECDSA P-384 key.*openssl genrsa/],
    ['an RSA-PSS key', pkcs8Of(pss), /RSA-PSS.*openssl genrsa/],
    ['a key of 1024 bits', pkcs8Of(small), /fewer than 2048 bits.*openssl genrsa/],
    ['a key with the exponent 3', pkcs8Of(three), /not 65537.*openssl genrsa/],
    ['an encrypted key without its passphrase', encryptedPem(), /encrypted\. Provide its passphrase/],
    ['a key encrypted in the old way', legacyEncryptedPem, /openssl pkcs8 -topk8/],
  ];
  for (const [name, privateKey, message] of refused) {
    test(name, async () => {
      const check = refusal(message, privateKey);
      assert.throws(() => node.createSigner({ keyid, privateKey }), check);
      await assert.rejects(web.createSigner({ keyid, privateKey }), check);
    });
  }

  test('an encrypted key with another passphrase, or with an empty one', async () => {
    for (const wrong of ['another horse battery', '']) {
      const options = { keyid, privateKey: encryptedPem(), passphrase: wrong };
      const check = refusal(/passphrase/, options.privateKey, passphrase);
      assert.throws(() => node.createSigner(options), check);
      await assert.rejects(web.createSigner(options), check);
    }
  });

  test('an encrypted key of another kind, opened with its passphrase', async () => {
    for (const [key, message] of [
      [ec, /RSA/],
      [pss, /RSA/],
      [small, /2048/],
      [three, /65537/],
    ] as const) {
      const privateKey = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase });
      const options = { keyid, privateKey, passphrase };
      assert.throws(() => node.createSigner(options), refusal(message, privateKey, passphrase));
      await assert.rejects(web.createSigner(options), refusal(message, privateKey, passphrase));
    }
  });
});

describe('an object that is no usable private key', () => {
  const keyObjects: readonly (readonly [name: string, key: KeyObject, message: RegExp])[] = [
    ['public', pair.publicKey, /not a private key.*Use the private key/],
    ['secret', createSecretKey(Buffer.alloc(32, 7)), /not a private key.*Use the private key/],
    ['EC over P-521', ec, /must be RSA.*, not ec over secp521r1.*openssl genrsa/],
    ['Ed448', ed448, /must be RSA.*, not ed448.*openssl genrsa/],
    ['RSA-PSS', pss, /must be RSA.*, not rsa-pss.*openssl genrsa/],
    ['1024 bits', small, /1024 bits.*2048/],
    ['exponent 3', three, /exponent .* not 65537/],
  ];
  for (const [name, privateKey, message] of keyObjects) {
    test(`KeyObject: ${name}`, () => {
      assert.throws(() => node.createSigner({ keyid, privateKey }), refusal(message));
    });
  }

  const signing = ['sign'] as const;
  const cryptoKeys: readonly (readonly [name: string, make: () => Promise<CryptoKey>])[] = [
    ['for RSA-PSS', () => importRsa(pkcs8Der, { name: 'RSA-PSS', hash: 'SHA-256' }, signing)],
    ['for SHA-512', () => importRsa(pkcs8Der, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' }, signing)],
    ['for RSA-OAEP', () => importRsa(pkcs8Der, { name: 'RSA-OAEP', hash: 'SHA-256' }, ['decrypt'])],
    ['of 1024 bits', () => importRsa(small.export({ type: 'pkcs8', format: 'der' }), rsaSha256, signing)],
    [
      'with the exponent 3',
      () => importRsa(three.export({ type: 'pkcs8', format: 'der' }), rsaSha256, signing),
    ],
    [
      'for ECDSA over P-521',
      () =>
        importRsa(
          ec.export({ type: 'pkcs8', format: 'der' }),
          { name: 'ECDSA', namedCurve: 'P-521' },
          signing,
        ),
    ],
    [
      'for HMAC',
      () =>
        crypto.subtle.importKey('raw', new Uint8Array(32), { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']),
    ],
    [
      'that is public',
      () => crypto.subtle.importKey('spki', new Uint8Array(spkiDer), rsaSha256, true, ['verify']),
    ],
  ];
  for (const [name, make] of cryptoKeys) {
    test(`CryptoKey ${name}`, async () => {
      const privateKey = (await make()) as CryptoKey & webcrypto.CryptoKey;
      const check = refusal(/private RSASSA-PKCS1-v1_5 key with SHA-256, at least 2048 bits, exponent 65537/);
      assert.throws(() => node.createSigner({ keyid, privateKey }), check);
      await assert.rejects(web.createSigner({ keyid, privateKey }), check);
    });
  }

  const nothings: readonly (readonly [name: string, value: unknown])[] = [
    ['undefined, as a variable that is not set', undefined],
    ['null', null],
    ['a number', 42],
    ['a Buffer', Buffer.from(pkcs8Pem)],
    ['a key pair', { privateKey: pkcs8Pem }],
  ];
  for (const [name, value] of nothings) {
    test(name, async () => {
      const privateKey = value as string;
      const check = refusal(/private key is missing: pass its text/, pkcs8Pem);
      assert.throws(() => node.createSigner({ keyid, privateKey }), check);
      await assert.rejects(web.createSigner({ keyid, privateKey }), check);
    });
  }
});

describe('a function that signs elsewhere', () => {
  const request = { method: 'GET', url: 'https://api.example.test/' };
  const failed = (message: RegExp) => (error: unknown) => {
    assert.ok(error instanceof node.SigningError, String(error));
    assert.equal(error.code, 'signing_failed');
    assert.match(error.message, message);
    return true;
  };

  for (const [name, result] of [
    ['nothing', undefined],
    ['a text', base64(new Uint8Array(256))],
    ['too few bytes', new Uint8Array(255)],
    ['an ArrayBuffer', new ArrayBuffer(256)],
  ] as const) {
    test(`returns ${name}: told so`, async () => {
      const privateKey = (): Uint8Array => result as unknown as Uint8Array;
      const check = failed(/must return the signature bytes/);
      assert.throws(() => node.createSigner({ keyid, privateKey }).sign(request), check);
      await assert.rejects((await web.createSigner({ keyid, privateKey })).sign(request), check);
    });
  }

  test('returns a promise, which the synchronous signer cannot wait for: told which one can', async (t) => {
    const unhandled = t.mock.fn();
    process.on('unhandledRejection', unhandled);
    t.after(() => process.off('unhandledRejection', unhandled));
    for (const promise of [
      Promise.resolve(new Uint8Array(256)),
      Promise.reject(new Error('the vault is sealed')),
    ]) {
      const privateKey = (): Uint8Array => promise as unknown as Uint8Array;
      const check = failed(/returned a promise: make the signer with "@countersign\/signature"/);
      assert.throws(() => node.createSigner({ keyid, privateKey }).sign(request), check);
    }
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(unhandled.mock.callCount(), 0);
  });

  test('its own failure reaches the caller, and the next request can be signed', async () => {
    let isSealed = true;
    const privateKey = (base: Uint8Array): Uint8Array => {
      if (isSealed) throw new Error('the vault is sealed');
      return signBytes('sha256', base, pair.privateKey);
    };
    const byNode = node.createSigner({ keyid, privateKey });
    const byWeb = await web.createSigner({ keyid, privateKey });
    assert.throws(() => byNode.sign(request), /the vault is sealed/);
    await assert.rejects(byWeb.sign(request), /the vault is sealed/);
    isSealed = false;
    assert.equal(verify(byNode.sign(request)), true);
    assert.equal(verify(await byWeb.sign(request)), true);
  });

  test('gets the base that is signed, and gives the signature', async () => {
    const seen: string[] = [];
    const signNow = (base: Uint8Array): Uint8Array => {
      seen.push(Buffer.from(base).toString('latin1'));
      return signBytes('sha256', base, pair.privateKey);
    };
    const signLater = async (base: Uint8Array): Promise<Uint8Array> => signNow(base);
    const all = [
      node.createSigner({ keyid, privateKey: signNow }).sign(request),
      await (await web.createSigner({ keyid, privateKey: signNow })).sign(request),
      await (await web.createSigner({ keyid, privateKey: signLater })).sign(request),
    ];
    assert.deepEqual(
      seen,
      all.map(({ signatureBase }) => signatureBase),
    );
    for (const signed of all) assert.equal(verify(signed), true);
  });
});

describe('a private key that is taken', () => {
  const encryptedDer = pair.privateKey.export({
    type: 'pkcs8',
    format: 'der',
    cipher: 'aes-256-cbc',
    passphrase,
  });
  const texts: readonly (readonly [name: string, text: string, passphrase?: string])[] = [
    ['PKCS#8 as PEM', pkcs8Pem],
    ['PKCS#8 as PEM with CRLF and space around', `\r\n ${pkcs8Pem.replaceAll('\n', '\r\n')} `],
    ['PKCS#8 as bare Base64', base64(pkcs8Der)],
    ['PKCS#8 as bare Base64 in lines', base64(pkcs8Der).replaceAll(/.{64}/g, '$&\n')],
    ['PKCS#1 as PEM', pkcs1PrivatePem],
    ['PKCS#1 as bare Base64', base64(pkcs1PrivateDer)],
    ['encrypted PEM', encryptedPem(), passphrase],
    ['encrypted PEM, AES-128', encryptedPem('aes-128-cbc'), passphrase],
    ['encrypted PEM on one line', encryptedPem().replaceAll('\n', ' '), passphrase],
    ['encrypted PEM without any line break', encryptedPem().replaceAll('\n', ''), passphrase],
    ['encrypted PEM, indented, with CRLF', encryptedPem().replaceAll('\n', '\r\n  '), passphrase],
    ['encrypted bare Base64', base64(encryptedDer), passphrase],
    ['encrypted bare Base64 in lines', base64(encryptedDer).replaceAll(/.{64}/g, '$&\n'), passphrase],
    ['plain, with a passphrase that it does not need', pkcs8Pem, passphrase],
  ];
  const request = { method: 'POST', url: 'https://api.example.test/v1/payments', body: '{}' };
  for (const [name, privateKey, secret] of texts) {
    test(name, async () => {
      const options = { keyid, privateKey, ...(secret !== undefined && { passphrase: secret }) };
      assert.equal(verify(node.createSigner(options).sign(request)), true);
      assert.equal(verify(await (await web.createSigner(options)).sign(request)), true);
    });
  }

  test('KeyObject', () => {
    assert.equal(verify(node.createSigner({ keyid, privateKey: pair.privateKey }).sign(request)), true);
  });

  test('CryptoKey', async () => {
    const privateKey = (await importRsa(pkcs8Der, rsaSha256, ['sign'])) as CryptoKey & webcrypto.CryptoKey;
    assert.equal(verify(node.createSigner({ keyid, privateKey }).sign(request)), true);
    assert.equal(verify(await (await web.createSigner({ keyid, privateKey })).sign(request)), true);
  });

  test('CryptoKey that cannot be taken out', async () => {
    const privateKey = await crypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8Der), rsaSha256, false, [
      'sign',
    ]);
    assert.equal(verify(await (await web.createSigner({ keyid, privateKey })).sign(request)), true);
  });

  test('of 3072 and of 4096 bits', async () => {
    const { keys } = (await vectorFiles.json('vectors/profile/keys.json')) as {
      keys: Record<string, { publicKeyPem: string; privateKeyPem: string }>;
    };
    for (const name of ['rsa-3072-a', 'rsa-4096-a']) {
      const { publicKeyPem, privateKeyPem: privateKey } = keys[name]!;
      assert.equal(verify(node.createSigner({ keyid, privateKey }).sign(request), publicKeyPem), true);
    }
  });
});

const rsaSha256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

function importRsa(
  der: Uint8Array,
  algorithm: Parameters<typeof crypto.subtle.importKey>[2],
  usages: readonly KeyUsage[],
): Promise<CryptoKey> {
  return crypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, true, usages);
}

/** Reading a key takes longer than verifying with it. */
const verificationKeys = new Map<string, node.VerificationKey>();

/** Whether the signed request passes the whole profile. */
function verify(
  { method, url, body, headers, created }: node.SignedRequest,
  publicKey: string = spkiPem,
): boolean {
  const lines = Object.entries(headers);
  const key =
    verificationKeys.get(publicKey) ??
    node.createVerificationKey(publicKey, { allowPublishedTestKeys: true });
  verificationKeys.set(publicKey, key);
  const verification = node.verifyRequest(
    { method, targetUri: url, body, headers: lines },
    {
      clientByKeyid: (id) => (id === keyid ? { keys: [key] } : undefined),
      guard: new node.MemoryReplayGuard(),
      nowSeconds: () => created,
    },
  );
  return verification.ok;
}
