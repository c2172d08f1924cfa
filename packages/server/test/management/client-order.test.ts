import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { anywhere, type Client, type Data, managementScene, type ManagementScene } from './scene.ts';

interface Page extends Data<Client> {
  readonly total?: number;
}

const names = ['Zoo', 'apple', 'Ärger', 'zoo', 'Banana % _', 'apple', 'm=1&x y', 'Москва'];
const sorts = ['name', 'createdAt', 'lastUsedAt'] as const;

for (const backend of backends) {
  describe(`the order of clients on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
      for (const name of names) {
        // Some are made in the same millisecond, and some are used.
        await scene.succeed(scene.administrator, 'addClient', {
          body: { name, networkWhitelist: anywhere, tags: name.length > 4 ? ['long'] : [] },
        });
      }
      const used = await scene.addCaller(['auditor']);
      await scene.succeed(used, 'listClients');
      const uses = await scene.database();
      await uses
        .insertInto('last_uses')
        .values({ subject: 'client', subject_id: 'somebody else', used_at_ms: 7 })
        .execute();
    });
    after(() => scene.close());

    const list = (query: string): Promise<Page> =>
      scene.succeed<Page>(scene.administrator, 'listClients', { query });
    const pages = async (query: string): Promise<readonly Client[]> => {
      const clients: Client[] = [];
      let cursor: string | null = null;
      do {
        const more: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page = await list(`limit=2${query}${more}`);
        assert.equal(page.total === undefined, cursor !== null, 'the first page alone tells the total');
        clients.push(...page.data);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return clients;
    };

    test('a sort that does not exist, and a cursor of another sort, are refused', async () => {
      const { administrator } = scene;
      for (const sort of ['', 'Name', '--name', 'status', 'constructor'])
        await scene.refused(administrator, 'listClients', { query: `sort=${sort}` }, 'query_invalid');
      for (const [one, other] of [
        ['', 'sort=name&'],
        ['sort=name&', ''],
        ['sort=name&', 'sort=createdAt&'],
      ] as const) {
        const { nextCursor } = await list(`${one}limit=1`);
        const query = `${other}cursor=${nextCursor}`;
        await scene.refused(administrator, 'listClients', { query }, 'cursor_invalid');
      }
      for (const text of ['1:a b c', '1:a', '1:a %', '1:a %00', '1:a%20b']) {
        const query = `sort=name&cursor=${Buffer.from(text).toString('base64url')}`;
        await scene.refused(administrator, 'listClients', { query }, 'cursor_invalid');
      }
    });

    for (const sort of sorts) {
      test(`by ${sort}: pages have each client once, in that order and in its reverse`, async () => {
        const there = await pages(`&sort=${sort}`);
        const back = await pages(`&sort=-${sort}`);
        const all = (await list('limit=100')).data;
        const ids = (clients: readonly Client[]): readonly string[] =>
          clients.map(({ clientId }) => clientId);
        assert.deepEqual(ids(there).toSorted(), ids(all).toSorted());
        assert.deepEqual(ids(back), ids(there).toReversed());
        const values = there.map((client) => client[sort] ?? '');
        if (sort === 'name')
          assert.deepEqual(
            values
              .filter((name) => /^[A-Za-z]+$/.test(name))
              .map((name) => name.toLowerCase())
              .toSorted(),
            values.filter((name) => /^[A-Za-z]+$/.test(name)).map((name) => name.toLowerCase()),
          );
        else assert.deepEqual(values, values.toSorted());
      });
    }

    test('a client that is renamed between two pages neither hides nor repeats another', async () => {
      const first = await list('limit=3&sort=name');
      const [moved] = first.data;
      const headers = { 'If-Match': '*' };
      const path = { clientId: moved!.clientId };
      await scene.succeed(scene.administrator, 'updateClient', { path, headers, body: { name: 'aaa' } });
      const rest = await list(`limit=100&sort=name&cursor=${first.nextCursor}`);
      const seen = [...first.data, ...rest.data].map(({ clientId }) => clientId);
      assert.equal(new Set(seen).size, seen.length);
      assert.equal(seen.length, first.total);
    });

    test('the total is of all that the filters find', async () => {
      const all = await list('limit=1');
      assert.equal(all.total, (await list('limit=100')).data.length);
      const long = await list('limit=1&tag=long');
      assert.equal(long.total, names.filter((name) => name.length > 4).length);
      assert.equal((await list('search=nobody')).total, 0);
    });
  });
}
