import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
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
import { p256, p384 } from '../../packages/signature/src/keys/index.ts';
import * as node from '../../packages/signature/src/node.ts';
import * as web from '../../packages/signature/src/index.ts';
import { backends } from '../../packages/testing/src/databases/backends.ts';
import { baseUrl } from '../../packages/testing/src/service/running-service.ts';
import { otherForm } from '../mutations/signature-bytes.ts';

const curves = [
  { name: 'P-256', curve: p256, hashName: 'sha256', algorithm: 'ecdsa-p256-sha256' },
  { name: 'P-384', curve: p384, hashName: 'sha384', algorithm: 'ecdsa-p384-sha384' },
] as const;

type Fields = Record<string, string>;

const withSignature = (headers: Fields, bytes: Uint8Array): Fields => ({
  ...headers,
  Signature: `sig=:${Buffer.from(bytes).toString('base64')}:`,
});
const bytesOf = ({ Signature = '' }: Fields): Buffer => Buffer.from(Signature.slice(5, -1), 'base64');

for (const { name, curve, hashName, algorithm } of curves) {
  const signed = (base: string, key: KeyObject): Buffer =>
    sign(hashName, Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' });

  describe(`ECDSA over ${name} in the closed profile`, () => {
    let scene: ManagementScene;
    let folder: string;
    let clientId: string;
    let key: Key;
    before(async () => {
      scene = await managementScene(backends[0]!);
      folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
      const made = await run(['keygen', '--algorithm', algorithm, '--json'], { folder });
      assert.equal(made.code, 0, made.errors);
      const publicKey = readFileSync(join(folder, 'public.pem'), 'utf8');
      const body = { name: 'Shop', networkWhitelist: anywhere, roles: ['payments-operator'], publicKey };
      const client = await scene.succeed<Client>(scene.administrator, 'addClient', { body });
      ({ clientId } = client);
      const path = { clientId, keyId: client.keys[0]!.keyId };
      key = await scene.succeed<Key>(scene.administrator, 'getKey', { path });
    });
    after(async () => {
      await scene.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const privateKey = (): KeyObject => createPrivateKey(readFileSync(join(folder, 'private.pem')));

    /** Signs as a client does, with the key in its file. */
    async function requestOf(
      method: 'GET' | 'POST',
    ): Promise<{ base: string; headers: Fields; url: string }> {
      const url = method === 'GET' ? '/v1/whoami' : '/v1/payments';
      const signer = createRequestSigner({
        clientId,
        privateKeyFile: join(folder, 'private.pem'),
        now: scene.nowMs,
      });
      const { headers, signatureBase } = await signer.sign(
        { method, url: baseUrl + url },
        { ownSecond: true },
      );
      return { base: signatureBase, headers: { ...headers }, url };
    }

    /** Sends a request and returns the code of its rejection, or its status. */
    async function outcomeOf(headers: Fields, method = 'GET', url = '/v1/whoami'): Promise<string> {
      const answer = await scene.running.send({ method, url, headers });
      return answer.status < 300 ? String(answer.status) : String(answer.json()['code']);
    }

    test('a key that the command line makes is registered and shown as what it is', () => {
      assert.equal(key.algorithm, algorithm);
      assert.equal(key.modulusBits, 8 * curve.bytes);
    });

    test('a request that the client signs with it is accepted', async () => {
      const { headers } = await requestOf('GET');
      assert.ok(headers['Signature-Input']!.endsWith(`;alg="${algorithm}"`));
      assert.equal(bytesOf(headers).length, 2 * curve.bytes);
      const answer = await scene.running.send({ method: 'GET', url: '/v1/whoami', headers });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json()['keyFingerprint'], key.fingerprint);
    });

    test('a change passes once, with whichever signature its text has', async () => {
      const { base, headers, url } = await requestOf('POST');
      const other = otherForm(bytesOf(headers), curve);
      assert.notDeepEqual(other, bytesOf(headers));
      // The first is used up although the sandbox then asks for a body.
      assert.notEqual(await outcomeOf(headers, 'POST', url), 'signature_replayed');
      for (const bytes of [bytesOf(headers), other, signed(base, privateKey())])
        assert.equal(await outcomeOf(withSignature(headers, bytes), 'POST', url), 'signature_replayed');
    });

    test('the second form is as good as the first, if it comes first', async () => {
      const { headers, url } = await requestOf('POST');
      const other = withSignature(headers, otherForm(bytesOf(headers), curve));
      assert.notEqual(await outcomeOf(other, 'POST', url), 'signature_replayed');
      assert.equal(await outcomeOf(headers, 'POST', url), 'signature_replayed');
    });

    test('the key verifies nothing that announces another algorithm, nor does another key for this one', async () => {
      const { base, headers } = await requestOf('GET');
      const others = ['rsa-v1_5-sha256', 'ed25519', ...curves.map((one) => one.algorithm)];
      for (const other of others.filter((one) => one !== algorithm)) {
        const announce = (text: string): string => text.replace(`alg="${algorithm}"`, `alg="${other}"`);
        const confused = { ...headers, 'Signature-Input': announce(headers['Signature-Input']!) };
        const bytes = signed(announce(base), privateKey());
        assert.equal(await outcomeOf(withSignature(confused, bytes)), 'signature_invalid', other);
      }
      const namedCurve = name === 'P-256' ? 'P-384' : 'P-256';
      const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const body = { publicKey: rsa.publicKey.export({ type: 'spki', format: 'pem' }) };
      await scene.succeed(scene.administrator, 'addKey', { path: { clientId }, body });
      const strange = generateKeyPairSync('ec', { namedCurve }).privateKey;
      for (const bytes of [sign('sha256', Buffer.from(base), rsa.privateKey), signed(base, strange)])
        assert.equal(await outcomeOf(withSignature(headers, bytes)), 'signature_invalid');
      assert.equal(await outcomeOf(headers), '200');
    });

    test('a private key in a body is found, in each form', async () => {
      const texts = [
        privateKey().export({ type: 'pkcs8', format: 'der' }).toString('base64'),
        privateKey().export({ type: 'sec1', format: 'der' }).toString('base64'),
        JSON.stringify(privateKey().export({ format: 'jwk' })),
      ];
      for (const text of texts) {
        const body = { name: text, networkWhitelist: anywhere };
        await scene.refused(scene.administrator, 'addClient', { body }, 'private_key_refused');
      }
    });
  });

  describe(`ECDSA over ${name} in the library`, () => {
    const pair = generateKeyPairSync('ec', { namedCurve: name });
    const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' });
    const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });

    test('a request passes once on both platforms, with whichever signature its text has', async () => {
      const request = { method: 'POST', url: 'https://api.example.com/v1/orders' };
      const { headers, signatureBase } = node.createSigner({ keyid: 'shop', privateKey }).sign(request);
      const forms = [
        bytesOf({ ...headers }),
        otherForm(bytesOf({ ...headers }), curve),
        signed(signatureBase, pair.privateKey),
      ].map((bytes) => withSignature({ ...headers }, bytes));
      const received = (fields: Fields): node.ReceivedRequest => ({
        method: 'POST',
        targetUri: request.url,
        headers: Object.entries(fields),
        body: undefined,
      });
      const onNode = { keys: [node.createVerificationKey(publicKey)] };
      const onWeb = { keys: [await web.createVerificationKey(publicKey)] };
      for (const first of forms) {
        const [nodeGuard, webGuard] = [new node.MemoryReplayGuard(), new web.MemoryReplayGuard()];
        const verdicts = async (fields: Fields): Promise<readonly string[]> => {
          const verified = [
            node.verifyRequest(received(fields), { clientByKeyid: () => onNode, guard: nodeGuard }),
            await web.verifyRequest(received(fields), { clientByKeyid: () => onWeb, guard: webGuard }),
          ];
          return verified.map((one) => (one.ok ? 'ok' : one.code));
        };
        assert.deepEqual(await verdicts(first), ['ok', 'ok']);
        for (const again of forms)
          assert.deepEqual(await verdicts(again), ['signature_replayed', 'signature_replayed']);
      }
    });
  });
}
