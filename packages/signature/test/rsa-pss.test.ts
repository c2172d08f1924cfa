import assert from 'node:assert/strict';
import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  generatePrimeSync,
  hash,
  type KeyObject,
  privateEncrypt,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { describe, test } from 'node:test';
import { findVerifyingKey, verificationKey, type VerificationKey } from '../src/node.ts';
import { type KeyAlgorithm, keyAlgorithms } from '../src/rfc9421/index.ts';
import { rsaOperationsIn } from './crypto-operations.ts';
import { bytesOf, groupsOf, missing } from './messages/wycheproof.ts';

/*
 * Signatures by RSASSA-PSS, as the decision of a service verifies them. node:crypto's own verification is what they are
 * compared with.
 */

const base = '"@method": GET';

function keyFor(publicKey: KeyObject, algorithm: KeyAlgorithm): VerificationKey {
  const spkiDer = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
  return verificationKey({ spkiDer, algorithm });
}

function isFound(key: VerificationKey, signature: Uint8Array, alg: string = key.algorithm): boolean {
  const signed = { keyid: 'shop', alg, base, signature: new Uint8Array(signature) };
  return findVerifyingKey([key], signed) === 0;
}

function signPss(privateKey: KeyObject, algorithm: 'rsa-pss-sha512' | 'PS256', saltLength?: number): Buffer {
  const { saltBytes, webCrypto } = keyAlgorithms[algorithm];
  return sign(webCrypto.hash.replace('-', ''), Buffer.from(base), {
    key: privateKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: saltLength ?? saltBytes!,
  });
}

function verifiesOnOpenSsl(publicKey: KeyObject, algorithm: KeyAlgorithm, signature: Uint8Array): boolean {
  const { saltBytes, webCrypto } = keyAlgorithms[algorithm];
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const key = { key: publicKey, padding, saltLength: saltBytes! };
  return verify(webCrypto.hash.replace('-', ''), Buffer.from(base), key, signature);
}

const pssAlgorithms = ['rsa-pss-sha512', 'PS256'] as const;
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A pair whose modulus has exactly these bits. OpenSSL makes only even numbers of them. */
function pairOf(bits: number): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  if (bits % 2 === 0) return generateKeyPairSync('rsa', { modulusLength: bits });
  for (;;) {
    const p = generatePrimeSync((bits + 1) / 2, { bigint: true });
    const q = generatePrimeSync((bits - 1) / 2, { bigint: true });
    const order = (p - 1n) * (q - 1n);
    if ((p * q).toString(2).length !== bits || order % 65_537n === 0n) continue;
    const d = inverse(65_537n, order);
    const numbers = { n: p * q, e: 65_537n, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
    const members = Object.entries(numbers).map(([name, number]) => [name, base64Url(number)]);
    const key = { kty: 'RSA', ...(Object.fromEntries(members) as Record<string, string>) };
    const privateKey = createPrivateKey({ key, format: 'jwk' });
    return { privateKey, publicKey: createPublicKey(privateKey) };
  }
}

/** Euclid's algorithm. */
function inverse(number: bigint, modulus: bigint): bigint {
  let [rest, last, sum, before] = [number, modulus, 1n, 0n];
  while (rest !== 0n) {
    const quotient = last / rest;
    [last, rest] = [rest, last - quotient * rest];
    [before, sum] = [sum, before - quotient * sum];
  }
  return ((before % modulus) + modulus) % modulus;
}

function base64Url(number: bigint): string {
  const digits = number.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex').toString('base64url');
}

/** MGF1 (RFC 8017 appendix B.2.1). */
function maskOf(hashName: string, seed: Uint8Array, length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let index = 0; index * seed.length < length; index++)
    blocks.push(hash(hashName, Buffer.concat([seed, Buffer.from([0, 0, 0, index])]), 'buffer'));
  return Buffer.concat(blocks).subarray(0, length);
}

/** An encoded message (RFC 8017 section 9.1.1), with a change to its parts before they are hidden. */
function encoded(
  bits: number,
  algorithm: KeyAlgorithm,
  change: (block: Buffer) => void,
  changeAll: (message: Buffer) => void,
): Buffer {
  const { saltBytes = 0, webCrypto } = keyAlgorithms[algorithm];
  const hashName = webCrypto.hash.replace('-', '');
  const length = Math.ceil((bits - 1) / 8);
  const salt = randomBytes(saltBytes);
  const digest = hash(hashName, Buffer.from(base), 'buffer');
  const hashed = hash(hashName, Buffer.concat([Buffer.alloc(8), digest, salt]), 'buffer');
  const block = Buffer.alloc(length - saltBytes - 1);
  block[block.length - saltBytes - 1] = 1;
  salt.copy(block, block.length - saltBytes);
  change(block);
  const mask = maskOf(hashName, hashed, block.length);
  for (const [index, byte] of mask.entries()) block[index]! ^= byte;
  block[0]! &= 0xff >> (8 * length - bits + 1);
  const message = Buffer.concat([block, hashed, Buffer.of(0xbc)]);
  changeAll(message);
  return Buffer.concat([Buffer.alloc(Math.ceil(bits / 8) - length), message]);
}

describe('every size of modulus that can be registered', () => {
  for (const bits of [2048, 2049, 2050, 2052, 2054, 2056, 3072])
    test(`${bits} bits: what OpenSSL accepts is accepted, and nothing else`, () => {
      const { publicKey, privateKey } = pairOf(bits);
      for (const algorithm of pssAlgorithms) {
        const key = keyFor(publicKey, algorithm);
        assert.ok(isFound(key, signPss(privateKey, algorithm)));
        const { saltBytes = 0 } = keyAlgorithms[algorithm];
        const nothing = (): void => undefined;
        const changes: readonly (readonly [name: string, Buffer])[] = [
          ['unchanged', encoded(bits, algorithm, nothing, nothing)],
          [
            'no separator',
            encoded(bits, algorithm, (block) => (block[block.length - saltBytes - 1] = 0), nothing),
          ],
          [
            'another separator',
            encoded(bits, algorithm, (block) => (block[block.length - saltBytes - 1] = 3), nothing),
          ],
          ['bytes before the separator', encoded(bits, algorithm, (block) => (block[3] = 1), nothing)],
          [
            'an earlier separator',
            encoded(bits, algorithm, (block) => (block[block.length - saltBytes - 2] = 1), nothing),
          ],
          ['another salt', encoded(bits, algorithm, (block) => (block[block.length - 1]! ^= 1), nothing)],
          [
            'another trailer',
            encoded(bits, algorithm, nothing, (message) => (message[message.length - 1] = 0xcc)),
          ],
          [
            'another hash',
            encoded(bits, algorithm, nothing, (message) => (message[message.length - 2]! ^= 1)),
          ],
        ];
        for (const [name, message] of changes) {
          const signature = privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, message);
          assert.equal(isFound(key, signature), name === 'unchanged', `${algorithm}, ${name}`);
          assert.equal(verifiesOnOpenSsl(publicKey, algorithm, signature), name === 'unchanged', name);
        }
        for (let index = 0; index < 50; index++) {
          const signature = signPss(privateKey, algorithm);
          signature[Math.floor(Math.random() * signature.length)]! ^= 1 << Math.floor(Math.random() * 8);
          assert.equal(isFound(key, signature), verifiesOnOpenSsl(publicKey, algorithm, signature));
        }
      }
    });
});

test('a number of the encoded message beyond the bits that it has is rejected', () => {
  // With a modulus of 2,049 bits, a whole byte is not used; with 2,048 bits, one bit is not.
  for (const bits of [2048, 2049, 2052]) {
    const { publicKey, privateKey } = pairOf(bits);
    const key = keyFor(publicKey, 'PS256');
    let tried = 0;
    for (let index = 0; index < 40; index++) {
      const message = encoded(
        bits,
        'PS256',
        () => undefined,
        () => undefined,
      );
      message[0]! |= bits === 2049 ? 1 : 0x80 >> (8 * message.length - bits);
      try {
        const signature = privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, message);
        tried += 1;
        assert.ok(!isFound(key, signature));
        assert.ok(!verifiesOnOpenSsl(publicKey, 'PS256', signature));
      } catch (error) {
        // Not below the modulus.
        assert.match(String(error), /too large|data greater/i);
      }
    }
    assert.ok(tried > 0 || bits === 2049, `${bits} bits`);
  }
});

test('only a salt as long as the hash is accepted', () => {
  for (const algorithm of pssAlgorithms) {
    const key = keyFor(pair.publicKey, algorithm);
    const { saltBytes = 0 } = keyAlgorithms[algorithm];
    for (const length of [0, 1, 20, 32, 64, saltBytes - 1, saltBytes + 1])
      assert.equal(
        isFound(key, signPss(pair.privateKey, algorithm, length)),
        length === saltBytes,
        String(length),
      );
  }
});

test("Wycheproof's signatures by RSASSA-PSS", { skip: missing('rsa_pss_4096_sha512_mgf1_64_test') }, () => {
  const tally = { valid: 0, invalid: 0, acceptable: 0 };
  for (const { publicKeyPem, tests } of groupsOf('rsa_pss_4096_sha512_mgf1_64_test')) {
    const key = keyFor(createPublicKey(publicKeyPem!), 'rsa-pss-sha512');
    for (const { tcId, msg, sig, result } of tests) {
      const text = Buffer.from(bytesOf(msg)).toString('latin1');
      const signed = { keyid: 'shop', alg: 'rsa-pss-sha512', base: text, signature: bytesOf(sig!) };
      assert.equal(findVerifyingKey([key], signed) === 0, result === 'valid', `test ${tcId}`);
      tally[result] += 1;
    }
  }
  assert.deepEqual(tally, { valid: 132, invalid: 47, acceptable: 0 });
});

describe('an algorithm is never taken for another', () => {
  const algorithms = ['rsa-v1_5-sha256', ...pssAlgorithms] as const;
  const signatureBy = (algorithm: (typeof algorithms)[number]): Buffer =>
    algorithm === 'rsa-v1_5-sha256'
      ? sign('sha256', Buffer.from(base), pair.privateKey)
      : signPss(pair.privateKey, algorithm);
  for (const own of algorithms)
    for (const signed of algorithms)
      for (const announced of algorithms)
        test(`a key for ${own}, a signature by ${signed}, announced as ${announced}`, () => {
          const isAccepted = isFound(keyFor(pair.publicKey, own), signatureBy(signed), announced);
          assert.equal(isAccepted, own === signed && own === announced);
        });
});

test('a signature that no key verifies costs two operations, whichever algorithm of RSA its keys are for', () => {
  const keys = [...pssAlgorithms, 'rsa-v1_5-sha256' as const].map((one) => keyFor(pair.publicKey, one));
  const signatures = [new Uint8Array(256), new Uint8Array(256).fill(0xff), new Uint8Array(randomBytes(256))];
  for (const alg of pssAlgorithms)
    for (const signature of signatures)
      for (const own of [[], keys.slice(0, 1), keys.slice(1, 2), keys.slice(0, 2), keys.slice(2)]) {
        const operations = rsaOperationsIn(() =>
          assert.equal(findVerifyingKey(own, { keyid: 'shop', alg, base, signature }), -1),
        );
        assert.equal(operations.length, 2);
        for (const { modulus, signature: presented } of operations)
          assert.ok(Buffer.compare(presented, modulus) < 0, 'OpenSSL would skip the operation');
      }
});

test('a key is not made ready for an algorithm of another kind', () => {
  const spkiDer = new Uint8Array(pair.publicKey.export({ type: 'spki', format: 'der' }));
  assert.throws(() => verificationKey({ spkiDer, algorithm: 'ed25519' }), TypeError);
  const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' });
  assert.throws(() => verificationKey({ spkiDer: new Uint8Array(other), algorithm: 'PS256' }), TypeError);
});
