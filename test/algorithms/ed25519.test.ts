import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { run } from '../../packages/cli/test/run.ts';
import { createRequestSigner } from '../../packages/client/src/node.ts';
import type { Client, Key } from '../../packages/contract/src/index.ts';
import {
  anywhere,
  managementScene,
  type ManagementScene,
} from '../../packages/server/test/management/scene.ts';
import { decodePoint, subtract, unsignedFrom } from '../../packages/signature/src/keys/index.ts';
import * as web from '../../packages/signature/src/index.ts';
import * as node from '../../packages/signature/src/node.ts';
import { backends } from '../../packages/testing/src/databases/backends.ts';
import { baseUrl } from '../../packages/testing/src/service/running-service.ts';

/** The group's order (RFC 8032 section 5.1). */
const order = 2n ** 252n + 27742317777372353535851937790883648493n;

describe('Ed25519 in the closed profile', () => {
  let scene: ManagementScene;
  let folder: string;
  let clientId: string;
  let key: Key;
  before(async () => {
    scene = await managementScene(backends[0]!);
    folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
    const made = await run(['keygen', '--algorithm', 'ed25519', '--json'], { folder });
    assert.equal(made.code, 0, made.errors);
    const publicKey = readFileSync(join(folder, 'public.pem'), 'utf8');
    const body = { name: 'Shop', networkWhitelist: anywhere, publicKey };
    const client = await scene.succeed<Client>(scene.administrator, 'addClient', { body });
    ({ clientId } = client);
    const path = { clientId, keyId: client.keys[0]!.keyId };
    key = await scene.succeed<Key>(scene.administrator, 'getKey', { path });
  });
  after(async () => {
    await scene.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const url = '/v1/whoami';
  const privateKey = (): ReturnType<typeof createPrivateKey> =>
    createPrivateKey(readFileSync(join(folder, 'private.pem')));

  interface Sent {
    readonly base: string;
    readonly headers: Record<string, string>;
  }

  /** Signs as a client does, with the key in its file. */
  async function signed(): Promise<Sent> {
    const signer = createRequestSigner({
      clientId,
      privateKeyFile: join(folder, 'private.pem'),
      now: scene.nowMs,
    });
    const { headers, signatureBase } = await signer.sign(
      { method: 'GET', url: baseUrl + url },
      { ownSecond: true },
    );
    return { base: signatureBase, headers: { ...headers } };
  }

  /** Sends a request and returns the code of its rejection, or its status. */
  async function outcomeOf(headers: Record<string, string>): Promise<string> {
    const answer = await scene.running.send({ method: 'GET', url, headers });
    return answer.status === 200 ? '200' : String(answer.json()['code']);
  }

  const withSignature = (headers: Record<string, string>, bytes: Uint8Array): Record<string, string> => ({
    ...headers,
    Signature: `sig=:${Buffer.from(bytes).toString('base64')}:`,
  });
  const bytesOf = ({ Signature = '' }: Record<string, string>): Buffer =>
    Buffer.from(Signature.slice(5, -1), 'base64');

  test('a key that the command line makes is registered and shown as what it is', () => {
    assert.equal(key.algorithm, 'ed25519');
    assert.equal(key.modulusBits, 256);
    assert.match(key.fingerprint, /^SHA256:/);
  });

  test('a request that the client signs with it is accepted', async () => {
    const { headers } = await signed();
    assert.match(headers['Signature-Input']!, /;alg="ed25519"$/);
    assert.equal(bytesOf(headers).length, 64);
    const answer = await scene.running.send({ method: 'GET', url, headers });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json()['keyFingerprint'], key.fingerprint);
  });

  test('a signature that somebody else has changed is rejected', async () => {
    const { headers } = await signed();
    const bytes = bytesOf(headers);
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`) + order;
    const more = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').toReversed();
    const changed = Buffer.concat([bytes.subarray(0, 32), more]);
    assert.equal(await outcomeOf(withSignature(headers, changed)), 'signature_invalid');
    assert.equal(await outcomeOf(headers), '200');
  });

  test('the key verifies nothing that announces another algorithm, nor does another key for this one', async () => {
    const announce = (text: string): string => text.replace('alg="ed25519"', 'alg="rsa-v1_5-sha256"');
    const { base, headers } = await signed();
    const confused = { ...headers, 'Signature-Input': announce(headers['Signature-Input']!) };
    const bytes = sign(undefined, Buffer.from(announce(base)), privateKey());
    assert.equal(await outcomeOf(withSignature(confused, bytes)), 'signature_invalid');
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const path = { clientId };
    const body = { publicKey: rsa.publicKey.export({ type: 'spki', format: 'pem' }) };
    await scene.succeed(scene.administrator, 'addKey', { path, body });
    const other = await signed();
    const byRsa = sign('sha256', Buffer.from(other.base), rsa.privateKey);
    assert.equal(await outcomeOf(withSignature(other.headers, byRsa)), 'signature_invalid');
    assert.equal(await outcomeOf(other.headers), '200');
  });

  test('a private key in a body is found, in its shortest form', async () => {
    const pkcs8 = privateKey().export({ type: 'pkcs8', format: 'der' }).toString('base64');
    const body = { name: pkcs8, networkWhitelist: anywhere };
    await scene.refused(scene.administrator, 'addClient', { body }, 'private_key_refused');
    const { d } = privateKey().export({ format: 'jwk' });
    const ofJwk = { name: `"d":"${d}"`, networkWhitelist: anywhere };
    await scene.refused(scene.administrator, 'addClient', { body: ofJwk }, 'private_key_refused');
  });
});

describe('Ed25519 in the library', () => {
  const pair = generateKeyPairSync('ed25519');
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' });
  const pem = pair.publicKey.export({ type: 'spki', format: 'pem' });
  const encoded = (bytes: Uint8Array): string =>
    Buffer.concat([spki.subarray(0, 12), bytes]).toString('base64');
  const point = (y: bigint): Uint8Array => Buffer.from(y.toString(16).padStart(64, '0'), 'hex').toReversed();
  const p = 2n ** 255n - 19n;

  test('each form of a public key is read as the same key', () => {
    const jwk = JSON.stringify(pair.publicKey.export({ format: 'jwk' }));
    const raw = spki.subarray(12);
    const blob = Buffer.concat([
      Buffer.from([0, 0, 0, 11]),
      Buffer.from('ssh-ed25519'),
      Buffer.from([0, 0, 0, 32]),
      raw,
    ]);
    for (const text of [
      pem,
      spki.toString('base64'),
      jwk,
      `ssh-ed25519 ${blob.toString('base64')} me@here`,
    ]) {
      const reading = node.readPublicKey(text);
      assert.ok(reading.ok, text);
      assert.equal(reading.key.spkiPem, pem);
      assert.equal(node.describeKey(reading.key), 'Ed25519, 256 bits');
    }
  });

  const weak: Readonly<Record<string, bigint>> = {
    'of order 1': 1n,
    'of order 2': p - 1n,
    'of order 4': 0n,
    'of order 4, with a sign': 2n ** 255n,
    'of order 4, not canonical': p,
    'of order 8': 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
    'that is not on the curve': 2n,
    'that is not canonical': p + 3n,
  };
  for (const [what, y] of Object.entries(weak)) {
    test(`a point ${what} is not a key`, () => {
      const reading = node.readPublicKey(encoded(point(y)));
      assert.equal(reading.ok ? 'ok' : reading.code, 'key_malformed');
    });
  }

  test('a point of mixed order is not a key, although its private key can sign for it', () => {
    const unsigned = (bytes: Uint8Array): bigint => unsignedFrom(bytes.toReversed());
    const torsion = decodePoint(0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n)!;
    const { x, y, z } = subtract(decodePoint(unsigned(spki.subarray(12)))!, torsion);
    const inverse = (number: bigint): bigint => {
      let [result, base] = [1n, number];
      for (let exponent = p - 2n; exponent > 0n; exponent >>= 1n) {
        if ((exponent & 1n) === 1n) result = (result * base) % p;
        base = (base * base) % p;
      }
      return result;
    };
    const oneOverZ = inverse(z);
    const mixed = ((y * oneOverZ) % p) | ((((x * oneOverZ) % p) & 1n) << 255n);
    const reading = node.readPublicKey(encoded(point(mixed)));
    assert.equal(reading.ok ? 'ok' : reading.code, 'key_malformed');
  });

  test('a weak key that a registry holds verifies nothing', async () => {
    const { spkiDer, algorithm } = {
      spkiDer: Buffer.from(encoded(point(1n)), 'base64'),
      algorithm: 'ed25519',
    } as const;
    assert.throws(() => node.verificationKey({ spkiDer, algorithm }), /Anyone can sign/);
    await assert.rejects(web.verificationKey({ spkiDer, algorithm }), /Anyone can sign/);
  });

  test('the test key of RFC 9421 is not a key, unless allowed', () => {
    const bytes = Buffer.from('26b40b8f93fff3d897112f7ebc582b232dbd72517d082fe83cfb30ddce43d1bb', 'hex');
    const reading = node.readPublicKey(encoded(bytes));
    assert.equal(reading.ok ? 'ok' : reading.code, 'published_test_key');
    assert.ok(node.readPublicKey(encoded(bytes), { allowPublishedTestKeys: true }).ok);
  });

  test('both platforms sign alike, and verify what node:crypto does', async () => {
    const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const time = { created: 1_790_000_000 };
    const request = { method: 'GET', url: 'https://api.example.com/v1/orders' };
    const onNode = node.createSigner({ keyid: 'shop', privateKey }).sign(request, time);
    const onWeb = await (await web.createSigner({ keyid: 'shop', privateKey })).sign(request, time);
    assert.deepEqual(onNode, onWeb);
    const signature = new Uint8Array(Buffer.from(onNode.headers.Signature.slice(5, -1), 'base64'));
    assert.ok(verify(undefined, Buffer.from(onNode.signatureBase), pair.publicKey, signature));
    const signedBase = { keyid: 'shop', alg: 'ed25519', base: onNode.signatureBase, signature };
    const nodeKey = node.createVerificationKey(pem);
    const webKey = await web.createVerificationKey(pem);
    assert.equal(node.findVerifyingKey([nodeKey], signedBase), 0);
    assert.equal(await web.findVerifyingKey([webKey], signedBase), 0);
    assert.equal(node.findVerifyingKey([], signedBase), -1);
    signature[63]! ^= 0x10;
    assert.equal(node.findVerifyingKey([nodeKey], signedBase), -1);
    assert.equal(await web.findVerifyingKey([webKey], signedBase), -1);
  });
});
