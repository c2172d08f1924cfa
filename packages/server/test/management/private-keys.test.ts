import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { KeyInspection, OperationId } from '@countersign/contract';
import { readPublicKey } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { countCalls } from '@countersign/testing/counted-work';
import { publishedKeyPair } from '@countersign/testing/running-service';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { testKey } from '@countersign/testing/test-keys';
import { createLogger } from '../../src/telemetry/logger.ts';
import { anywhere, managementScene, type ManagementScene } from './scene.ts';

const { privateKey: pkcs8 } = testKey(90);
const { publicKey } = testKey(91);
const keyObject = createPrivateKey(pkcs8);
const jwk = keyObject.export({ format: 'jwk' });
/** A private key in the wrappings in which people have them. */
const wrappings: Readonly<Record<string, string>> = {
  'PKCS#8 in PEM': pkcs8,
  'PKCS#1 in PEM': keyObject.export({ type: 'pkcs1', format: 'pem' }),
  'bare Base64': keyObject.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  'encrypted PEM': keyObject.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  }),
  'a JWK as text': JSON.stringify(keyObject.export({ format: 'jwk' })),
  'the lower half of PEM, with dashes of a word processor': pkcs8
    .slice(pkcs8.length / 2)
    .replaceAll('-----', '—'),
  'PEM of old, with dashes as HTML has them': keyObject
    .export({ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .replaceAll('-', '&#45;'),
  'a JWK as text, with a line break in d': JSON.stringify({ kty: 'RSA', n: jwk.n, d: `\n${jwk.d}` }),
  'a private key after a public one': `${publicKey}\n${pkcs8}`,
};
/** Pieces of the secret numbers: none of them may turn up anywhere. */
const secrets = [
  ...[jwk.d, jwk.p, jwk.q].map((number) => String(number).slice(20, 60)),
  ...pkcs8.split('\n').slice(12, 20),
];

for (const backend of backends) {
  describe(`a private key in a body, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let logFile = '';
    let remove = (): void => undefined;
    let clientId = '';
    before(async () => {
      const folder = temporaryFolder({ after: (done) => void (remove = done as () => undefined) });
      logFile = join(folder, 'log.jsonl');
      scene = await managementScene(backend, { logger: createLogger('debug', logFile) });
      ({ clientId } = scene.administrator);
    });
    after(async () => {
      await scene.close();
      remove();
    });

    const bodies = (secret: unknown): readonly (readonly [OperationId, object])[] => [
      ['addClient', { name: 'Shop', networkWhitelist: anywhere, publicKey: secret }],
      ['addClient', { name: secret, networkWhitelist: anywhere }],
      ['addClient', { name: 'Shop', networkWhitelist: [{ entry: '0.0.0.0', label: secret }] }],
      ['addClient', { name: 'Shop', networkWhitelist: anywhere, roles: [secret] }],
      ['addClient', { name: 'Shop', networkWhitelist: anywhere, privateKey: secret }],
      ['updateClient', { name: secret }],
      ['addKey', { publicKey: secret }],
      ['addKey', { publicKey, note: { deep: [secret] } }],
      ['addNetworkEntry', { entry: secret }],
      ['replaceNetworkWhitelist', { entries: [{ entry: secret }] }],
      ['addRole', { name: 'a', summary: secret, permissions: ['payments:read'] }],
    ];
    const options = (body: object) => ({ path: { clientId }, headers: { 'If-Match': '*' }, body });

    for (const [name, secret] of Object.entries(wrappings)) {
      test(`as ${name} is refused in any member`, async () => {
        for (const [id, body] of bodies(secret)) {
          const { answer } = await scene.refused(
            scene.administrator,
            id,
            withPath(id, options(body)),
            'private_key_refused',
          );
          assertNoSecret(answer.text);
        }
      });
    }

    test('as an object, or as the name of a member, is refused too', async () => {
      for (const body of [{ publicKey: jwk }, { [pkcs8]: 1 }, { name: 'x', [pkcs8]: { a: 1 } }]) {
        const { answer } = await scene.refused(
          scene.administrator,
          'addKey',
          options(body),
          'private_key_refused',
        );
        assertNoSecret(answer.text);
      }
    });

    test('as a JWK is refused wherever in it its private numbers stand', async () => {
      const { kty, n, e, ...numbers } = jwk;
      const jwks = [
        { kty, n, e, private: numbers },
        { kty, n, e, oth: [{ r: n, d: jwk.d }] },
        { keys: [jwk] },
      ];
      for (const one of jwks) {
        const refused = scene.refused(
          scene.administrator,
          'addKey',
          options({ publicKey: one }),
          'private_key_refused',
        );
        assertNoSecret((await refused).answer.text);
      }
    });

    test('is refused behind any number of other long texts', async () => {
      const label = 'The offices of the billing team, which calls from all of them. '.repeat(3);
      const clients: object[] = Array.from({ length: 40 }, (_, index) => ({
        name: `Shop ${index}`,
        networkWhitelist: [{ entry: '0.0.0.0', label }],
        publicKey,
      }));
      clients.push({ name: 'Last', networkWhitelist: anywhere, metadata: { note: pkcs8 } });
      const refused = scene.refused(
        scene.administrator,
        'importClients',
        { body: { clients } },
        'private_key_refused',
      );
      assertNoSecret((await refused).answer.text);
    });

    test('is looked for once in each long text, in turns, without examining public keys', async () => {
      const { publicKey: large } = publishedKeyPair('rsa-4096-a');
      const body = { entries: Array.from({ length: 200 }, () => ({ entry: large })) };
      const refuse = (): Promise<unknown> =>
        scene.refused(scene.administrator, 'replaceNetworkWhitelist', options(body), 'body_invalid');
      const texts = await countCalls('keys/private-key-signs.ts', ['holdsPrivateKey'], refuse);
      assert.equal(texts.holdsPrivateKey, 200);
      const turns = await countCalls('gate/src/http/loop-turns.ts', ['nextLoopTurn'], refuse);
      assert.ok(turns.nextLoopTurn >= Math.floor((200 * large.length) / 8192), `${turns.nextLoopTurn} turns`);
      // The steps of one examination, by itself and beside the request, which adds none.
      const examine = (): void => assert.ok(readPublicKey(large, { allowPublishedTestKeys: true }).ok);
      const [alone, beside] = [
        await countCalls('keys/rsa/weak-modulus.ts', ['findModulusWeakness'], examine),
        await countCalls('keys/rsa/weak-modulus.ts', ['findModulusWeakness'], async () => {
          examine();
          await refuse();
        }),
      ];
      assert.ok(alone.findModulusWeakness > 0);
      assert.deepEqual(beside, alone);
    });

    test('is looked for in JWKs within JWKs once', async () => {
      const filling = 'a'.repeat(1000);
      let nested: object = { kty: 'RSA', n: filling };
      // Lists have half of the levels.
      for (let level = 1; level < 5; level++) nested = { kty: 'RSA', n: filling, inner: nested };
      for (let level = 5; level < 9; level++) nested = { kty: 'RSA', n: filling, inner: [nested] };
      const refuse = (): Promise<unknown> =>
        scene.refused(scene.administrator, 'addKey', options({ publicKey: nested }), 'body_invalid');
      const texts = await countCalls('keys/private-key-signs.ts', ['holdsPrivateKey'], refuse);
      // Each JWK and its modulus.
      assert.equal(texts.holdsPrivateKey, 2 * 9);
    });

    test('is told by inspect for what it is, and not repeated', async () => {
      for (const [name, text] of Object.entries(wrappings)) {
        const answer = await scene.call(scene.administrator, 'inspectKey', { body: { publicKey: text } });
        const inspection = answer.json() as unknown as KeyInspection;
        assert.deepEqual(
          [inspection.isAcceptable, !inspection.isAcceptable && inspection.reason],
          [false, 'private_key'],
          name,
        );
        assertNoSecret(answer.text);
      }
    });

    test('leaves nothing behind: not in the database, not in the log', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      for (const id of ['listRequests', 'listAuditEvents'] as const)
        assertNoSecret(
          (await scene.call(scene.administrator, id, { query: 'limit=10000&format=ndjson' })).text,
        );
      const log = readFileSync(logFile, 'utf8');
      assert.ok(log.includes('private_key_refused'));
      assertNoSecret(log);
      if (backend.name === 'SQLite') {
        for (const file of ['countersign.sqlite', 'countersign.sqlite-wal'])
          assertNoSecret(readFileSync(join(scene.running.dataFolder, file), 'latin1'));
      }
    });
  });
}

function withPath<Options extends { readonly path: object }>(id: OperationId, options: Options): Options {
  return id === 'addClient' || id === 'addRole' ? { ...options, path: {} } : options;
}

function assertNoSecret(text: string): void {
  for (const secret of secrets) {
    assert.ok(secret.length >= 40);
    assert.equal(text.includes(secret), false, 'a piece of the private key');
    assert.equal(text.includes(JSON.stringify(secret).slice(1, -1)), false);
  }
}
