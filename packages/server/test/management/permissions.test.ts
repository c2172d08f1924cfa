import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type BuiltInRole, builtInRoles, type OperationId, operations } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { callOf, makeThings, type Things } from './every-operation.ts';
import { anywhere, type Caller, managementScene, type ManagementScene } from './scene.ts';

const everyOperation = Object.keys(operations) as OperationId[];
const forClients = everyOperation.filter((id) => operations[id].callers !== 'people');
const forPeople = everyOperation.filter((id) => operations[id].callers === 'people');

describe('each operation for each built-in role', () => {
  let scene: ManagementScene;
  let things: Things;
  const callers = new Map<BuiltInRole | 'none', Caller>();
  before(async () => {
    scene = await managementScene(sqlite);
    const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
    things = await makeThings(scene, scene.administrator);
    for (const role of Object.keys(builtInRoles) as BuiltInRole[]) {
      if (role === 'operator') callers.set(role, operator);
      else callers.set(role, await scene.addCaller([role]));
    }
    callers.set('none', await scene.addCaller([]));
  });
  after(() => scene.close());

  for (const id of forPeople) {
    test(`${id} is for people: no role of a client permits it`, async () => {
      for (const [role, caller] of callers) {
        const { reason } = await scene.refused(caller, id, callOf(scene, id, things), 'permission_denied');
        assert.match(reason, /only members/, role);
      }
    });
  }

  for (const id of forClients) {
    const { permission } = operations[id];
    test(`${id} asks for ${permission ?? 'nothing'}`, async () => {
      for (const [role, caller] of callers) {
        const held: readonly string[] = role === 'none' ? [] : builtInRoles[role].permissions;
        const answer = await scene.call(caller, id, callOf(scene, id, things));
        const code = answer.status === 403 ? answer.json()['code'] : undefined;
        const isPermitted = permission === undefined || held.includes(permission);
        assert.equal(code === 'permission_denied', !isPermitted, `${role}: ${answer.status} ${answer.text}`);
      }
    });
  }
});

for (const backend of backends) {
  describe(`the ceiling on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    /** May manage clients, keys and roles, but not make payments. */
    let manager: Caller;
    /** May make payments. */
    let payer: Caller;
    before(async () => {
      scene = await managementScene(backend);
      const permissions = [
        'clients:read',
        'clients:write',
        'keys:read',
        'keys:write',
        'roles:read',
        'roles:write',
        'payments:read',
      ];
      await scene.succeed(scene.administrator, 'addRole', { body: { name: 'manager', permissions } });
      manager = await scene.addCaller(['manager']);
      payer = await scene.addCaller(['payments-operator']);
    });
    after(() => scene.close());

    const headers = { 'If-Match': '*' };
    const refused = async (
      id: OperationId,
      options: Parameters<ManagementScene['call']>[2],
    ): Promise<void> => {
      const { reason } = await scene.refused(manager, id, options ?? {}, 'permission_not_held');
      assert.match(reason, /payments:write/);
    };

    test('no client is added with a role that permits more', async () => {
      const body = { name: 'More', networkWhitelist: anywhere };
      for (const roles of [['payments-operator'], ['auditor', 'payments-operator']])
        await scene.refused(manager, 'addClient', { body: { ...body, roles } }, 'permission_not_held');
      await scene.succeed(manager, 'addClient', { body: { ...body, roles: ['payments-reader'] } });
    });

    test('no client is given more, itself neither', async () => {
      for (const { clientId } of [manager, await scene.addCaller([])]) {
        const path = { clientId };
        await refused('updateClient', { path, headers, body: { roles: ['manager', 'payments-operator'] } });
      }
    });

    test('what a client has already may stay, and may be taken away', async () => {
      const { clientId } = await scene.addCaller(['payments-operator', 'auditor']);
      const path = { clientId };
      const kept = { roles: ['payments-operator', 'payments-reader'] };
      await scene.succeed(manager, 'updateClient', { path, headers, body: kept });
      await scene.succeed(manager, 'updateClient', { path, headers, body: { roles: [] } });
    });

    test('no role is added or extended by what one does not hold', async () => {
      await refused('addRole', { body: { name: 'more', permissions: ['payments:read', 'payments:write'] } });
      const { roleId } = await scene.succeed<{ roleId: string }>(manager, 'addRole', {
        body: { name: 'less', permissions: ['payments:read'] },
      });
      const path = { roleId };
      await refused('updateRole', {
        path,
        headers,
        body: { permissions: ['payments:read', 'payments:write'] },
      });
      await scene.succeed(scene.administrator, 'updateRole', {
        path,
        headers,
        body: { permissions: ['payments:read', 'payments:write', 'audit:read'] },
      });
      const kept = { permissions: ['payments:write', 'clients:read'] };
      await scene.succeed(manager, 'updateRole', { path, headers, body: kept });
    });

    test('nobody makes a client that may do more sign with a key of theirs, or call from elsewhere', async () => {
      const path = { clientId: payer.clientId };
      await refused('addKey', { path, body: { publicKey: scene.freshKey().publicKey } });
      await refused('addNetworkEntry', { path, body: { entry: '10.0.0.1' } });
      await refused('replaceNetworkWhitelist', { path, headers, body: { entries: anywhere } });
      await refused('updateClient', { path, headers, body: { acceptWithoutDate: true } });
      await scene.succeed(manager, 'disableClient', { path });
      await refused('enableClient', { path });
      await scene.succeed(scene.administrator, 'enableClient', { path });
    });

    test('what takes away is always possible: retiring and revoking keys, disabling and revoking clients', async () => {
      const other = await scene.addCaller(['payments-operator']);
      const path = { clientId: other.clientId };
      const { data } = await scene.succeed<{ data: { keyId: string }[] }>(manager, 'listKeys', { path });
      const key = { ...path, keyId: data[0]!.keyId };
      await scene.succeed(manager, 'retireKey', { path: key });
      const body = { endsAt: new Date(scene.nowMs() + 80 * 86_400_000).toISOString() };
      await refused('extendKey', { path: key, body });
      await scene.succeed(manager, 'revokeKey', { path: key, body: { reason: 'superseded' } });
      await scene.succeed(manager, 'revokeClient', { path });
      await refused('restoreClient', { path });
    });

    test('the permissions of the operator are granted to nobody else, and count for nobody else', async () => {
      const rows = ['accounts:read', 'accounts:write'];
      for (const permission of rows) {
        const body = { name: 'accounts', permissions: ['payments:read', permission] };
        const { errors } = await scene.refused(scene.administrator, 'addRole', { body }, 'body_invalid');
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          ['/permissions/1'],
        );
      }
      const body = { name: 'Operator', networkWhitelist: anywhere, roles: ['operator'] };
      await scene.refused(scene.administrator, 'addClient', { body }, 'body_invalid');
      // Written directly to the database, or by an account that was once the operator's.
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      await scene.succeed(operator, 'listAccounts');
      await scene.change((registry) => registry.updateAccount(operator.accountId, { isOperator: false }));
      await scene.refused(operator, 'listAccounts', { query: 'limit=2' }, 'permission_denied');
      const { permissions } = await scene.succeed<{ permissions: string[] }>(operator, 'getWhoami');
      assert.equal(
        permissions.some((permission) => permission.startsWith('accounts:')),
        false,
      );
      await scene.refused(operator, 'getClient', { path: { clientId: payer.clientId } }, 'not_found');
    });
  });
}
