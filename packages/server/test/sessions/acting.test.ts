import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Acting, Client, Invitation } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { beginRequest } from '../management/slow-request.ts';
import {
  anywhere,
  type Data,
  managementScene,
  type ManagementScene,
  type Person,
} from '../management/scene.ts';

/* An operator acts for a customer: for a while, in one session, for one account, and visibly. */

for (const backend of backends) {
  describe(`acting for a customer on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let operatorAccountId: string;
    let otherAccountId: string;
    before(async () => {
      scene = await managementScene(backend);
      ({ accountId: operatorAccountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] }));
      ({ accountId: otherAccountId } = await scene.addAccount());
    });
    after(() => scene.close());

    const reason = 'Help with the first client, ticket 4711';
    const newManager = (): Promise<Person> =>
      scene.addPerson({ accountId: operatorAccountId, role: 'account-manager', name: 'Kim' });
    const start = (person: Person, accountId = scene.accountId): Promise<Acting> =>
      scene.succeed<Acting>(person, 'startActing', { body: { accountId, reason } });
    const inCustomer = (person: Person, accountId = scene.accountId): Person => ({ ...person, accountId });
    const isOut = (person: Person): Promise<unknown> => scene.refused(person, 'listClients', {}, 'not_found');

    test('only somebody of the operator, only with a reason, and only for a customer that exists', async () => {
      const manager = await newManager();
      const refused = async (
        person: Person,
        body: object,
        code: 'body_invalid' | 'permission_denied',
      ): Promise<void> => {
        await scene.refused(person, 'startActing', { body }, code);
      };
      await refused(
        await scene.addPerson({ role: 'owner' }),
        { accountId: otherAccountId, reason },
        'permission_denied',
      );
      const viewer = await scene.addPerson({ accountId: operatorAccountId, role: 'viewer' });
      await refused(viewer, { accountId: scene.accountId, reason }, 'permission_denied');
      const { accountId } = scene;
      for (const text of ['', 'too short', ' with space ', 'x'.repeat(501), 'two\nlines of it', undefined])
        await refused(manager, { accountId, reason: text }, 'body_invalid');
      for (const id of ['', 'account_', operatorAccountId, `account_${'0'.repeat(26)}`, '\u0000', undefined])
        await refused(manager, { accountId: id, reason }, 'body_invalid');
      await isOut(inCustomer(manager));
    });

    test('the customer reads who, why, until when, and all that was done', async () => {
      const manager = await newManager();
      const { endsAt, accountName } = await start(manager);
      assert.equal(accountName, 'Example account');
      const body = { name: 'Made for you', networkWhitelist: anywhere };
      const { clientId } = await scene.succeed<Client>(inCustomer(manager), 'addClient', { body });
      await scene.succeed(inCustomer(manager), 'endActing');
      const { data } = await scene.succeed<Data<Record<string, unknown>>>(
        scene.administrator,
        'listAuditEvents',
        {
          query: `actorId=${manager.userId}`,
        },
      );
      const actor = { kind: 'person', id: manager.userId, name: 'Kim', actingReason: reason };
      assert.deepEqual(
        data.map((event) => [event['action'], event['actor'], event['accountId']]),
        ['acting.ended', 'client.added', 'acting.started'].map((action) => [action, actor, scene.accountId]),
      );
      assert.deepEqual(data[2]!['after'], { reason, endsAt });
      assert.deepEqual(data[1]!['targets'], [{ type: 'client', id: clientId }]);
    });

    test('it ends with its time', async () => {
      const manager = await newManager();
      await start(manager);
      await scene.spend(59 * 60_000, manager);
      await scene.succeed(inCustomer(manager), 'listClients');
      scene.clock.aheadMs += 60_000;
      await isOut(inCustomer(manager));
      await scene.refused(manager, 'endActing', {}, 'not_found');
    });

    test('it ends in the middle of a request', async () => {
      const manager = await newManager();
      await start(manager);
      const call = { body: { name: 'late', permissions: ['keys:read'] } };
      const begun = await beginRequest(scene, inCustomer(manager), 'addRole', call);
      await scene.succeed(manager, 'endActing');
      assert.equal((await begun.finish()).json()['code'], 'not_found');
      const roles = await scene.succeed<Data<{ name: string }>>(scene.administrator, 'listRoles');
      assert.equal(
        roles.data.some(({ name }) => name === 'late'),
        false,
      );
    });

    test('it is bound to its session', async () => {
      const manager = await newManager();
      const other = await scene.signIn(manager);
      await start(manager);
      await isOut(inCustomer(other));
      await scene.refused(other, 'endActing', {}, 'not_found');
      await scene.succeed(inCustomer(manager), 'listClients');
      // Another person's session cannot take it over, whatever the database says about its id.
      const thief = await newManager();
      await isOut(inCustomer(thief));
    });

    test('it is for one account: the next one ends the one before', async () => {
      const manager = await newManager();
      await start(manager);
      await isOut(inCustomer(manager, otherAccountId));
      await start(manager, otherAccountId);
      await isOut(inCustomer(manager));
      await scene.succeed(inCustomer(manager, otherAccountId), 'listClients');
      const ended = await scene.succeed<Acting>(manager, 'endActing');
      assert.equal(ended.accountId, otherAccountId);
      await isOut(inCustomer(manager, otherAccountId));
    });

    test('who acts reaches no accounts from there, and makes nobody an owner', async () => {
      const manager = await newManager();
      const owner = await scene.addPerson({ role: 'owner' });
      await start(manager);
      const acting = inCustomer(manager);
      for (const id of ['listAccounts', 'getServiceHealth'] as const)
        await scene.refused(acting, id, {}, 'permission_denied');
      await scene.refused(
        acting,
        'startActing',
        { body: { accountId: otherAccountId, reason } },
        'permission_denied',
      );
      await scene.refused(
        acting,
        'inviteMember',
        { body: { email: 'd@example.test', role: 'owner' } },
        'permission_denied',
      );
      await scene.refused(acting, 'removeMember', { path: { userId: owner.userId } }, 'permission_denied');
      const own = { email: manager.email, role: 'admin' };
      const { reason: told } = await scene.refused(
        acting,
        'inviteMember',
        { body: own },
        'permission_denied',
      );
      assert.match(told, /yourself/);
    });

    test('the first owner of an account is invited by who acts for it; the second is not', async () => {
      const { accountId } = await scene.addAccount();
      const manager = await newManager();
      await start(manager, accountId);
      const acting = inCustomer(manager, accountId);
      const invite = { body: { email: 'first@example.test', role: 'owner' } };
      const { role } = await scene.succeed<Invitation>(acting, 'inviteMember', invite);
      assert.equal(role, 'owner');
      await scene.addPerson({ accountId, role: 'owner' });
      const second = { body: { email: 'second@example.test', role: 'owner' } };
      await scene.refused(acting, 'inviteMember', second, 'permission_denied');
    });

    test('what was sent while acting ends with the right to act', async () => {
      const losses = [
        async (operator: Person, { userId }: Person): Promise<unknown> =>
          scene.succeed(operator, 'removeMember', { path: { userId } }),
        async (operator: Person, { userId }: Person): Promise<unknown> =>
          scene.succeed(operator, 'changeMember', { path: { userId }, body: { role: 'viewer' } }),
      ];
      for (const lose of losses) {
        const { accountId } = await scene.addAccount();
        const owner = await scene.addPerson({ accountId, role: 'owner' });
        const operator = await scene.addPerson({ accountId: operatorAccountId, role: 'operator' });
        const manager = await newManager();
        await start(manager, accountId);
        const own = { body: { email: 'at-home@example.test', role: 'admin' } };
        await scene.succeed(inCustomer(manager, accountId), 'inviteMember', own);
        await scene.succeed(owner, 'inviteMember', { body: { ...own.body, email: 'ours@example.test' } });
        await lose(operator, manager);
        const { data } = await scene.succeed<Data<Invitation>>(owner, 'listInvitations');
        assert.deepEqual(
          data.map(({ email }) => email),
          ['ours@example.test'],
        );
      }
    });

    test('it ends at once when the operator takes the role away, or the session ends', async () => {
      const losses = [
        async (manager: Person): Promise<unknown> =>
          (await scene.database()).deleteFrom('members').where('user_id', '=', manager.userId).execute(),
        async (manager: Person): Promise<unknown> =>
          (await scene.database())
            .updateTable('members')
            .set({ role: 'viewer' })
            .where('user_id', '=', manager.userId)
            .execute(),
      ];
      for (const lose of losses) {
        const manager = await newManager();
        await start(manager);
        await scene.succeed(inCustomer(manager), 'listClients');
        await lose(manager);
        await isOut(inCustomer(manager));
      }
      const manager = await newManager();
      await start(manager);
      const database = await scene.database();
      await database.deleteFrom('person_sessions').where('session_id', '=', manager.sessionId).execute();
      await scene.refused(inCustomer(manager), 'listClients', {}, 'session_required');
      const rows = await database
        .selectFrom('acting_sessions')
        .selectAll()
        .where('session_id', '=', manager.sessionId)
        .execute();
      assert.deepEqual(rows, []);
    });
  });
}
