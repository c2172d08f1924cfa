import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import {
  type AuditEvent,
  newId,
  savedViewLimits,
  type SavedView,
  type SavedViews,
} from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { type Data, managementScene, type ManagementScene, type Person } from './scene.ts';

const query = 'outcome=refused&period=7d';

for (const backend of backends) {
  describe(`saved views of the request log on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let owner: Person;
    let developer: Person;
    let viewer: Person;
    before(async () => {
      scene = await managementScene(backend);
      owner = await scene.addPerson({ role: 'owner', name: 'Ada' });
      developer = await scene.addPerson({ role: 'developer', name: 'Dan' });
      viewer = await scene.addPerson({ role: 'viewer', name: 'Vera' });
    });
    after(() => scene.close());
    afterEach(async () => {
      await (await scene.database()).deleteFrom('saved_views').execute();
    });

    const add = (person: Person, body: object = {}): Promise<SavedView> =>
      scene.succeed<SavedView>(person, 'addSavedView', { body: { name: 'Mine', query, ...body } });
    const on = (
      { savedViewId }: SavedView,
      body?: object,
    ): { path: { savedViewId: string }; body?: object } => ({
      path: { savedViewId },
      ...(body && { body }),
    });
    const namesOf = async (person: Person): Promise<readonly string[]> => {
      const { items } = await scene.succeed<SavedViews>(person, 'listSavedViews');
      return items.map(({ name }) => name);
    };
    const changes = async (): Promise<readonly AuditEvent[]> => {
      const { data } = await scene.succeed<Data<AuditEvent>>(owner, 'listAuditEvents', {
        query: 'action=saved_view',
      });
      return data;
    };

    test('are for people who may read requests, and for no API client', async () => {
      await scene.refused(scene.administrator, 'listSavedViews', {}, 'permission_denied');
      const body = { name: 'Mine', query };
      await scene.refused(scene.administrator, 'addSavedView', { body }, 'permission_denied');
    });

    test('are rejected with an unreadable name, a search without a meaning, or too long a query', async () => {
      for (const body of [
        { name: '', query },
        { name: 'a\u202eb', query },
        { name: 'x'.repeat(101), query },
        { name: 'Mine', query: 'search=%22open' },
        { name: 'Mine', query: 'search=status%3Ateapot' },
        { name: 'Mine', query: 'x'.repeat(savedViewLimits.queryCharactersMax + 1) },
        { name: 'Mine', query: 7 },
        { name: 'Mine', query, isShared: 'yes' },
        { name: 'Mine' },
        { name: 'Mine', query, userId: viewer.userId },
      ])
        await scene.refused(owner, 'addSavedView', { body }, 'body_invalid');
      assert.deepEqual(await namesOf(owner), []);
    });

    test('keep what the list reads as filters, and nothing else of a hostile query', async () => {
      for (const [given, kept] of [
        ['', ''],
        ['?period=7d&outcome=refused', query],
        ['period=7d&outcome=refused&request=request_1&javascript:alert(1)', query],
        ['outcome=refused&outcome=accepted&period=7d', query],
        ['outcome=%00&client=a%0d%0aSet-Cookie:x&status=teapot&period=99d&sort=reason', ''],
        ['search=%3Cimg+src%3Dx%3E&__proto__=1&constructor=2', 'search=%3Cimg+src%3Dx%3E'],
        ['outcome=%E0%A4%A&period=custom&from=2026-11-20T00:00:00Z&to=x', undefined],
      ] as const) {
        const view = await add(owner, { name: `View of “${given}”`.slice(0, 60).trim(), query: given });
        if (kept !== undefined) assert.equal(view.query, kept, given);
        else assert.match(view.query, /period=custom&from=2026-11-20T00%3A00%3A00.000Z$/);
      }
    });

    test('have one name each for an author, whatever its case, but another author can use it too', async () => {
      const first = await add(owner);
      const second = await add(owner, { name: 'Other' });
      const { errors } = await scene.refused(
        owner,
        'addSavedView',
        { body: { name: 'MINE', query } },
        'body_invalid',
      );
      assert.equal(errors[0]?.pointer, '/name');
      await scene.refused(owner, 'updateSavedView', on(second, { name: 'mine' }), 'body_invalid');
      assert.equal(
        (await scene.succeed<SavedView>(owner, 'updateSavedView', on(first, { name: 'MINE' }))).name,
        'MINE',
      );
      await add(viewer);
    });

    test("are their author's alone until they are shared, and then everyone in the account reads them", async () => {
      const view = await add(developer);
      assert.deepEqual([view.isOwn, view.isShared, view.author?.name], [true, false, 'Dan']);
      for (const person of [owner, viewer]) {
        assert.deepEqual(await namesOf(person), []);
        await scene.refused(person, 'updateSavedView', on(view, { name: 'Taken' }), 'not_found');
        await scene.refused(person, 'removeSavedView', on(view), 'not_found');
      }
      await scene.succeed(developer, 'updateSavedView', on(view, { isShared: true }));
      const { items } = await scene.succeed<SavedViews>(viewer, 'listSavedViews');
      assert.deepEqual(
        items.map(({ name, isOwn, author }) => [name, isOwn, author?.name]),
        [['Mine', false, 'Dan']],
      );
    });

    test('that are shared are changed by their author and by who manages members, and shared by the author alone', async () => {
      const view = await add(developer, { isShared: true });
      await scene.refused(viewer, 'updateSavedView', on(view, { name: 'Taken' }), 'permission_denied');
      await scene.refused(viewer, 'removeSavedView', on(view), 'permission_denied');
      await scene.refused(owner, 'updateSavedView', on(view, { isShared: false }), 'permission_denied');
      const changed = await scene.succeed<SavedView>(
        owner,
        'updateSavedView',
        on(view, { name: 'Ours', query: 'status=5xx' }),
      );
      assert.deepEqual([changed.name, changed.query, changed.isOwn], ['Ours', 'status=5xx', false]);
      await scene.succeed(owner, 'removeSavedView', on(view));
      assert.deepEqual(await namesOf(developer), []);
      await scene.refused(developer, 'removeSavedView', on(view), 'not_found');
    });

    test('of another account do not exist', async () => {
      const { accountId } = await scene.addAccount();
      const stranger = await scene.addPerson({ accountId, role: 'owner' });
      const view = await add(owner, { isShared: true });
      assert.deepEqual(await namesOf(stranger), []);
      await scene.refused(stranger, 'updateSavedView', on(view, { name: 'Taken' }), 'not_found');
      await scene.refused(stranger, 'removeSavedView', on(view), 'not_found');
      // The same person in two accounts has separate views.
      const inBoth = { ...owner, accountId };
      await scene.refused(inBoth, 'listSavedViews', {}, 'not_found');
      await scene.refused(owner, 'removeSavedView', on({ ...view, savedViewId: newId('view') }), 'not_found');
      await scene.refused(owner, 'removeSavedView', on({ ...view, savedViewId: '%2e%2e' }), 'not_found');
    });

    test('are not saved by people who act for the account, who read and tidy up shared ones', async () => {
      const { accountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const manager = await scene.addPerson({ accountId, role: 'account-manager', name: 'Kim' });
      const body = { accountId: scene.accountId, reason: 'Help with the request log, ticket 4711' };
      await scene.succeed(manager, 'startActing', { body });
      const acting = { ...manager, accountId: scene.accountId };
      await scene.refused(acting, 'addSavedView', { body: { name: 'Mine', query } }, 'permission_denied');
      await add(owner);
      const shared = await add(owner, { name: 'Ours', isShared: true });
      assert.deepEqual(await namesOf(acting), ['Ours']);
      await scene.succeed(acting, 'removeSavedView', on(shared));
      const [removed] = await changes();
      assert.deepEqual([removed?.action, removed?.actor.name], ['saved_view.unshared', 'Kim']);
      assert.ok(removed?.actor.actingReason?.includes('ticket 4711'));
      await scene.succeed(acting, 'endActing');
    });

    test('are in the audit log as far as others see them', async () => {
      const countAtFirst = (await changes()).length;
      const view = await add(developer);
      await scene.succeed(developer, 'updateSavedView', on(view, { query: 'status=4xx' }));
      assert.equal((await changes()).length, countAtFirst);
      await scene.succeed(developer, 'updateSavedView', on(view, { isShared: true }));
      await scene.succeed(owner, 'updateSavedView', on(view, { query: 'status=5xx' }));
      await scene.succeed(owner, 'updateSavedView', on(view, { query: 'status=5xx' }));
      await scene.succeed(developer, 'updateSavedView', on(view, { isShared: false }));
      await scene.succeed(developer, 'removeSavedView', on(view));
      const events = (await changes()).slice(0, -countAtFirst || undefined).toReversed();
      assert.deepEqual(
        events.map(({ action, actor, before: old, after: now }) => [action, actor.name, old, now]),
        [
          ['saved_view.shared', 'Dan', undefined, { name: 'Mine', query: 'status=4xx' }],
          ['saved_view.updated', 'Ada', { query: 'status=4xx' }, { query: 'status=5xx' }],
          ['saved_view.unshared', 'Dan', { name: 'Mine', query: 'status=5xx' }, undefined],
        ],
      );
    });

    test('that a member did not share are gone with the member, and shared ones stay', async () => {
      const leaver = await scene.addPerson({ role: 'developer', name: 'Lea' });
      await add(leaver);
      const shared = await add(leaver, { name: 'Ours', isShared: true });
      await scene.succeed(owner, 'removeMember', { path: { userId: leaver.userId } });
      const rows = await (await scene.database()).selectFrom('saved_views').select('name').execute();
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['Ours'],
      );
      assert.deepEqual(await namesOf(viewer), ['Ours']);
      await scene.succeed(owner, 'removeSavedView', on(shared));
    });

    test('are limited in number for each person, and those that are shared for the account', async () => {
      const fill = async (person: Person, count: number, isShared: 0 | 1): Promise<void> => {
        const values = Array.from({ length: count }, (_, index) => ({
          saved_view_id: newId('view'),
          account_id: scene.accountId,
          user_id: person.userId,
          name: `View ${index}`,
          search_name: `view ${index}`,
          query,
          is_shared: isShared,
          created_at_ms: 0,
          updated_at_ms: 0,
        }));
        await (await scene.database()).insertInto('saved_views').values(values).execute();
      };
      await fill(viewer, savedViewLimits.perPersonMax, 0);
      await scene.refused(viewer, 'addSavedView', { body: { name: 'Mine', query } }, 'body_invalid');
      await fill(developer, savedViewLimits.sharedPerAccountMax, 1);
      const body = { name: 'Mine', query, isShared: true };
      const { errors } = await scene.refused(owner, 'addSavedView', { body }, 'body_invalid');
      assert.equal(errors[0]?.pointer, '/isShared');
      const view = await add(owner);
      await scene.refused(owner, 'updateSavedView', on(view, { isShared: true }), 'body_invalid');
    });
  });
}
