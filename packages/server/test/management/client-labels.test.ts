import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { anywhere, type Client, type Data, managementScene, type ManagementScene } from './scene.ts';

const headers = { 'If-Match': '*' };

for (const backend of backends) {
  describe(`tags and metadata of clients on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    const add = (body: object = {}): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, 'addClient', {
        body: { name: 'Shop', networkWhitelist: anywhere, ...body },
      });
    const change = (clientId: string, body: object): Promise<Client> =>
      scene.succeed<Client>(scene.administrator, 'updateClient', { path: { clientId }, headers, body });
    const pointersOf = async (clientId: string | undefined, body: object): Promise<readonly string[]> => {
      const { errors } =
        clientId === undefined
          ? await scene.refused(
              scene.administrator,
              'addClient',
              { body: { name: 'Shop', networkWhitelist: anywhere, ...body } },
              'body_invalid',
            )
          : await scene.refused(
              scene.administrator,
              'updateClient',
              { path: { clientId }, headers, body },
              'body_invalid',
            );
      return errors.map(({ pointer }) => pointer);
    };
    const many = (count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `t${index}`);

    test('what is no tag is refused, and nothing is changed', async () => {
      const { clientId } = await add({ tags: ['kept'] });
      for (const tag of [
        '',
        'Partner',
        ' eu',
        'a b',
        'a--b',
        '-a',
        'a-',
        'é',
        'a\u0000',
        'x'.repeat(41),
        7,
        null,
      ]) {
        assert.deepEqual(await pointersOf(undefined, { tags: ['fine', tag] }), ['/tags/1']);
        assert.deepEqual(await pointersOf(clientId, { tags: ['fine', tag] }), ['/tags/1']);
      }
      for (const tags of ['eu', {}, null, many(21)])
        assert.deepEqual(await pointersOf(clientId, { tags }), ['/tags']);
      const { tags } = await scene.succeed<Client>(scene.administrator, 'getClient', { path: { clientId } });
      assert.deepEqual(tags, ['kept']);
    });

    test('what is no metadata is refused, and nothing is changed', async () => {
      const { clientId } = await add({ metadata: { kept: 'yes' } });
      for (const key of ['', '1a', 'a b', 'é', '_a', '__proto__', 'x'.repeat(41)]) {
        const text = `{"name":"Shop","networkWhitelist":[{"entry":"0.0.0.0"}],"metadata":{"${key}":"x"}}`;
        await scene.refused(scene.administrator, 'addClient', { body: text }, 'body_invalid');
        const changed = { path: { clientId }, headers, body: `{"metadata":{"${key}":"x"}}` };
        await scene.refused(scene.administrator, 'updateClient', changed, 'body_invalid');
      }
      for (const value of [7, true, {}, [], 'a\nb', '\u202Eevil', 'x'.repeat(501)])
        assert.deepEqual(await pointersOf(clientId, { metadata: { a: value } }), ['/metadata/a']);
      assert.deepEqual(await pointersOf(undefined, { metadata: { a: null } }), ['/metadata/a']);
      for (const metadata of ['a', [], null])
        assert.deepEqual(await pointersOf(clientId, { metadata }), ['/metadata']);
      const full = Object.fromEntries(many(20).map((key) => [key, 'x']));
      assert.deepEqual(await pointersOf(undefined, { metadata: { ...full, a: 'x' } }), ['/metadata']);
      assert.deepEqual(await pointersOf(clientId, { metadata: full }), ['/metadata'], 'with the one before');
      const { metadata } = await scene.succeed<Client>(scene.administrator, 'getClient', {
        path: { clientId },
      });
      assert.deepEqual(metadata, { kept: 'yes' });
    });

    test('tags are a sorted set, and are replaced as a whole', async () => {
      const { clientId, tags } = await add({ tags: ['eu', 'a/b', 'env:prod', 'eu'] });
      assert.deepEqual(tags, ['a/b', 'env:prod', 'eu']);
      assert.deepEqual((await change(clientId, { name: 'Renamed' })).tags, tags);
      assert.deepEqual((await change(clientId, { tags: many(20) })).tags, [...many(20)].toSorted());
      assert.deepEqual((await change(clientId, { tags: [] })).tags, []);
    });

    test('metadata is merged: null removes an entry, and the others stay', async () => {
      const { clientId, metadata } = await add({
        metadata: { owner: 'Ada', constructor: '=1+1', empty: '' },
      });
      assert.deepEqual(metadata, { constructor: '=1+1', empty: '', owner: 'Ada' });
      const changed = await change(clientId, { metadata: { owner: null, none: null, team: 'Ünïcode' } });
      assert.deepEqual(changed.metadata, { constructor: '=1+1', empty: '', team: 'Ünïcode' });
    });

    test('each change is in the audit log, and none where nothing changed', async () => {
      const { clientId } = await add({ tags: ['eu'], metadata: { owner: 'Ada' } });
      await change(clientId, { tags: ['eu'], metadata: { owner: 'Ada' } });
      await change(clientId, { tags: ['uk'], metadata: { owner: null } });
      const { data } = await scene.succeed<Data<{ action: string; before?: object; after?: object }>>(
        scene.administrator,
        'listAuditEvents',
        { query: `clientId=${clientId}` },
      );
      assert.deepEqual(
        data.map(({ action, before: old }) => [action, old]),
        [
          ['client.updated', { tags: ['eu'], metadata: { owner: 'Ada' } }],
          ['client.added', undefined],
        ],
      );
      assert.deepEqual(data[0]?.after, { tags: ['uk'], metadata: {} });
      const added = data[1]?.after as { tags?: unknown; metadata?: unknown };
      assert.deepEqual([added.tags, added.metadata], [['eu'], { owner: 'Ada' }]);
    });

    test('a list has those with a tag, of the own account only', async () => {
      const other = await scene.addAccount();
      const body = { name: 'Theirs', networkWhitelist: anywhere, tags: ['wanted'] };
      await scene.succeed(other, 'addClient', { body });
      const first = await add({ tags: ['wanted', 'x'] });
      await add({ tags: ['wanted-not'] });
      const second = await add({ tags: ['wanted'] });
      const found = await scene.succeed<Data<Client>>(scene.administrator, 'listClients', {
        query: 'tag=wanted',
      });
      assert.deepEqual(
        found.data.map(({ clientId }) => clientId).toSorted(),
        [first.clientId, second.clientId].toSorted(),
      );
      const none = await scene.succeed<Data<Client>>(scene.administrator, 'listClients', {
        query: 'tag=Wanted',
      });
      assert.deepEqual(none.data, []);
      for (const query of ['tag=', `tag=${'x'.repeat(41)}`, 'tag=%00'])
        await scene.refused(scene.administrator, 'listClients', { query }, 'query_invalid');
    });
  });
}
