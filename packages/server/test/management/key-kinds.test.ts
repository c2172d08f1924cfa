import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AuditEvent } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { algorithmNames, makeKeyPairFor } from '@countersign/testing/key-pair';
import { anywhere, type Client, type Data, managementScene, type ManagementScene } from './scene.ts';

/* A key of a kind that the client's profile does not sign with is rejected when it is given, wherever that is. */

const profile = 'curl-8.22';
const newKey = (algorithm: (typeof algorithmNames)[number]): string => makeKeyPairFor(algorithm).publicKey;
const others = algorithmNames.filter((name) => name !== 'ed25519');

for (const backend of backends) {
  describe(`kinds of keys on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      const settings = { COUNTERSIGN_PROFILES: 'curl-8.22,adcp-3.2' };
      scene = await managementScene(backend, { settings });
    });
    after(() => scene.close());

    const base = { name: 'Shop', networkWhitelist: anywhere };
    const add = (body: object): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, 'addClient', { body: { ...base, ...body } });
    const get = (clientId: string): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, 'getClient', { path: { clientId } });
    const changing = (clientId: string, body: object) => ({
      path: { clientId },
      headers: { 'If-Match': '*' },
      body,
    });
    const rejects = async (
      operation: 'addClient' | 'addKey' | 'updateClient',
      call: object,
      pointer: string,
    ): Promise<void> => {
      const told = await scene.refused(scene.administrator, operation, call, 'key_not_for_profile');
      assert.deepEqual(
        told.errors.map((error) => error.pointer),
        [pointer],
      );
    };
    const clientsNamed = async (name: string): Promise<number> => {
      const query = `search=${name}`;
      const page = await scene.succeed<Data<Client>>(scene.administrator, 'listClients', { query });
      return page.data.length;
    };

    for (const algorithm of others)
      test(`${algorithm}: rejected for a new client, a new key and an import, and nothing is stored`, async () => {
        const name = `New-${algorithm}`;
        const body = { ...base, name, profile, publicKey: newKey(algorithm) };
        await rejects('addClient', { body }, '/publicKey');
        const clients = [{ ...body, publicKey: newKey(algorithm) }];
        const { results } = await scene.succeed<{
          results: readonly { outcome: string; errors: readonly { pointer: string; detail: string }[] }[];
        }>(scene.administrator, 'importClients', { body: { clients } });
        assert.equal(results[0]?.outcome, 'failed');
        assert.deepEqual(
          results[0]?.errors.map(({ pointer }) => pointer),
          ['/publicKey'],
        );
        assert.match(
          results[0]?.errors[0]?.detail ?? '',
          new RegExp(`for ${algorithm}, .* signs with ed25519`),
        );
        assert.equal(await clientsNamed(name), 0);
        const added = await add({ profile });
        const { clientId } = added;
        await rejects('addKey', { path: { clientId }, body: { publicKey: newKey(algorithm) } }, '/publicKey');
        assert.deepEqual(await get(clientId), added);
      });

    test('a key of the right kind is accepted for all three', async () => {
      const { clientId, keys } = await add({ profile, publicKey: newKey('ed25519') });
      assert.equal(keys.length, 1);
      const body = { publicKey: newKey('ed25519') };
      await scene.succeed(scene.administrator, 'addKey', { path: { clientId }, body });
      const clients = [{ ...base, profile, publicKey: newKey('ed25519') }];
      const imported = await scene.succeed<{ added: number }>(scene.administrator, 'importClients', {
        body: { clients },
      });
      assert.equal(imported.added, 1);
    });

    test('a profile that signs with none of the client’s keys is rejected, and nothing changes', async () => {
      for (const algorithm of others) {
        const { clientId } = await add({ publicKey: newKey(algorithm) });
        const change = { profile, name: 'Renamed' };
        await rejects('updateClient', changing(clientId, change), '/profile');
        const client = await get(clientId);
        assert.deepEqual([client.profile, client.name], ['countersign', 'Shop']);
        const query = `clientId=${clientId}`;
        const { data } = await scene.succeed<Data<AuditEvent>>(scene.administrator, 'listAuditEvents', {
          query,
        });
        assert.ok(data.every(({ action }) => action !== 'client.updated'));
      }
    });

    test('one key that fits is enough, and so is no key', async () => {
      const { clientId } = await add({ publicKey: newKey('rsa-v1_5-sha256') });
      const body = { publicKey: newKey('ed25519') };
      await scene.succeed(scene.administrator, 'addKey', { path: { clientId }, body });
      await scene.succeed(scene.administrator, 'updateClient', changing(clientId, { profile }));
      assert.equal((await get(clientId)).profile, profile);
      const { clientId: empty } = await add({});
      await scene.succeed(scene.administrator, 'updateClient', changing(empty, { profile }));
      assert.equal((await get(empty)).profile, profile);
    });

    test('revoked keys do not count', async () => {
      const { clientId, keys } = await add({ publicKey: newKey('rsa-v1_5-sha256') });
      await rejects('updateClient', changing(clientId, { profile }), '/profile');
      const path = { clientId, keyId: keys[0]!.keyId };
      await scene.succeed(scene.administrator, 'revokeKey', { path, body: { reason: 'superseded' } });
      await scene.succeed(scene.administrator, 'updateClient', changing(clientId, { profile }));
    });

    test('other changes of such a client, and a directory in place of its keys, are no matter of the profile', async () => {
      const { clientId } = await add({ publicKey: newKey('ecdsa-p384-sha384') });
      await scene.succeed(scene.administrator, 'updateClient', changing(clientId, { name: 'Renamed' }));
      const directoryUrl = `https://${clientId.replace('_', '-')}.agents.example/keys.json`;
      const change = { profile: 'adcp-3.2', directoryUrl };
      await scene.succeed(scene.administrator, 'updateClient', changing(clientId, change));
    });

    test('the list of profiles says which algorithms each signs with', async () => {
      const { data } = await scene.succeed<Data<{ name: string; algorithms: readonly string[] }>>(
        scene.administrator,
        'listProfiles',
        {},
      );
      const algorithmsOf = (name: string): unknown => data.find((one) => one.name === name)?.algorithms;
      assert.deepEqual(algorithmsOf('countersign'), algorithmNames);
      assert.deepEqual(algorithmsOf('countersign-without-date'), algorithmNames);
      assert.deepEqual(algorithmsOf(profile), ['ed25519']);
    });
  });
}
