import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { type Client, type Data, type Key, managementScene, type ManagementScene } from './scene.ts';

for (const backend of backends) {
  describe(`the search for clients on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let keys: readonly Key[] = [];
    const networks: Readonly<Record<string, readonly string[]>> = {
      one: ['203.0.113.7'],
      network: ['203.0.113.0/24', '2001:db8::/32'],
      everyone: ['0.0.0.0'],
      'every IPv4': ['0.0.0.0/0'],
      elsewhere: ['198.51.100.0/24', '2001:db9::7'],
    };

    before(async () => {
      scene = await managementScene(backend);
      const stranger = await scene.addAccount();
      for (const by of [scene.administrator, stranger]) {
        for (const [name, entries] of Object.entries(networks)) {
          const { clientId } = await scene.succeed<Client>(by, 'addClient', {
            body: {
              name,
              networkWhitelist: entries.map((entry) => ({ entry })),
              publicKey: scene.freshKey().publicKey,
            },
          });
          const { data } = await scene.succeed<Data<Key>>(by, 'listKeys', { path: { clientId } });
          keys = [...keys, ...data];
        }
      }
    });
    after(() => scene.close());

    const find = async (search: string): Promise<readonly string[]> => {
      const { data } = await scene.succeed<Data<Client>>(scene.administrator, 'listClients', {
        query: `limit=100&search=${encodeURIComponent(search)}`,
      });
      assert.ok(data.every(({ accountId }) => accountId === scene.accountId));
      return data.map(({ name }) => name).filter((name) => name !== 'Administrator');
    };

    test('finds nothing by what only looks like an address or a key', async () => {
      for (const search of [
        '203.0.113',
        '203.0.113.0/24',
        '203.0.113.07',
        '203.0.113.%',
        "203.0.113.7' or 1=1",
        '::1%eth0',
        'SHA256:%',
        'SHA256:nothing',
        'sha256:',
        'key_nothing',
        'SHA256:\u{10ffff}',
      ])
        assert.deepEqual(await find(search), [], search);
    });

    test('finds by an address whoever may call from it', async () => {
      for (const [address, names] of [
        ['203.0.113.7', ['one', 'network', 'everyone', 'every IPv4']],
        ['::ffff:203.0.113.7', ['one', 'network', 'everyone', 'every IPv4']],
        ['203.0.113.8', ['network', 'everyone', 'every IPv4']],
        ['198.51.100.255', ['everyone', 'every IPv4', 'elsewhere']],
        ['2001:DB8:0::99', ['network', 'everyone']],
        ['2001:db9::7', ['everyone', 'elsewhere']],
        ['192.0.2.1', ['everyone', 'every IPv4']],
        ['::', ['everyone']],
      ] as const)
        assert.deepEqual(await find(address), names, address);
    });

    test('finds by a key, its fingerprint or the beginning of that, and no key of another account', async () => {
      const [own, foreign] = [keys[1], keys[6]];
      assert.ok(own && foreign);
      assert.deepEqual(await find(own.keyId), ['network']);
      assert.deepEqual(await find(own.fingerprint), ['network']);
      assert.deepEqual(await find(own.fingerprint.slice(0, 20)), ['network']);
      assert.deepEqual((await find('SHA256:')).toSorted(), Object.keys(networks).toSorted());
      assert.deepEqual(await find(foreign.keyId), []);
      assert.deepEqual(await find(foreign.fingerprint), []);
    });
  });
}
