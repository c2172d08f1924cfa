import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import * as web from '../src/index.ts';
import * as node from '../src/node.ts';
import { algorithmNamed, algorithms } from '../src/rfc9421/algorithms.ts';
import { rsaOperationsIn } from './crypto-operations.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = publicKey.export({ type: 'spki', format: 'pem' });
const nodeKey = node.createVerificationKey(pem);
const webKey = await web.createVerificationKey(pem);
const base = '"@method": GET';
const signature = new Uint8Array(sign('sha256', Buffer.from(base), privateKey));
const signed: node.SignedBase = { keyid: 'shop', alg: 'rsa-v1_5-sha256', base, signature };

/** A key that is registered for an algorithm which this version does not have. */
function registeredForAnother<Key extends object>(key: Key): Key {
  return { ...key, algorithm: 'rsa-pss-sha512' };
}

describe('a key', () => {
  test('knows its algorithm, in whichever form it was read', async () => {
    const reading = node.readPublicKey(pem);
    assert.equal(reading.ok && reading.key.algorithm, 'rsa-v1_5-sha256');
    assert.equal(nodeKey.algorithm, 'rsa-v1_5-sha256');
    assert.equal(webKey.algorithm, 'rsa-v1_5-sha256');
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const privateReading = node.readPlainPrivateKey(pkcs8);
    assert.equal(privateReading.ok && privateReading.algorithm, 'rsa-v1_5-sha256');
  });

  test('verifies signatures of its own algorithm', async () => {
    assert.equal(node.findVerifyingKey([nodeKey], signed), 0);
    assert.equal(await web.findVerifyingKey([webKey], signed), 0);
  });

  test('verifies nothing for another algorithm, and costs as much', async () => {
    let found: number | undefined;
    const other = registeredForAnother(nodeKey);
    const operations = rsaOperationsIn(() => (found = node.findVerifyingKey([other], signed)));
    assert.deepEqual([found, operations.length], [-1, 2]);
    assert.equal(await web.findVerifyingKey([registeredForAnother(webKey)], signed), -1);
  });
});

describe('an announced algorithm', () => {
  for (const alg of ['rsa-pss-sha384', 'RSA-v1_5-sha256', '', 'constructor', '__proto__']) {
    test(`"${alg}" that is not implemented costs no operation`, async () => {
      let found: number | undefined;
      const request = { ...signed, alg };
      const operations = rsaOperationsIn(() => (found = node.findVerifyingKey([nodeKey], request)));
      assert.deepEqual([found, operations.length], [-1, 0]);
      assert.equal(await web.findVerifyingKey([webKey], request), -1);
    });
  }
});

describe('the table of algorithms', () => {
  test('has a kind of key for each, so that a key has one algorithm', () => {
    const kinds = Object.values(algorithms).map(({ keyKind }) => keyKind);
    assert.equal(new Set(kinds).size, kinds.length);
    for (const [name, algorithm] of Object.entries(algorithms)) {
      assert.equal(algorithm.name, name);
      assert.equal(algorithmNamed(name), algorithm);
    }
  });
});
