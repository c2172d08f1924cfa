import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { ClientsImport, KeyInspection } from '@countersign/contract';
import {
  defineProfile,
  type MessageAlgorithm,
  type MessageProfile,
  messageProfiles,
  signingKey,
  signMessage,
} from '@countersign/signature/messages/node';
import { backends } from '@countersign/testing/backends';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { baseUrl } from '@countersign/testing/running-service';
import {
  anywhere,
  type Client,
  type Data,
  type Key,
  managementScene,
  type ManagementScene,
} from './scene.ts';

/* The algorithm of RSA keys: said when they are registered, read from the key, or the usual one of the profile. */

const { agentPayments2025, fapi2Request01, openPayments, webBotAuth01 } = messageProfiles;
const [closed, fapi, agents] = ['countersign', fapi2Request01.id, webBotAuth01.id];

/** A key that says that it is for RSASSA-PSS alone, and may restrict its hash function. */
function pssOnly(hashAlgorithm?: string): string {
  const restricted = hashAlgorithm === undefined ? {} : { hashAlgorithm, mgf1HashAlgorithm: hashAlgorithm };
  const { publicKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048, ...restricted });
  return publicKey.export({ type: 'spki', format: 'pem' });
}

for (const backend of backends) {
  describe(`algorithms of keys on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      const accepted = [agentPayments2025, fapi2Request01, openPayments, webBotAuth01];
      const settings = { COUNTERSIGN_PROFILES: accepted.map(({ id }) => id).join() };
      scene = await managementScene(backend, { settings });
    });
    after(() => scene.close());

    const jwk = ({ publicKey }: Pick<KeyPair, 'publicKey'>, alg: string): string =>
      JSON.stringify({ ...createPublicKey(publicKey).export({ format: 'jwk' }), alg });
    const add = (profile: string | undefined, body: object = {}): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, 'addClient', {
        body: { name: 'Shop', networkWhitelist: anywhere, profile, ...body },
      });
    const addKey = (clientId: string, body: object): Promise<Key> =>
      scene.succeed<Key>(scene.administrator, 'addKey', { path: { clientId }, body });
    /** Returns where the mistake is, and what is said about it. */
    const refusedKey = async (
      clientId: string,
      body: object,
      code: 'body_invalid' | 'key_not_for_profile' = 'body_invalid',
    ): Promise<readonly [string, string]> => {
      const options = { path: { clientId }, body };
      const { errors } = await scene.refused(scene.administrator, 'addKey', options, code);
      assert.equal(errors.length, 1);
      return [errors[0]!.pointer, errors[0]!.detail];
    };
    const ask = async (
      clientId: string,
      { privateKey }: Pick<KeyPair, 'privateKey'>,
      profile: MessageProfile,
      algorithm: MessageAlgorithm,
      extra: { readonly parameters?: { readonly alg: string } } = {},
    ): Promise<string> => {
      const url = `${baseUrl}/v1/whoami`;
      const lines: [string, string][] = [
        ['Authorization', 'Bearer token'],
        ['Signature-Agent', 'sig="https://agent.example"'],
        ['DPoP', 'proof'],
      ];
      const { headers } = await signMessage(
        { method: 'GET', targetUri: url, headers: lines },
        {
          profile: defineProfile(profile),
          key: signingKey(privateKey, { algorithm }),
          keyid: clientId,
          created: Math.floor(scene.nowMs() / 1000),
          others: ['@method', '@target-uri'],
          ...extra,
        },
      );
      const answer = await scene.running.send({
        method: 'GET',
        url: '/v1/whoami',
        headers: Object.fromEntries([...lines, ...Object.entries(headers)]),
      });
      return answer.status === 200 ? 'accepted' : String(answer.json()['code']);
    };

    test('a key with PS256 signs by fapi-2-request, and one with rsa-pss-sha512 by web-bot-auth', async () => {
      for (const [profile, algorithm] of [
        [fapi2Request01, 'PS256'],
        [webBotAuth01, 'rsa-pss-sha512'],
      ] as const) {
        const keys = scene.freshKey();
        const body = { publicKey: keys.publicKey, algorithm };
        const { clientId, keys: shown } = await add(profile.id, body);
        assert.deepEqual(
          shown.map((key) => key.algorithm),
          [algorithm],
        );
        assert.equal(await ask(clientId, keys, profile, algorithm), 'accepted');
        const { data } = await scene.succeed<Data<Key>>(scene.administrator, 'listKeys', {
          path: { clientId },
        });
        assert.deepEqual(
          data.map((key) => key.algorithm),
          [algorithm],
        );
        const next = scene.freshKey();
        const added = await addKey(clientId, { publicKey: next.publicKey, algorithm });
        assert.equal(added.algorithm, algorithm);
        assert.equal(await ask(clientId, next, profile, algorithm), 'accepted');
      }
    });

    test('a signature by another algorithm of the same key is rejected', async () => {
      const every = {
        ...agentPayments2025,
        algorithms: ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256'],
      } as const;
      const accepts = { PS256: 'PS256', 'rsa-pss-sha512': 'rsa-pss-sha512' } as const;
      for (const own of Object.keys(accepts)) {
        const keys = scene.freshKey();
        const { clientId } = await add(agentPayments2025.id, { publicKey: keys.publicKey, algorithm: own });
        for (const algorithm of every.algorithms) {
          const code = await ask(clientId, keys, every, algorithm);
          assert.equal(code, algorithm === own ? 'accepted' : 'signature_invalid', `${own}, ${algorithm}`);
        }
      }
    });

    test('without being said, it is what the key says, or the only one of the profile, or the usual one', async () => {
      const [plain, named] = [scene.freshKey(), scene.freshKey()];
      for (const [profile, publicKey, algorithm] of [
        [undefined, scene.freshKey().publicKey, 'rsa-v1_5-sha256'],
        [fapi, plain.publicKey, 'PS256'],
        [agents, scene.freshKey().publicKey, 'rsa-pss-sha512'],
        [openPayments.id, makeKeyPairFor('ed25519').publicKey, 'ed25519'],
        [agentPayments2025.id, jwk(named, 'PS512'), 'rsa-pss-sha512'],
        [agentPayments2025.id, jwk(scene.freshKey(), 'PS256'), 'PS256'],
        [fapi, pssOnly(), 'PS256'],
        [agents, pssOnly(), 'rsa-pss-sha512'],
      ] as const) {
        const { keys } = await add(profile, { publicKey });
        assert.deepEqual(
          keys.map((key) => key.algorithm),
          [algorithm],
        );
      }
    });

    test('a key that could be for several must say for which', async () => {
      const { clientId } = await add(agentPayments2025.id);
      for (const publicKey of [scene.freshKey().publicKey, pssOnly()]) {
        assert.deepEqual(await refusedKey(clientId, { publicKey }), [
          '/algorithm',
          'The key can be for rsa-pss-sha512 or PS256: say which, as "algorithm".',
        ]);
        const added = await addKey(clientId, { publicKey, algorithm: 'PS256' });
        assert.equal(added.algorithm, 'PS256');
      }
    });

    test('what is said must be what the key is', async () => {
      const { clientId } = await add(agentPayments2025.id);
      const { publicKey } = scene.freshKey();
      const ed25519 = makeKeyPairFor('ed25519').publicKey;
      for (const [body, pointer, detail] of [
        [
          { publicKey, algorithm: 'ed25519' },
          '/algorithm',
          /an RSA key, which can be for rsa-v1_5-sha256, rsa-pss-sha512 or PS256/,
        ],
        [
          { publicKey: ed25519, algorithm: 'PS256' },
          '/algorithm',
          /an Ed25519 key, which can be for ed25519, not for PS256/,
        ],
        [
          { publicKey: jwk({ publicKey }, 'PS256'), algorithm: 'rsa-pss-sha512' },
          '/algorithm',
          /says that it is for PS256, not for rsa-pss-sha512/,
        ],
        [
          { publicKey: jwk({ publicKey }, 'RS256'), algorithm: 'PS256' },
          '/algorithm',
          /says that it is for rsa-v1_5-sha256/,
        ],
        [
          { publicKey: pssOnly(), algorithm: 'rsa-v1_5-sha256' },
          '/algorithm',
          /says that it is for rsa-pss-sha512 or PS256/,
        ],
        [{ publicKey: pssOnly('sha256'), algorithm: 'PS256' }, '/publicKey', /restricted to RSA-PSS/],
        [{ publicKey: jwk({ publicKey }, 'PS384') }, '/publicKey', /restricted to RSA-PSS/],
        [{ publicKey: jwk({ publicKey }, 'ES256') }, '/publicKey', /not RS256/],
        [{ publicKey, algorithm: 'hmac-sha256' }, '/algorithm', /Write one of/],
        [{ publicKey, algorithm: 'PS512' }, '/algorithm', /Write one of/],
      ] as const) {
        const [where, told] = await refusedKey(clientId, body);
        assert.equal(where, pointer, told);
        assert.match(told, detail);
      }
      const options = { body: { name: 'Shop', networkWhitelist: anywhere, algorithm: 'PS256' } };
      const { errors } = await scene.refused(scene.administrator, 'addClient', options, 'body_invalid');
      assert.deepEqual(
        errors.map((error) => error.pointer),
        ['/algorithm'],
      );
    });

    test('a key that the profile does not sign with is rejected, and the text says what to do', async () => {
      const { publicKey } = scene.freshKey();
      for (const [profile, body, pointer, detail] of [
        [
          closed,
          { publicKey, algorithm: 'PS256' },
          '/algorithm',
          /^This key is for PS256, and the profile countersign signs with .*: register the key for rsa-v1_5-sha256\.$/,
        ],
        [
          closed,
          { publicKey: jwk({ publicKey }, 'PS512') },
          '/publicKey',
          /^This key is for rsa-pss-sha512, .*: give a key for one of these/,
        ],
        [closed, { publicKey: pssOnly() }, '/publicKey', /^This key is for rsa-pss-sha512 or PS256, /],
        [
          openPayments.id,
          { publicKey },
          '/publicKey',
          /^This key is for rsa-v1_5-sha256, rsa-pss-sha512 or PS256, .* signs with ed25519: give a key/,
        ],
        [fapi, { publicKey, algorithm: 'rsa-v1_5-sha256' }, '/algorithm', /register the key for PS256/],
        [fapi, { publicKey, algorithm: 'rsa-pss-sha512' }, '/algorithm', /register the key for PS256/],
      ] as const) {
        const { clientId } = await add(profile);
        const [where, told] = await refusedKey(clientId, body, 'key_not_for_profile');
        assert.equal(where, pointer, told);
        assert.match(told, detail);
      }
    });

    test('a client with a key for PSS gets no profile that does not sign with it', async () => {
      const { clientId, keys } = await add(fapi, { publicKey: scene.freshKey().publicKey });
      const path = { clientId };
      const headers = { 'If-Match': '*' };
      for (const profile of [closed, 'countersign-without-date', agents]) {
        const change = { path, headers, body: { profile } };
        const { errors } = await scene.refused(
          scene.administrator,
          'updateClient',
          change,
          'key_not_for_profile',
        );
        assert.equal(errors[0]!.pointer, '/profile');
        assert.match(errors[0]!.detail, /the key key_\w+ is for PS256: revoke it first/);
      }
      const both = { path, headers, body: { profile: agentPayments2025.id } };
      await scene.succeed(scene.administrator, 'updateClient', both);
      const { keyId } = keys[0]!;
      const body = { reason: 'superseded' };
      await scene.succeed(scene.administrator, 'revokeKey', { path: { clientId, keyId }, body });
      await scene.succeed(scene.administrator, 'updateClient', { path, headers, body: { profile: closed } });
    });

    test('a modulus is registered once, for one algorithm', async () => {
      const { publicKey } = scene.freshKey();
      const { clientId } = await add(agentPayments2025.id, { publicKey, algorithm: 'PS256' });
      for (const body of [
        { publicKey, algorithm: 'rsa-pss-sha512' },
        { publicKey: jwk({ publicKey }, 'PS512') },
      ]) {
        const options = { path: { clientId }, body };
        await scene.refused(scene.administrator, 'addKey', options, 'key_registered');
      }
      const another = await add(undefined);
      const options = { path: { clientId: another.clientId }, body: { publicKey } };
      await scene.refused(scene.administrator, 'addKey', options, 'key_registered');
    });

    test('an import says it for each client', async () => {
      const row = { name: 'Shop', networkWhitelist: anywhere, profile: agentPayments2025.id };
      const { publicKey } = scene.freshKey();
      const clients = [
        { ...row, publicKey: scene.freshKey().publicKey, algorithm: 'rsa-pss-sha512' },
        { ...row, publicKey },
        { ...row, publicKey, algorithm: 'rsa-v1_5-sha256' },
        { ...row, profile: closed, publicKey: pssOnly() },
        { ...row, publicKey: jwk({ publicKey }, 'PS256') },
      ];
      const { results } = await scene.succeed<ClientsImport>(scene.administrator, 'importClients', {
        body: { clients },
      });
      const told = results.map(({ outcome, errors }) => [outcome, ...errors.map(({ pointer }) => pointer)]);
      assert.deepEqual(told, [
        ['added'],
        ['failed', '/algorithm'],
        ['failed', '/algorithm'],
        ['failed', '/publicKey'],
        ['added'],
      ]);
      const path = { clientId: results[0]!.clientId! };
      const { keys } = await scene.succeed<Client>(scene.administrator, 'getClient', { path });
      assert.equal(keys[0]!.algorithm, 'rsa-pss-sha512');
    });

    test('an inspection tells which algorithms a key could be for', async () => {
      const { publicKey } = scene.freshKey();
      for (const [text, algorithms] of [
        [publicKey, ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256']],
        [jwk({ publicKey }, 'PS512'), ['rsa-pss-sha512']],
        [pssOnly(), ['rsa-pss-sha512', 'PS256']],
        [makeKeyPairFor('ecdsa-p384-sha384').publicKey, ['ecdsa-p384-sha384']],
      ] as const) {
        const body = { publicKey: text };
        const told = await scene.succeed<KeyInspection>(scene.administrator, 'inspectKey', { body });
        assert.deepEqual(told.isAcceptable && told.algorithms, algorithms);
      }
    });
  });
}

test('a service without a profile that signs with PSS rejects such keys as before', async () => {
  const scene = await managementScene(backends[0]!);
  try {
    const body = { publicKey: pssOnly() };
    const told = await scene.succeed<KeyInspection>(scene.administrator, 'inspectKey', { body });
    assert.equal(!told.isAcceptable && told.reason, 'pss_only');
    const client = { body: { name: 'Shop', networkWhitelist: anywhere, ...body } };
    const { errors } = await scene.refused(scene.administrator, 'addClient', client, 'body_invalid');
    assert.match(errors[0]!.detail, /requests are signed with PKCS#1 v1\.5/);
  } finally {
    await scene.close();
  }
});
