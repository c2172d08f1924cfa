import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ClientsImport } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { anywhere, type Client, type Data, managementScene, type ManagementScene } from './scene.ts';

for (const backend of backends) {
  describe(`imports of clients on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    const send = (clients: readonly unknown[], more: object = {}, key?: string): Promise<ClientsImport> =>
      scene.succeed<ClientsImport>(scene.administrator, 'importClients', {
        body: { clients, ...more },
        ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
      });
    const named = async (search: string): Promise<readonly Client[]> =>
      (await scene.succeed<Data<Client>>(scene.administrator, 'listClients', { query: `search=${search}` }))
        .data;

    test('a request that is no import is refused as a whole', async () => {
      const cases: readonly (readonly [body: object, pointer: string])[] = [
        [{}, '/clients'],
        [{ clients: [] }, '/clients'],
        [{ clients: Array.from({ length: 101 }, () => ({})) }, '/clients'],
        [{ clients: ['a'] }, '/clients/0'],
        [{ clients: [{}], dryRun: 1 }, '/dryRun'],
        [{ clients: [{}], accountId: 'x' }, '/accountId'],
      ];
      for (const [body, pointer] of cases) {
        const { errors } = await scene.refused(
          scene.administrator,
          'importClients',
          { body },
          'body_invalid',
        );
        assert.deepEqual(
          errors.map((error) => error.pointer),
          [pointer],
        );
      }
      const { privateKey } = scene.freshKey();
      const body = { clients: [{ name: 'Private', networkWhitelist: anywhere, publicKey: privateKey }] };
      await scene.refused(scene.administrator, 'importClients', { body }, 'private_key_refused');
      const viewer = await scene.addPerson({ role: 'viewer' });
      await scene.refused(viewer, 'importClients', { body: { clients: [{}] } }, 'permission_denied');
    });

    test('each client is checked by itself, and a dry run registers none', async () => {
      const { publicKey } = scene.freshKey();
      const { publicKey: known } = scene.freshKey();
      await scene.succeed(scene.administrator, 'addClient', {
        body: { name: 'Known', networkWhitelist: anywhere, publicKey: known },
      });
      const clients = [
        { name: 'Row one', networkWhitelist: anywhere, publicKey, tags: ['row'], metadata: { owner: 'Ada' } },
        {
          name: ' ',
          networkWhitelist: [{ entry: '10.0.0.1/8' }],
          roles: ['Not'],
          publicKey: 'no key',
          colour: 1,
        },
        { name: 'Row three', networkWhitelist: anywhere, roles: ['no-such-role'] },
        { name: 'Row four', networkWhitelist: anywhere, publicKey },
        { name: 'Row five', networkWhitelist: anywhere, publicKey: known },
        { name: 'Row one', networkWhitelist: anywhere },
        { name: 'Row seven', networkWhitelist: anywhere, clientId: 'mine', accountId: scene.accountId },
      ];
      const pointers = [
        [],
        ['/colour', '/name', '/networkWhitelist/0/entry', '/publicKey', '/roles/0'],
        ['/roles/0'],
        ['/publicKey'],
        ['/publicKey'],
        [],
        ['/accountId', '/clientId'],
      ];
      const check = (told: ClientsImport): void => {
        assert.deepEqual([told.added, told.failed], [2, 5]);
        assert.deepEqual(
          told.results.map(({ errors }) =>
            errors.map(({ pointer }) => pointer).toSorted((one, other) => one.localeCompare(other)),
          ),
          pointers,
        );
        assert.deepEqual(
          told.results.map(({ isNameTaken }) => isNameTaken),
          [false, false, false, false, false, true, false],
        );
      };
      const preview = await send(clients, { dryRun: true });
      check(preview);
      assert.equal(preview.isDryRun, true);
      assert.ok(preview.results.every(({ clientId }) => clientId === undefined));
      assert.deepEqual(await named('Row'), []);
      const done = await send(clients);
      check(done);
      const added = await named('Row');
      assert.deepEqual(
        added.map(({ clientId }) => clientId).toSorted(),
        [done.results[0]?.clientId ?? '', done.results[5]?.clientId ?? ''].toSorted(),
      );
      const [first] = added.filter(({ tags }) => tags.length > 0);
      assert.deepEqual([first?.name, first?.metadata, first?.keys.length], ['Row one', { owner: 'Ada' }, 1]);
      const { data } = await scene.succeed<Data<{ action: string; after: unknown }>>(
        scene.administrator,
        'listAuditEvents',
        { query: 'limit=3' },
      );
      assert.deepEqual(
        data.map(({ action }) => action),
        ['clients.imported', 'client.added', 'client.added'],
      );
      assert.deepEqual(data[0]?.after, { clients: 2, failed: 3 });
    });

    test('the same import again, with the same key, registers nothing twice', async () => {
      const clients = [{ name: 'Once', networkWhitelist: anywhere }];
      await send(clients, { dryRun: true }, 'import-1');
      const first = await send(clients, {}, 'import-1');
      const again = await send(clients, {}, 'import-1');
      assert.deepEqual(again, first);
      assert.equal((await named('Once')).length, 1);
    });

    test('nobody imports what they could not add', async () => {
      const body = { name: 'importer', permissions: ['clients:read', 'clients:write'] };
      await scene.succeed(scene.administrator, 'addRole', { body });
      const importer = await scene.addCaller(['importer']);
      const clients = [
        { name: 'Too much', networkWhitelist: anywhere, roles: ['payments-operator'] },
        { name: 'Modest', networkWhitelist: anywhere },
        { name: 'Misspelt', networkWhitelist: anywhere, profile: 'curl' },
      ];
      const { results } = await scene.succeed<ClientsImport>(importer, 'importClients', {
        body: { clients },
      });
      assert.deepEqual(
        results.map(({ outcome, errors }) => [outcome, errors[0]?.pointer]),
        [
          ['failed', '/roles'],
          ['added', undefined],
          ['failed', '/profile'],
        ],
      );
      assert.deepEqual(await named('Too%20much'), []);
    });
  });
}
