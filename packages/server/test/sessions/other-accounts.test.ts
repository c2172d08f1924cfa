import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Invitation,
  type PendingChange,
  newId,
  type OperationId,
  operations,
  type SavedView,
} from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import type { Answer } from '@countersign/testing/running-service';
import { addedNotice } from '../management/added-notice.ts';
import { requireSecondPerson } from '../management/guarded-calls.ts';
import { callOf, makeThings, type Things } from '../management/every-operation.ts';
import { stateOf } from '../management/persons.ts';
import { managementScene, type ManagementScene, type Person } from '../management/scene.ts';

/*
 * People with many rights in their own accounts name another account's objects, on every route and wherever an ID can go.
 * Nothing is found, revealed or changed.
 */

const forPeople = (Object.keys(operations) as OperationId[]).filter(
  (id) => operations[id].callers !== 'clients',
);
const withIds = forPeople.filter((id) => operations[id].path.includes('{'));
/** About all accounts; their permission counts only in the operator's account. */
const onAccounts: ReadonlySet<OperationId> = new Set<OperationId>([
  'getAccount',
  'updateAccount',
  'suspendAccount',
  'resumeAccount',
  'closeAccount',
]);
/** Lists of what belongs to no account in particular, which only the operator may see. */
const operatorLists: ReadonlySet<OperationId> = new Set<OperationId>([
  'listAccounts',
  'listAccountOverviews',
  'listServiceSettings',
  'listUnattributedRequests',
]);

for (const backend of backends) {
  describe(`people of one account and the ids of another on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let ids: Things &
      Readonly<Record<'userId' | 'invitationId' | 'noticeId' | 'pendingChangeId' | 'savedViewId', string>>;
    let attackers: readonly { readonly name: string; readonly person: Person }[];
    before(async () => {
      scene = await managementScene(backend);
      const things = await makeThings(scene, scene.administrator);
      const victim = await scene.addPerson({ role: 'owner' });
      const body = { email: 'invited@example.test', role: 'viewer' };
      const { invitationId } = await scene.succeed<Invitation>(victim, 'inviteMember', { body });
      const noticeId = await addedNotice(await scene.database(), scene.accountId, 'theirs', scene.nowMs());
      await requireSecondPerson(await scene.database(), scene.accountId);
      const { pendingChangeId } = await scene.succeed<PendingChange>(victim, 'inviteMember', {
        body: { email: 'second@example.test', role: 'owner' },
      });
      await requireSecondPerson(await scene.database(), scene.accountId, false);
      const { savedViewId } = await scene.succeed<SavedView>(victim, 'addSavedView', {
        body: { name: 'Theirs', query: 'status=4xx', isShared: true },
      });
      ids = { ...things, userId: victim.userId, invitationId, noticeId, pendingChangeId, savedViewId };
      attackers = await openAttackers(scene);
    });
    after(() => scene.close());

    const unchanged = async (work: () => Promise<void>): Promise<void> => {
      const database = await scene.database();
      const atFirst = await stateOf(database);
      await work();
      assert.equal(await stateOf(database), atFirst, 'something was changed');
    };

    for (const id of withIds) {
      test(`${id}: another account's ids are as unknown as ids that do not exist`, async () => {
        const call = callOf(scene, id, ids);
        const body = id === 'addKey' ? { publicKey: scene.freshKey().publicKey } : call.body;
        const named = { ...call, body, path: pathWith(id, ids) };
        for (const { name, person } of attackers) {
          // That is what the account of the operator is for.
          if (onAccounts.has(id) && name === 'the operator') continue;
          await unchanged(async () => {
            const code = onAccounts.has(id) ? 'permission_denied' : 'not_found';
            const { answer } = await scene.refused(person, id, named, code);
            const unknown = pathWith(id, Object.fromEntries(Object.entries(ids).map(unknownOf)));
            const other = await scene.refused(person, id, { ...named, path: unknown }, code);
            assert.deepEqual(withoutId(answer), withoutId(other.answer), name);
          });
        }
      });
    }

    test('no list has anything of another account, asked for or not', async () => {
      const lists = forPeople.filter(
        (id) => id.startsWith('list') && !operatorLists.has(id) && !withIds.includes(id),
      );
      for (const { name, person } of attackers) {
        for (const id of lists) {
          const answer = await scene.call(person, id);
          assert.equal(answer.status, 200, answer.text);
          for (const [what, value] of Object.entries(ids))
            assert.equal(answer.text.includes(value), false, `${name} ${id}: ${what}`);
          const asked = await scene.call(person, id, { query: `accountId=${ids.accountId}` });
          assert.ok([400, 404].includes(asked.status), `${name} ${id}: ${asked.text}`);
        }
        for (const id of ['listRequests', 'listAuditEvents'] as const) {
          const { data } = await scene.succeed<{ data: unknown[] }>(person, id, {
            query: `clientId=${ids.clientId}`,
          });
          assert.deepEqual(data, []);
        }
      }
    });

    test('no client is made in another account, and none gets a role of it', async () => {
      const body = { name: 'Shop', networkWhitelist: [{ entry: '0.0.0.0' }] };
      for (const { person } of attackers) {
        await unchanged(async () => {
          await scene.refused(
            person,
            'addClient',
            { body: { ...body, accountId: ids.accountId } },
            'permission_denied',
          );
          await scene.refused(
            person,
            'addClient',
            { body: { ...body, clientId: 'chosen' } },
            'permission_denied',
          );
          await scene.refused(person, 'addClient', { body: { ...body, roles: ['thing'] } }, 'body_invalid');
        });
      }
    });

    test('no account but that of the person is worked in, however it is named', async () => {
      const { person } = attackers[0]!;
      const { accountId } = ids;
      const own = person.accountId;
      const headers = ['', '*', accountId, accountId.toUpperCase(), ` ${accountId}`, `${own},${accountId}`];
      await unchanged(async () => {
        for (const header of [
          ...headers,
          'account_',
          '%00',
          "' or 1=1 --",
          newId('account', scene.nowMs()),
        ]) {
          await scene.refused(
            person,
            'addRole',
            {
              body: { name: 'taken', permissions: ['payments:read'] },
              headers: { 'Countersign-Account': header },
            },
            'not_found',
          );
        }
        const both = [own, accountId].flatMap((value) => ['Countersign-Account', value]);
        const repeated = await scene.running.send({
          method: 'GET',
          url: '/v1/clients',
          headers: ['Host', 'api.example.test', 'Cookie', person.cookie, ...both],
        });
        assert.equal(repeated.json()['code'], 'not_found');
        const none = await scene.running.send({
          method: 'GET',
          url: `/v1/clients?account=${own}`,
          headers: { Cookie: person.cookie },
        });
        assert.equal(none.json()['code'], 'not_found');
      });
      for (const query of ['', `account=${accountId}`, `account=${own}&account=${accountId}`])
        await scene.refused(person, 'streamEvents', { query }, 'not_found');
    });

    test('a session is found by exactly its cookie', async () => {
      const { person } = attackers[0]!;
      const [cookie, token] = person.cookie.split('=') as [string, string];
      const others = [
        `${cookie}=`,
        `${cookie}=${token.slice(1)}`,
        `${cookie}="${token}"`,
        `${cookie}=${token}; ${cookie}=${token}`,
        `${cookie}=${encodeURIComponent(`${token}\0`)}`,
        `${cookie.toLowerCase()}=${token}`,
        `countersign-session=${token}`,
        `${cookie}=${person.sessionId}`,
        `${cookie}=' or 1=1 --`,
      ];
      for (const text of others)
        await scene.refused({ ...person, cookie: text }, 'listClients', {}, 'session_required');
      await scene.succeed({ ...person, cookie: `a=b; ${person.cookie}; c="d"` }, 'listClients');
    });
  });
}

async function openAttackers(
  scene: ManagementScene,
): Promise<readonly { readonly name: string; readonly person: Person }[]> {
  const { accountId } = await scene.addAccount();
  const owner = await scene.addPerson({ accountId, role: 'owner' });
  const { accountId: operatorAccountId } = await scene.addAccount({ isOperator: true, roles: ['operator'] });
  const operator = await scene.addPerson({ accountId: operatorAccountId, role: 'operator' });
  const acting = await scene.addPerson({ accountId: operatorAccountId, role: 'account-manager' });
  const body = { accountId, reason: 'To look at other accounts' };
  await scene.succeed(acting, 'startActing', { body });
  return [
    { name: 'the owner of another account', person: owner },
    { name: 'the operator', person: operator },
    { name: 'an account manager who acts for another account', person: { ...acting, accountId } },
  ];
}

function pathWith(
  id: OperationId,
  values: Readonly<Record<string, string>> | Things,
): Record<string, string> {
  const names = [...operations[id].path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const all: Record<string, string> = { ...values, entry: '0.0.0.0' };
  return Object.fromEntries(names.map((name) => [name, all[name]!]));
}

function unknownOf([name, value]: [string, string]): [string, string] {
  return [name, value.replace(/.{20}$/, '0'.repeat(20))];
}

function withoutId(answer: Answer): Record<string, unknown> {
  const { requestId: _unique, ...rest } = answer.json();
  return rest;
}
