import assert from 'node:assert/strict';
import crypto, { createPublicKey, generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto';
import { describe, test } from 'node:test';
import * as web from '../src/index.ts';
import * as node from '../src/node.ts';
import { rsaOperationsIn } from './crypto-operations.ts';

/** One RSA operation: the size of its key, and the number that it was done to. */
interface Operation {
  readonly modulusBytes: number;
  readonly signature: Uint8Array;
  /** Undefined for a decoy of Web Crypto, which tells nobody. */
  readonly modulus: Uint8Array | undefined;
}

const alg = 'rsa-v1_5-sha256';
const base = '"@method": GET';
const signed = (signature: Uint8Array): node.SignedBase => ({
  keyid: 'shop',
  alg,
  base,
  signature: new Uint8Array(signature),
});

/** Runs some work and returns its operations on node:crypto. */
function operationsOnNode(work: () => unknown): readonly Operation[] {
  return rsaOperationsIn(work).map((one) => ({ ...one, modulusBytes: one.modulus.length }));
}

/** The same of Web Crypto. */
async function operationsOnWeb(
  work: () => Promise<unknown>,
  moduli: ReadonlyMap<unknown, Uint8Array> = new Map(),
): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  const { subtle } = globalThis.crypto;
  const verify = subtle.verify.bind(subtle);
  subtle.verify = (algorithm, key, signature, data) => {
    const { modulusLength } = key.algorithm as webcrypto.RsaHashedKeyAlgorithm;
    const presented = new Uint8Array(signature as Uint8Array);
    operations.push({ modulusBytes: modulusLength / 8, modulus: moduli.get(key), signature: presented });
    return verify(algorithm, key, signature, data);
  };
  try {
    await work();
  } finally {
    Reflect.deleteProperty(subtle, 'verify');
  }
  return operations;
}

function modulusOf(key: KeyObject): Uint8Array {
  return Buffer.from(key.export({ format: 'jwk' }).n!, 'base64url');
}

const pems = [2048, 2048, 3072].map((modulusLength) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ type: 'spki', format: 'pem' }),
);
const [modulus] = pems.map((pem) => modulusOf(createPublicKey(pem)));

/** A number that differs from the first key's modulus in its last byte. */
function near(difference: number): Uint8Array {
  const number = new Uint8Array(modulus!);
  number[number.length - 1]! += difference;
  return number;
}

const signatures: Readonly<Record<string, Uint8Array>> = {
  zero: new Uint8Array(256),
  'random, below every modulus': crypto.randomBytes(256).fill(0x7f, 0, 1),
  'the modulus less one': near(-1),
  'the modulus': near(0),
  'above the modulus': near(1),
  'the greatest number': new Uint8Array(256).fill(0xff),
  'as long as one key': crypto.randomBytes(384),
  'as long as no key': crypto.randomBytes(257),
  'as long as the largest key that may be': new Uint8Array(1024).fill(0xff),
};

const clients: Readonly<Record<string, readonly number[]>> = {
  unknown: [],
  'with one key': [0],
  'in a rollover': [0, 1],
  'in a rollover to a larger key': [0, 2],
};

describe('a signature that no key verifies costs two operations of its size, with numbers below the modulus', async () => {
  const nodeKeys = pems.map((pem) => node.createVerificationKey(pem));
  const webKeys = await Promise.all(pems.map((pem) => web.createVerificationKey(pem)));
  const moduli = new Map(
    webKeys.map(({ cryptoKey }, index) => [cryptoKey, modulusOf(createPublicKey(pems[index]!))]),
  );
  for (const [kind, signature] of Object.entries(signatures)) {
    for (const [client, indices] of Object.entries(clients)) {
      test(`${kind}, of a client ${client}`, async () => {
        // The first signature of a size makes its decoy.
        node.findVerifyingKey([], signed(signature));
        await web.findVerifyingKey([], signed(signature));
        let found: number | undefined;
        const keys = indices.map((index) => nodeKeys[index]!);
        const onNode = operationsOnNode(() => (found = node.findVerifyingKey(keys, signed(signature))));
        assertTwo(onNode, signature);
        assert.equal(found, -1);
        const cryptoKeys = indices.map((index) => webKeys[index]!);
        const onWeb = await operationsOnWeb(async () => {
          found = await web.findVerifyingKey(cryptoKeys, signed(signature));
        }, moduli);
        assertTwo(onWeb, signature);
        assert.equal(found, -1);
      });
    }
  }
});

function assertTwo(operations: readonly Operation[], presented: Uint8Array): void {
  assert.equal(operations.length, 2);
  for (const { modulusBytes, modulus: done, signature } of operations) {
    assert.equal(modulusBytes, presented.length);
    if (done) assert.ok(Buffer.compare(signature, done) < 0, 'OpenSSL would skip the operation');
  }
}

test('a signature of a size that cannot be registered costs no operation', async () => {
  const keys = [node.createVerificationKey(pems[0]!)];
  const webKeys = [await web.createVerificationKey(pems[0]!)];
  for (const size of [0, 1, 255, 1025, 3000]) {
    const signature = new Uint8Array(size);
    assert.equal(operationsOnNode(() => node.findVerifyingKey(keys, signed(signature))).length, 0);
    assert.equal((await operationsOnWeb(() => web.findVerifyingKey(webKeys, signed(signature)))).length, 0);
  }
  const larger = new Uint8Array(384);
  assert.equal(operationsOnNode(() => node.findVerifyingKey(keys, signed(larger), 256)).length, 0);
});

test('a signature that verifies costs one operation, or two with the second key', async () => {
  const pairs = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const keys = pairs.map(({ publicKey }) =>
    node.createVerificationKey(publicKey.export({ type: 'spki', format: 'pem' })),
  );
  for (const [index, { privateKey }] of pairs.entries()) {
    const signature = crypto.sign('sha256', Buffer.from(base), privateKey);
    let found: number | undefined;
    const operations = operationsOnNode(() => (found = node.findVerifyingKey(keys, signed(signature))));
    assert.deepEqual([found, operations.length], [index, index + 1]);
  }
});

test('a key does its first operation when it is made', async () => {
  assert.equal(operationsOnNode(() => node.createVerificationKey(pems[0]!)).length, 1);
  assert.equal((await operationsOnWeb(() => web.createVerificationKey(pems[0]!))).length, 1);
});

test('a decoy verifies nothing, even a signature that its own client made', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = node.createVerificationKey(publicKey.export({ type: 'spki', format: 'pem' }));
  const signature = new Uint8Array(crypto.sign('sha256', Buffer.from(base), privateKey));
  assert.equal(node.findVerifyingKey([key], { keyid: 'shop', alg, base, signature }), 0);
  let used = 0;
  const own = modulusOf(key.keyObject);
  // The end of a name, as a number to the base of 31, chooses two of at most 4,096 decoys. Other tests of this process may
  // have made thousands, so all numbers are gone through.
  for (let index = 0; index < 4096 && used < 20; index++) {
    const end = [index / 961, (index / 31) % 31, index % 31].map((digit) => String.fromCharCode(64 + digit));
    const stranger = { keyid: `stranger_${end.join('')}`, alg, base, signature };
    let found: number | undefined;
    const operations = operationsOnNode(() => (found = node.findVerifyingKey([], stranger)));
    assert.equal(found, -1);
    used += operations.filter((one) => Buffer.compare(one.modulus!, own) === 0).length;
  }
  assert.ok(used > 0, 'the key was never a decoy');
});
