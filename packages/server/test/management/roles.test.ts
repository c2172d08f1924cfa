import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { builtInRoles, isClientPermission, permissions, type PermissionEntry } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { type Data, managementScene, type ManagementScene, type Role } from './scene.ts';

for (const backend of backends) {
  describe(`roles on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    const headers = { 'If-Match': '*' };
    const add = (name: string, granted: readonly string[] = ['payments:read']): Promise<Role> =>
      scene.succeed<Role>(scene.administrator, 'addRole', { body: { name, permissions: granted } });

    test('a role with a mistake is not added', async () => {
      const cases: [object, string[]][] = [
        [{}, ['/name', '/permissions']],
        [{ name: 'Two Words', permissions: [] }, ['/name', '/permissions']],
        [{ name: 'a', permissions: ['payments:read', 'payments:*'] }, ['/permissions/1']],
        [{ name: 'a-', permissions: ['payments:read'], summary: 'a\u0000' }, ['/name', '/summary']],
        [{ name: 'a', permissions: ['payments:read'], roleId: 'x' }, ['/roleId']],
      ];
      for (const [body, pointers] of cases) {
        const { errors } = await scene.refused(scene.administrator, 'addRole', { body }, 'body_invalid');
        assert.deepEqual(errors.map(({ pointer }) => pointer).toSorted(), pointers);
      }
    });

    test('a name stands once in an account, and never for a built-in role', async () => {
      await add('once');
      for (const name of ['once', 'auditor', 'operator']) {
        const body = { name, permissions: ['payments:read'] };
        await scene.refused(scene.administrator, 'addRole', { body }, 'role_name_taken');
      }
      const { roleId } = await add('twice');
      const change = { path: { roleId }, headers, body: { name: 'once' } };
      await scene.refused(scene.administrator, 'updateRole', change, 'role_name_taken');
      const other = await scene.addAccount();
      await scene.succeed(other, 'addRole', { body: { name: 'once', permissions: ['payments:read'] } });
    });

    test('a built-in role is shown and stays as it is', async () => {
      const path = { roleId: 'auditor' };
      const role = await scene.succeed<Role>(scene.administrator, 'getRole', { path });
      assert.deepEqual(
        [role.isBuiltIn, role.summary, role.permissions],
        [true, builtInRoles.auditor.summary, builtInRoles.auditor.permissions.toSorted()],
      );
      await scene.refused(scene.administrator, 'updateRole', { path, headers, body: {} }, 'role_built_in');
      await scene.refused(scene.administrator, 'removeRole', { path, headers }, 'role_built_in');
      for (const roleId of ['no-role', 'role_x', '__proto__', `role_${'0'.repeat(26)}`])
        await scene.refused(scene.administrator, 'getRole', { path: { roleId } }, 'not_found');
    });

    test('a change counts for everyone who has the role, with the next request', async () => {
      const { roleId } = await add('reader');
      const path = { roleId };
      const caller = await scene.addCaller(['reader']);
      await scene.succeed(caller, 'listPayments');
      const etag = String((await scene.call(scene.administrator, 'getRole', { path })).headers['etag']);
      const change = { path, body: { permissions: ['requests:read'], name: 'looker', summary: 'Looks' } };
      await scene.refused(scene.administrator, 'updateRole', change, 'precondition_required');
      await scene.refused(
        scene.administrator,
        'updateRole',
        { ...change, headers: { 'If-Match': '"0"' } },
        'precondition_failed',
      );
      const changed = await scene.succeed<Role>(scene.administrator, 'updateRole', {
        ...change,
        headers: { 'If-Match': etag },
      });
      assert.deepEqual(
        [changed.name, changed.summary, changed.permissions],
        ['looker', 'Looks', ['requests:read']],
      );
      await scene.refused(caller, 'listPayments', { query: 'limit=1' }, 'permission_denied');
      const whoami = await scene.succeed<{ roles: string[]; permissions: string[] }>(caller, 'getWhoami');
      assert.deepEqual([whoami.roles, whoami.permissions], [['looker'], ['requests:read']]);
    });

    test('a role is removed when nobody has it', async () => {
      const { roleId } = await add('short-lived');
      const path = { roleId };
      const caller = await scene.addCaller(['short-lived']);
      const { reason } = await scene.refused(
        scene.administrator,
        'removeRole',
        { path, headers },
        'role_in_use',
      );
      assert.ok(reason.includes(caller.clientId));
      await scene.refused(scene.administrator, 'removeRole', { path }, 'precondition_required');
      const change = { path: { clientId: caller.clientId }, headers, body: { roles: [] } };
      await scene.succeed(scene.administrator, 'updateClient', change);
      const removed = await scene.succeed<Role>(scene.administrator, 'removeRole', { path, headers });
      assert.equal(removed.roleId, roleId);
      await scene.refused(scene.administrator, 'getRole', { path }, 'not_found');
      const body = { name: 'Shop', networkWhitelist: [{ entry: '0.0.0.0' }], roles: ['short-lived'] };
      await scene.refused(scene.administrator, 'addClient', { body }, 'body_invalid');
    });

    test('the list has the built-in ones that the account has, then its own, in pages', async () => {
      const all = await scene.succeed<Data<Role>>(scene.administrator, 'listRoles', { query: 'limit=100' });
      const builtIn = Object.keys(builtInRoles)
        .filter((name) => name !== 'operator')
        .toSorted();
      assert.deepEqual(
        all.data.filter(({ isBuiltIn }) => isBuiltIn).map(({ roleId }) => roleId),
        builtIn,
      );
      assert.ok(all.data.length > builtIn.length);
      const seen: string[] = [];
      let cursor = '';
      do {
        const query = `limit=2${cursor && `&cursor=${cursor}`}`;
        const page = await scene.succeed<Data<Role>>(scene.administrator, 'listRoles', { query });
        seen.push(...page.data.map(({ roleId }) => roleId));
        cursor = page.nextCursor ?? '';
      } while (cursor !== '');
      assert.deepEqual(
        seen,
        all.data.map(({ roleId }) => roleId),
      );
    });

    test('the permissions say which of them the caller holds', async () => {
      const { data } = await scene.succeed<Data<PermissionEntry>>(scene.administrator, 'listPermissions');
      assert.deepEqual(
        data.map(({ name }) => name),
        Object.keys(permissions).filter(isClientPermission).toSorted(),
      );
      assert.deepEqual(
        data.filter(({ isHeld }) => !isHeld).map(({ name }) => name),
        ['accounts:read', 'accounts:write'],
      );
    });
  });
}
