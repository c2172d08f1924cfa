import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AuditEvent, OpenApiDocument, PermissionEntry, Whoami } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { runService } from '@countersign/testing/running-service';
import { ConfigurationError } from '../../src/configuration/load.ts';
import { type Caller, type Data, managementScene, type ManagementScene, type Role } from './scene.ts';

const settings = { COUNTERSIGN_PERMISSIONS: 'invoices:read=Read invoices; invoices:write = Change invoices' };

for (const backend of backends) {
  describe(`permissions of a deployment on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend, { settings });
    });
    after(() => scene.close());

    const addRole = (
      name: string,
      permissions: readonly string[],
      by: Caller = scene.administrator,
    ): Promise<Role> => scene.succeed<Role>(by, 'addRole', { body: { name, permissions } });

    test('stand in the list beside those of the service, and administrators hold them', async () => {
      const { data } = await scene.succeed<Data<PermissionEntry>>(scene.administrator, 'listPermissions');
      const added = data.filter(({ name }) => name.startsWith('invoices:'));
      assert.deepEqual(added, [
        { name: 'invoices:read', summary: 'Read invoices', isHeld: true },
        { name: 'invoices:write', summary: 'Change invoices', isHeld: true },
      ]);
      assert.ok(data.some(({ name }) => name === 'payments:read'));
      const administrator = await scene.succeed<Role>(scene.administrator, 'getRole', {
        path: { roleId: 'administrator' },
      });
      assert.ok(administrator.permissions.includes('invoices:write'));
    });

    test('are given by a role, and shown by whoami and audit log', async () => {
      const { roleId } = await addRole('biller', ['invoices:read', 'payments:read']);
      const biller = await scene.addCaller(['biller']);
      const whoami = await scene.succeed<Whoami>(biller, 'getWhoami');
      assert.deepEqual(whoami.permissions, ['invoices:read', 'payments:read']);
      const { data } = await scene.succeed<Data<AuditEvent>>(scene.administrator, 'listAuditEvents', {
        query: 'action=role.added',
      });
      const event = data.find(({ targets }) => targets.some(({ id }) => id === roleId));
      assert.deepEqual(event?.after?.['permissions'], ['invoices:read', 'payments:read']);
    });

    test('are under the ceiling: nobody grants one that they do not hold', async () => {
      await addRole('half', ['invoices:read', 'roles:read', 'roles:write']);
      const half = await scene.addCaller(['half']);
      await addRole('read-only', ['invoices:read'], half);
      const body = { name: 'read-write', permissions: ['invoices:read', 'invoices:write'] };
      const { reason } = await scene.refused(half, 'addRole', { body }, 'permission_not_held');
      assert.match(reason, /invoices:write/);
    });

    test('that do not exist are refused, with the place of each', async () => {
      for (const [index, permission] of [
        'invoices:delete',
        'payments:refund',
        'members:read',
        'Invoices:read',
      ].entries()) {
        const body = { name: `wrong-${index}`, permissions: ['invoices:read', permission] };
        const { errors } = await scene.refused(scene.administrator, 'addRole', { body }, 'body_invalid');
        assert.deepEqual(errors, [
          {
            pointer: '/permissions/1',
            detail: 'Write a permission that GET /v1/permissions lists.',
          },
        ]);
      }
    });

    test('that the deployment no longer has count for nothing, are kept and shown as unknown', async () => {
      const { roleId } = await addRole('old', ['invoices:read']);
      const old = await scene.addCaller(['old']);
      await scene.whileLocked(async (transaction) => {
        await transaction
          .insertInto('role_permissions')
          .values({ role_id: roleId, permission: 'billing:read' })
          .execute();
      });
      const path = { roleId };
      const headers = { 'If-Match': '*' };
      // The node reads the role anew with its next change.
      const change = { path, headers, body: { summary: 'Billing of before' } };
      const role = await scene.succeed<Role>(scene.administrator, 'updateRole', change);
      assert.deepEqual(
        [role.permissions, role.unknownPermissions],
        [['billing:read', 'invoices:read'], ['billing:read']],
      );
      assert.deepEqual((await scene.succeed<Whoami>(old, 'getWhoami')).permissions, ['invoices:read']);
      // They stand in nobody's way.
      await scene.succeed(scene.administrator, 'disableClient', { path: { clientId: old.clientId } });
      await scene.succeed(scene.administrator, 'enableClient', { path: { clientId: old.clientId } });
      const widened = { permissions: ['billing:read', 'invoices:read', 'invoices:write'] };
      await scene.succeed(scene.administrator, 'updateRole', { path, headers, body: widened });
      const without = { permissions: ['invoices:read'] };
      const narrowed = await scene.succeed<Role>(scene.administrator, 'updateRole', {
        path,
        headers,
        body: without,
      });
      assert.equal(narrowed.unknownPermissions, undefined);
      await scene.refused(
        scene.administrator,
        'updateRole',
        { path, headers, body: widened },
        'body_invalid',
      );
    });

    test('stand in the OpenAPI document', async () => {
      const answer = await scene.running.send({ method: 'GET', url: '/openapi.json' });
      const { components } = answer.json() as unknown as OpenApiDocument;
      const listed = components.schemas['RoleRequest']?.properties?.['permissions']?.items?.enum ?? [];
      assert.ok(listed.includes('invoices:write') && listed.includes('payments:read'));
    });
  });
}

test('a deployment with wrong permissions does not start, and says everything that is wrong', async () => {
  const wrong = 'clients:delete=Ours; Invoices=x; invoices:read=; a:b=One; a:b=Two';
  await assert.rejects(runService({ COUNTERSIGN_PERMISSIONS: wrong }), (error) => {
    assert.ok(error instanceof ConfigurationError);
    assert.deepEqual(error.mistakes, [
      "COUNTERSIGN_PERMISSIONS: clients:delete must not name the resource clients, which is the service's own",
      'COUNTERSIGN_PERMISSIONS: Invoices must be resource:action, each of lower-case letters, digits and hyphens, such as invoices:read',
      'COUNTERSIGN_PERMISSIONS: invoices:read must have a summary of 1 to 100 characters',
      'COUNTERSIGN_PERMISSIONS: a:b must occur only once',
    ]);
    return true;
  });
});
