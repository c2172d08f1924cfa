import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ClientsChange } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import {
  anywhere,
  type Caller,
  type Client,
  type Data,
  managementScene,
  type ManagementScene,
} from './scene.ts';

interface Event {
  readonly action: string;
  readonly targets: readonly { readonly type: string; readonly id: string }[];
  readonly before?: Record<string, unknown>;
  readonly after?: Record<string, unknown>;
}

const office = { entry: '203.0.113.0/24', label: 'Office' };

for (const backend of backends) {
  describe(`changes of many clients on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let admin: Caller;
    before(async () => {
      scene = await managementScene(backend, {
        settings: { COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '1000000' },
      });
      admin = scene.administrator;
    });
    after(() => scene.close());

    let added = 0;
    const add = (body: object = {}, by: Caller = admin): Promise<Client> =>
      scene.succeed<Client>(by, 'addClient', {
        body: { name: `Shop ${++added}`, networkWhitelist: anywhere, ...body },
      });
    const addMany = async (count: number, body: object = {}): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) ids.push((await add(body)).clientId);
      return ids;
    };
    const chosen = (clientIds: readonly string[]): object => ({
      clients: clientIds.map((clientId) => ({ clientId })),
    });
    const change = (
      body: object,
      by: Parameters<ManagementScene['succeed']>[0] = admin,
    ): Promise<ClientsChange> => scene.succeed<ClientsChange>(by, 'changeClients', { body });
    const get = (clientId: string): Promise<Client> =>
      scene.succeed<Client>(admin, 'getClient', { path: { clientId } });
    const events = async (query = 'limit=100', by: Caller = admin): Promise<readonly Event[]> =>
      (await scene.succeed<Data<Event>>(by, 'listAuditEvents', { query })).data;
    const outcomes = ({ results }: ClientsChange): readonly (readonly unknown[])[] =>
      results.map(({ outcome, problem }) => [outcome, problem?.code]);

    test('a request that is wrong is refused as a whole, by its members', async () => {
      const clients = [{ clientId: 'a' }];
      const cases: readonly (readonly [body: object, ...pointers: string[]])[] = [
        [{ action: 'disable' }, '/clients'],
        [{ clients, filter: {}, action: 'disable' }, '/clients'],
        [{ clients: [], action: 'disable' }, '/clients'],
        [
          {
            clients: Array.from({ length: 201 }, (_, index) => ({ clientId: `c${index}` })),
            action: 'disable',
          },
          '/clients',
        ],
        [{ clients: [...clients, ...clients], action: 'disable' }, '/clients/1/clientId'],
        [{ clients: ['a'], action: 'disable' }, '/clients/0'],
        [{ clients: [{ clientId: 7 }], action: 'disable' }, '/clients/0/clientId'],
        [{ clients: [{ clientId: 'a', colour: 'x' }], action: 'disable' }, '/clients/0/colour'],
        [{ filter: { accountId: 'x' }, action: 'disable' }, '/filter/accountId'],
        [{ filter: { status: 'gone' }, action: 'disable' }, '/filter/status'],
        [{ clients, action: 'revoke' }, '/action'],
        [{ clients, action: 'add_tags' }, '/tags'],
        [{ clients, action: 'add_tags', tags: [] }, '/tags'],
        [{ clients, action: 'add_tags', tags: ['Not'] }, '/tags/0'],
        [{ clients, action: 'disable', tags: ['eu'] }, '/tags'],
        [{ clients, action: 'add_roles', roles: ['no-such-role'] }, '/roles/0'],
        [{ clients, action: 'remove_roles', roles: ['operator'] }, '/roles/0'],
        [
          { clients, action: 'add_network_entry', networkEntry: { entry: '10.0.0.1/8' } },
          '/networkEntry/entry',
        ],
        [{ clients, action: 'disable', dryRun: 'yes' }, '/dryRun'],
      ];
      for (const [body, ...pointers] of cases) {
        const { errors } = await scene.refused(admin, 'changeClients', { body }, 'body_invalid');
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          pointers,
          JSON.stringify(body),
        );
      }
    });

    test('a viewer may not, and neither may a session without a fresh proof; nothing is changed', async () => {
      const { clientId } = await add();
      const body = { ...chosen([clientId]), action: 'disable' };
      const viewer = await scene.addPerson({ role: 'viewer' });
      await scene.refused(viewer, 'changeClients', { body }, 'permission_denied');
      const developer = await scene.addPerson({ role: 'developer' });
      const stale = await scene.signIn(developer, { provedAtMs: scene.nowMs() - 11 * 60_000 });
      for (const dryRun of [true, false])
        await scene.refused(stale, 'changeClients', { body: { ...body, dryRun } }, 'step_up_required');
      const reader = await scene.addCaller(['auditor']);
      await scene.refused(reader, 'changeClients', { body }, 'permission_denied');
      assert.equal((await get(clientId)).status, 'active');
      assert.equal((await change(body, developer)).changed, 1);
      assert.equal((await get(clientId)).status, 'disabled');
    });

    test("another account's clients do not exist, by id and by filter, for the operator's clients neither", async () => {
      const other = await scene.addAccount();
      const theirs = await add({ tags: ['apart'] }, other);
      const ours = await add({ tags: ['apart'] });
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      for (const by of [admin, operator]) {
        const { results } = await change(
          { ...chosen([theirs.clientId, 'no-such-client']), action: 'disable' },
          by,
        );
        assert.deepEqual(
          results.map(({ clientId: _own, ...rest }) => rest),
          Array.from({ length: 2 }, () => ({
            outcome: 'failed',
            problem: { code: 'not_found', reason: 'There is no such client: check the clientId.' },
          })),
        );
      }
      const byFilter = await change({ filter: { tag: 'apart' }, action: 'disable' });
      assert.deepEqual(
        byFilter.results.map(({ clientId }) => clientId),
        [ours.clientId],
      );
      const seen = await scene.succeed<Client>(other, 'getClient', { path: { clientId: theirs.clientId } });
      assert.deepEqual([seen.status, seen.updatedAt], ['active', theirs.updatedAt]);
      assert.equal(
        (await events('limit=100', other)).some(({ action }) => action === 'clients.changed'),
        false,
      );
    });

    test('takes a network away from forty clients: first shown, then done, and each has its event', async () => {
      const both = { networkWhitelist: [office, { entry: '198.51.100.7' }], tags: ['forty'] };
      const ids = await addMany(40, both);
      const last = await add({ networkWhitelist: [office], tags: ['forty'] });
      const without = await add({ tags: ['forty'] });
      const body = {
        filter: { tag: 'forty' },
        action: 'remove_network_entry',
        networkEntry: { entry: '203.0.113.0/24' },
      };
      const eventsBefore = await events('limit=1');
      const preview = await change({ ...body, dryRun: true });
      assert.deepEqual(
        [preview.isDryRun, preview.changed, preview.unchanged, preview.failed],
        [true, 40, 1, 1],
      );
      assert.deepEqual(await events('limit=1'), eventsBefore);
      assert.equal((await get(ids[0]!)).network.entries, 2);
      const clients = preview.results
        .filter(({ outcome }) => outcome === 'changed')
        .map(({ clientId, etag }) => ({ clientId, etag }));
      const { filter: _replaced, ...wanted } = body;
      const done = await change({ ...wanted, clients });
      assert.deepEqual([done.isDryRun, done.changed, done.unchanged, done.failed], [false, 40, 0, 0]);
      assert.deepEqual(done.results[0]?.before, { networkEntry: office });
      for (const clientId of ids) assert.equal((await get(clientId)).network.entries, 1);
      assert.deepEqual(
        [(await get(last.clientId)).network.entries, (await get(without.clientId)).network.isEveryone],
        [1, true],
      );
      const [summary, ...single] = await events('limit=41');
      assert.deepEqual(
        [summary?.action, summary?.targets, summary?.after],
        [
          'clients.changed',
          [{ type: 'account', id: scene.accountId }],
          {
            action: 'remove_network_entry',
            networkEntry: { entry: '203.0.113.0/24' },
            clients: 40,
            failed: 0,
          },
        ],
      );
      assert.deepEqual(new Set(single.map(({ action }) => action)), new Set(['network.removed']));
      assert.deepEqual(single.map(({ targets }) => targets[0]?.id ?? '').toSorted(), ids.toSorted());
      const again = await change(body);
      assert.deepEqual([again.changed, again.unchanged, again.failed], [0, 41, 1]);
      assert.deepEqual(
        outcomes(again).filter(([outcome]) => outcome === 'failed'),
        [['failed', 'network_entry_last']],
      );
      assert.deepEqual((await events('limit=1'))[0], summary, 'a change of nothing is no event');
    });

    test('a client that was changed since is left as it is, and the others are changed', async () => {
      const [one, two] = await addMany(2);
      const preview = await change({ ...chosen([one!, two!]), action: 'disable', dryRun: true });
      const headers = { 'If-Match': '*' };
      await scene.succeed(admin, 'updateClient', {
        path: { clientId: one! },
        headers,
        body: { name: 'Meanwhile' },
      });
      const clients = preview.results.map(({ clientId, etag }) => ({ clientId, etag }));
      const done = await change({ clients, action: 'disable' });
      assert.deepEqual(outcomes(done), [
        ['failed', 'precondition_failed'],
        ['changed', undefined],
      ]);
      assert.equal(done.results[0]?.etag, await scene.etagOf(admin, one!));
      assert.equal(done.results[1]?.etag, await scene.etagOf(admin, two!));
      assert.deepEqual([(await get(one!)).status, (await get(two!)).status], ['active', 'disabled']);
    });

    test('every action does what the single change does, and its opposite undoes it', async () => {
      const { clientId, ...client } = await add({
        tags: ['kept'],
        roles: ['payments-reader'],
        networkWhitelist: [{ entry: '198.51.100.7' }],
      });
      const pairs = [
        [{ action: 'disable' }, { action: 'enable' }, { status: 'disabled' }],
        [
          { action: 'add_tags', tags: ['b', 'a'] },
          { action: 'remove_tags', tags: ['a', 'b'] },
          { tags: ['a', 'b', 'kept'] },
        ],
        [
          { action: 'add_roles', roles: ['auditor'] },
          { action: 'remove_roles', roles: ['auditor'] },
          { roles: ['auditor', 'payments-reader'] },
        ],
        [
          { action: 'add_network_entry', networkEntry: office },
          { action: 'remove_network_entry', networkEntry: { entry: office.entry } },
          { network: { entries: 2, isEveryone: false } },
        ],
      ] as const;
      for (const [there, back, shown] of pairs) {
        assert.deepEqual(outcomes(await change({ ...chosen([clientId]), ...there })), [
          ['changed', undefined],
        ]);
        const changed = await get(clientId);
        for (const [name, value] of Object.entries(shown)) assert.deepEqual(changed[name as 'tags'], value);
        assert.deepEqual(outcomes(await change({ ...chosen([clientId]), ...there })), [
          ['unchanged', undefined],
        ]);
        assert.deepEqual(outcomes(await change({ ...chosen([clientId]), ...back })), [
          ['changed', undefined],
        ]);
        const { status, tags, roles, network } = await get(clientId);
        assert.deepEqual(
          { status, tags, roles, network },
          { status: client.status, tags: client.tags, roles: client.roles, network: client.network },
        );
      }
    });

    test('what one client cannot have fails for that client alone', async () => {
      const many = Array.from({ length: 20 }, (_, index) => `t${index}`);
      const full = await add({ tags: many });
      const revoked = await add();
      await scene.succeed(admin, 'revokeClient', { path: { clientId: revoked.clientId } });
      const fine = await add();
      const ids = [full.clientId, revoked.clientId, fine.clientId];
      const done = await change({ ...chosen(ids), action: 'add_tags', tags: ['t0', 'more'] });
      assert.deepEqual(outcomes(done), [
        ['failed', 'body_invalid'],
        ['failed', 'client_state_conflict'],
        ['changed', undefined],
      ]);
      assert.equal(done.results[0]?.problem?.reason, 'A client has at most 20 tags.');
      assert.deepEqual((await get(full.clientId)).tags, full.tags);
      assert.deepEqual((await get(fine.clientId)).tags, ['more', 't0']);
    });

    test('nobody grants what they do not hold, to any of them', async () => {
      const body = { name: 'manager', permissions: ['clients:read', 'clients:write', 'payments:read'] };
      await scene.succeed(admin, 'addRole', { body });
      const manager = await scene.addCaller(['manager']);
      const payer = await add({ roles: ['payments-operator'] });
      const reader = await add({ roles: ['payments-reader'] });
      const both = chosen([payer.clientId, reader.clientId]);
      const network = { action: 'add_network_entry', networkEntry: office };
      assert.deepEqual(outcomes(await change({ ...both, ...network }, manager)), [
        ['failed', 'permission_not_held'],
        ['changed', undefined],
      ]);
      const roles = { action: 'add_roles', roles: ['payments-operator'] };
      assert.deepEqual(outcomes(await change({ ...both, ...roles }, manager)), [
        ['unchanged', undefined],
        ['failed', 'permission_not_held'],
      ]);
      assert.deepEqual(outcomes(await change({ ...both, action: 'disable' }, manager)), [
        ['changed', undefined],
        ['changed', undefined],
      ]);
      assert.deepEqual(outcomes(await change({ ...both, action: 'enable' }, manager)), [
        ['failed', 'permission_not_held'],
        ['changed', undefined],
      ]);
    });

    test('a client that changes itself too is changed last', async () => {
      const caller = await scene.addCaller(['administrator']);
      const other = await add();
      const done = await change({ ...chosen([caller.clientId, other.clientId]), action: 'disable' }, caller);
      assert.deepEqual(
        done.results.map(({ clientId, outcome }) => [clientId, outcome]),
        [
          [caller.clientId, 'changed'],
          [other.clientId, 'changed'],
        ],
      );
      await scene.refused(caller, 'listClients', {}, 'client_disabled');
    });

    test('a filter that finds too many is refused; 200 are changed at once', async () => {
      const tag = 'crowd';
      await scene.change(async (registry) => {
        const { accountId } = scene;
        for (let index = 0; index < 201; index += 1)
          await registry.addClient({
            name: `n${index}`,
            accountId,
            network: ['0.0.0.0'],
            roles: [],
            tags: [tag],
          });
      });
      const { errors } = await scene.refused(
        admin,
        'changeClients',
        { body: { filter: { tag }, action: 'disable' } },
        'body_invalid',
      );
      assert.deepEqual(
        errors.map(({ pointer, detail }) => [pointer, detail]),
        [['/filter', 'It matches more than 200 clients: narrow it.']],
      );
      await change({ filter: { search: 'n0' }, action: 'remove_tags', tags: [tag] });
      const done = await change({ filter: { tag }, action: 'disable' });
      assert.deepEqual([done.changed, done.unchanged, done.failed], [200, 0, 0]);
    });
  });
}
