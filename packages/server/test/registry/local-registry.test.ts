import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { openLocalRegistry, RegistryError } from '@countersign/server/local-registry';
import { backends } from '@countersign/testing/backends';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { testKey } from '@countersign/testing/test-keys';

const withCode = (code: string) => (error: unknown) => error instanceof RegistryError && error.code === code;
const shop = { name: 'Shop', network: ['0.0.0.0'], roles: ['payments-operator'] };

describe('openLocalRegistry', () => {
  test('makes no registry where there is none, unless told to', async (t) => {
    const dataFolder = join(temporaryFolder(t), 'data');
    await assert.rejects(openLocalRegistry({ dataFolder }), withCode('registry_missing'));
    assert.equal(existsSync(dataFolder), false);
    const registry = await openLocalRegistry({ dataFolder, createIfMissing: true });
    assert.deepEqual(await registry.listClients(), []);
    await registry.close();
    await (await openLocalRegistry({ dataFolder })).close();
  });
});

for (const { name, skip, makeEmpty } of backends) {
  describe(`openLocalRegistry on ${name}`, { skip }, () => {
    const openEmpty = async (t: TestContext) =>
      openLocalRegistry({ ...(await makeEmpty(t)).place, createIfMissing: true });

    test('asks for the account when there are several', async (t) => {
      const registry = await openEmpty(t);
      t.after(() => registry.close());
      const first = await registry.addClient(shop);
      assert.deepEqual(
        (await registry.listAccounts()).map((account) => account.accountId),
        [first.accountId],
      );
      const { accountId } = await registry.addAccount('Second');
      await assert.rejects(registry.addClient(shop), withCode('account_ambiguous'));
      assert.equal((await registry.addClient({ ...shop, accountId })).accountId, accountId);
    });

    test('takes the account of the only customer, where the operator has people and no clients', async (t) => {
      const registry = await openEmpty(t);
      t.after(() => registry.close());
      const { accountId: operators } = await registry.addAccount({ name: 'Provider', isOperator: true });
      const { accountId } = await registry.addAccount('Customer');
      assert.equal((await registry.addClient(shop)).accountId, accountId);
      await registry.addClient({ ...shop, accountId: operators });
      await assert.rejects(registry.addClient(shop), withCode('account_ambiguous'));
    });

    test('rejects a key that the profile of the client does not sign with, if the library has the profile', async (t) => {
      const registry = await openEmpty(t);
      t.after(() => registry.close());
      const { publicKey } = testKey(0);
      await assert.rejects(
        registry.addClient({ ...shop, profile: 'curl-8.22', publicKey }),
        withCode('key_not_for_profile'),
      );
      assert.deepEqual(await registry.listClients(), []);
      const { clientId } = await registry.addClient({ ...shop, profile: 'curl-8.22' });
      await assert.rejects(registry.addKey(clientId, publicKey), withCode('key_not_for_profile'));
      const own = await registry.addClient({ ...shop, profile: 'partners-1', publicKey });
      assert.equal(own.keys.length, 1);
    });

    test('leaves no account behind when the first client is refused', async (t) => {
      const registry = await openEmpty(t);
      t.after(() => registry.close());
      await assert.rejects(registry.addClient({ ...shop, roles: ['no'] }), withCode('role_unknown'));
      assert.deepEqual(await registry.listAccounts(), []);
    });

    test('adds, shows, changes and lists, and another process of the same folder sees it', async (t) => {
      const { place } = await makeEmpty(t);
      const registry = await openLocalRegistry({ ...place, createIfMissing: true });
      t.after(() => registry.close());
      const { clientId, keys } = await registry.addClient({ ...shop, publicKey: testKey(0).publicKey });
      await registry.addKey(clientId, testKey(1).publicKey);
      await registry.revokeKey(clientId, keys[0]?.fingerprint ?? '');
      await registry.disableClient(clientId);
      await registry.enableClient(clientId);
      await registry.setNetwork(clientId, ['10.0.0.0/8']);
      await registry.setRoles(clientId, ['payments-reader']);
      const other = await openLocalRegistry(place);
      t.after(() => other.close());
      const shown = await other.showClient(clientId);
      assert.deepEqual(
        shown.keys.map((key) => key.status),
        ['revoked', 'pending'],
      );
      assert.deepEqual(
        [shown.status, shown.network[0]?.entry, shown.roles[0]],
        ['active', '10.0.0.0/8', 'payments-reader'],
      );
      assert.deepEqual(await other.listClients(), [shown]);
      assert.deepEqual(await other.listClients({ afterClientId: clientId }), []);
    });

    test('two that write at once both succeed', async (t) => {
      const { place } = await makeEmpty(t);
      const one = await openLocalRegistry({ ...place, createIfMissing: true });
      t.after(() => one.close());
      const other = await openLocalRegistry(place);
      t.after(() => other.close());
      await one.addAccount('Only');
      const added = Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? one : other).addClient({ ...shop, clientId: `c${index}` }),
      );
      await Promise.all(added);
      assert.equal((await other.listClients()).length, 40);
    });

    test('registers only the keys that its policy allows', async (t) => {
      const { place } = await makeEmpty(t);
      const keyPolicy = { modulusBitsMax: 2048 };
      const registry = await openLocalRegistry({ ...place, createIfMissing: true, keyPolicy });
      t.after(() => registry.close());
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2056 });
      const text = publicKey.export({ type: 'spki', format: 'pem' });
      await assert.rejects(registry.addClient({ ...shop, publicKey: text }), withCode('key_refused'));
      assert.equal(
        (await registry.addClient({ ...shop, publicKey: testKey(0).publicKey })).keys[0]?.bits,
        2048,
      );
    });
  });
}
