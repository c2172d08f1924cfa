import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import {
  type Account,
  anywhere,
  type Caller,
  type Client,
  type Data,
  managementScene,
  type ManagementScene,
} from './scene.ts';

for (const backend of backends) {
  describe(`accounts on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let operator: Caller & { accountId: string };
    before(async () => {
      scene = await managementScene(backend);
      operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
    });
    after(() => scene.close());

    test('an account with a mistake is not added or changed', async () => {
      const headers = { 'If-Match': '*' };
      const path = { accountId: operator.accountId };
      const cases: [object, string[]][] = [
        [{ name: '' }, ['/name']],
        [{ name: 'A', keyAgeDaysMax: 0 }, ['/keyAgeDaysMax']],
        [{ name: 'A', keyAgeDaysMax: '90' }, ['/keyAgeDaysMax']],
        [{ name: 'A', isOperator: true }, ['/isOperator']],
      ];
      for (const [body, pointers] of cases) {
        for (const [id, options] of [
          ['addAccount', { body }],
          ['updateAccount', { path, headers, body }],
        ] as const) {
          const { errors } = await scene.refused(operator, id, options, 'body_invalid');
          assert.deepEqual(
            errors.map(({ pointer }) => pointer),
            pointers,
          );
        }
      }
      for (const accountId of ['account_x', `account_${'0'.repeat(26)}`])
        await scene.refused(operator, 'getAccount', { path: { accountId } }, 'not_found');
      const none = { path: { accountId: `account_${'0'.repeat(26)}` }, headers, body: {} };
      await scene.refused(operator, 'updateAccount', none, 'not_found');
    });

    test('an account is added, read and changed under its ETag', async () => {
      const added = await scene.call(operator, 'addAccount', {
        body: { name: 'Customer', keyAgeDaysMax: 90 },
      });
      const account = added.json() as unknown as Account;
      const path = { accountId: account.accountId };
      assert.equal(added.headers['location'], `/v1/accounts/${account.accountId}`);
      assert.deepEqual([account.name, account.isOperator, account.keyAgeDaysMax], ['Customer', false, 90]);
      assert.deepEqual(await scene.succeed(operator, 'getAccount', { path }), account);
      const body = { name: 'Renamed', keyAgeDaysMax: null };
      await scene.refused(operator, 'updateAccount', { path, body }, 'precondition_required');
      const headers = { 'If-Match': String(added.headers['etag']) };
      const changed = await scene.succeed<Account>(operator, 'updateAccount', { path, headers, body });
      assert.deepEqual([changed.name, changed.keyAgeDaysMax], ['Renamed', null]);
      await scene.refused(
        operator,
        'updateAccount',
        { path, headers, body: { name: 'Late' } },
        'precondition_failed',
      );
    });

    test('the operator registers a client for a customer, with the clientId that it had elsewhere', async () => {
      const { accountId } = await scene.succeed<Account>(operator, 'addAccount', { body: { name: 'Mover' } });
      const clientId = '05515749-5a68-4df1-8954-058c9d74c2cf';
      const body = {
        name: 'Moved',
        networkWhitelist: anywhere,
        accountId,
        clientId,
        roles: ['administrator'],
      };
      const client = await scene.succeed<Client>(operator, 'addClient', { body });
      assert.deepEqual([client.accountId, client.clientId], [accountId, clientId]);
      await scene.refused(operator, 'addClient', { body }, 'client_id_taken');
      for (const unknown of ['account_x', '', 'account_\u0000']) {
        const elsewhere = { ...body, clientId: 'other', accountId: unknown };
        const { errors } = await scene.refused(operator, 'addClient', { body: elsewhere }, 'body_invalid');
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          ['/accountId'],
        );
      }
      for (const bad of ['a b', 'a"b', '', '..', 'x'.repeat(257)]) {
        const wrong = { ...body, clientId: bad };
        await scene.refused(operator, 'addClient', { body: wrong }, 'body_invalid');
      }
    });

    test('the list has every account, in pages', async () => {
      const all = await scene.succeed<Data<Account>>(operator, 'listAccounts', { query: 'limit=100' });
      assert.ok(all.data.some(({ accountId }) => accountId === scene.accountId));
      assert.deepEqual(
        all.data.filter(({ isOperator }) => isOperator).map(({ accountId }) => accountId),
        [operator.accountId],
      );
      const first = await scene.succeed<Data<Account>>(operator, 'listAccounts', { query: 'limit=1' });
      const query = `limit=100&cursor=${first.nextCursor}`;
      const rest = await scene.succeed<Data<Account>>(operator, 'listAccounts', { query });
      assert.deepEqual([...first.data, ...rest.data], all.data);
    });

    test('accounts are found by a part of their name or the beginning of their id', async () => {
      const names = ['Größe 100%', 'GRÖSSE_2', 'Øresund \\ Søn', 'Café Zürich', 'cafe zurich'];
      const added: Account[] = [];
      for (const name of names)
        added.push(await scene.succeed<Account>(operator, 'addAccount', { body: { name } }));
      const found = async (search: string, more = ''): Promise<string[]> => {
        const query = `search=${encodeURIComponent(search)}${more}`;
        const { data } = await scene.succeed<Data<Account>>(operator, 'listAccounts', { query });
        return data.map(({ name }) => name);
      };
      assert.deepEqual(await found('größe'), ['Größe 100%']);
      assert.deepEqual(await found('GROSSE_'), ['GRÖSSE_2']);
      assert.deepEqual(await found('%'), ['Größe 100%']);
      assert.deepEqual(await found('\\ s'), ['Øresund \\ Søn']);
      assert.deepEqual(await found('fé zu'), ['Café Zürich', 'cafe zurich']);
      assert.deepEqual(await found('nobody'), []);
      assert.deepEqual(await found(added[1]!.accountId), ['GRÖSSE_2']);
      assert.deepEqual(await found(added[1]!.accountId.slice(1)), []);

      const query = 'search=zurich&limit=1';
      const first = await scene.succeed<Data<Account>>(operator, 'listAccounts', { query });
      assert.deepEqual(
        first.data.map(({ name }) => name),
        ['Café Zürich'],
      );
      assert.deepEqual(await found('zurich', `&limit=1&cursor=${first.nextCursor}`), ['cafe zurich']);
      const change = {
        path: { accountId: added[4]!.accountId },
        headers: { 'If-Match': '*' },
        body: { name: 'Basel' },
      };
      await scene.succeed(operator, 'updateAccount', change);
      assert.deepEqual(await found('zurich'), ['Café Zürich']);
      assert.deepEqual(await found('basel'), ['Basel']);
      for (const wrong of [
        'search=',
        `search=${'a'.repeat(101)}`,
        'search=a%00',
        'search=a&search=b',
        'name=a',
      ])
        await scene.refused(operator, 'listAccounts', { query: wrong }, 'query_invalid');
      await scene.refused(operator, 'listAccounts', { query: 'search=a&cursor=x' }, 'cursor_invalid');
    });
  });
}
