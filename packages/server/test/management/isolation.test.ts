import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OperationId, operations } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { callOf, makeThings, type Things } from './every-operation.ts';
import { type Caller, type Client, managementScene, type ManagementScene } from './scene.ts';

const withIds = (Object.keys(operations) as OperationId[]).filter(
  (id) => operations[id].path.includes('{') && operations[id].callers !== 'people',
);
const lists: readonly OperationId[] = [
  'listClients',
  'listRoles',
  'listRequests',
  'listReadiness',
  'listAuditEvents',
];

for (const backend of backends) {
  describe(`accounts are apart on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let stranger: Caller & { accountId: string };
    let things: Things;
    let atFirst: Record<string, unknown>;
    before(async () => {
      scene = await managementScene(backend);
      stranger = await scene.addAccount();
      things = await makeThings(scene, scene.administrator);
      atFirst = await state();
    });
    after(() => scene.close());

    const state = async (): Promise<Record<string, unknown>> => ({
      client: await scene.succeed<Client>(scene.administrator, 'getClient', {
        path: { clientId: things.clientId },
      }),
      role: await scene.succeed(scene.administrator, 'getRole', { path: { roleId: things.roleId } }),
      network: await scene.succeed(scene.administrator, 'getNetworkWhitelist', {
        path: { clientId: things.clientId },
      }),
    });

    for (const id of withIds) {
      test(`${id}: another account's ids are as unknown as ids that do not exist`, async () => {
        const call = callOf(scene, id, things);
        const body = id === 'addKey' ? { publicKey: scene.freshKey().publicKey } : call.body;
        const options = body === undefined ? call : { ...call, body };
        if (id.endsWith('Account')) {
          await scene.refused(stranger, id, options, 'permission_denied');
          return;
        }
        const { answer } = await scene.refused(stranger, id, options, 'not_found');
        const unknown = Object.fromEntries(
          Object.entries(things).map(([name, value]) => [name, value.replace(/.{20}$/, '0'.repeat(20))]),
        ) as unknown as Things;
        const none = callOf(scene, id, { ...unknown, clientId: unknown.clientId });
        const other = await scene.refused(
          stranger,
          id,
          { ...none, ...(body !== undefined && { body }) },
          'not_found',
        );
        assert.deepEqual(withoutId(answer.json()), withoutId(other.answer.json()));
      });
    }

    for (const id of lists) {
      test(`${id}: has nothing of another account, asked for or not`, async () => {
        const query = `accountId=${things.accountId}`;
        await scene.refused(stranger, id, { query }, 'not_found');
        const list = await scene.succeed<{ data: Record<string, unknown>[] }>(stranger, id);
        // The paths that the stranger has asked for itself.
        const text = JSON.stringify(list.data.map(({ url: _own, ...entry }) => entry));
        for (const [name, value] of Object.entries(things)) assert.equal(text.includes(value), false, name);
      });
    }

    test('a filter by a client of another account finds nothing', async () => {
      for (const id of ['listRequests', 'listAuditEvents'] as const) {
        const query = `clientId=${things.clientId}`;
        const { data } = await scene.succeed<{ data: unknown[] }>(stranger, id, { query });
        assert.deepEqual(data, []);
      }
      const search = await scene.succeed<{ data: unknown[] }>(stranger, 'listClients', {
        query: `search=${things.clientId}`,
      });
      assert.deepEqual(search.data, []);
    });

    test('a role of another account cannot be given, and no key of it is told of', async () => {
      const body = { name: 'Shop', networkWhitelist: [{ entry: '0.0.0.0' }], roles: ['thing'] };
      await scene.refused(stranger, 'addClient', { body }, 'body_invalid');
      const { publicKey } = scene.freshKey();
      await scene.succeed(scene.administrator, 'addClient', { body: { ...body, roles: [], publicKey } });
      const inspection = await scene.succeed(stranger, 'inspectKey', { body: { publicKey } });
      assert.equal(inspection['isAcceptable'], true);
      assert.equal(inspection['registeredForClientId'], undefined);
      await scene.succeed(stranger, 'addClient', { body: { ...body, roles: [], publicKey } });
    });

    test('after all that, nothing has changed', async () => {
      assert.deepEqual(await state(), atFirst);
    });

    test('the operator reaches every account, and the audit event stands in the account that was changed', async () => {
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      const path = { clientId: things.clientId };
      await scene.succeed(operator, 'getClient', { path });
      await scene.succeed(operator, 'disableClient', { path });
      const query = `clientId=${things.clientId}&action=client.disabled`;
      const { data } = await scene.succeed<{ data: { actor: unknown; accountId: string }[] }>(
        scene.administrator,
        'listAuditEvents',
        { query },
      );
      assert.deepEqual(
        data.map(({ actor, accountId }) => [actor, accountId]),
        [[{ kind: 'client', id: operator.clientId }, things.accountId]],
      );
      for (const id of lists) await scene.succeed(operator, id, { query: `accountId=${things.accountId}` });
    });
  });
}

function withoutId(body: Record<string, unknown>): Record<string, unknown> {
  const { requestId: _unique, ...rest } = body;
  return rest;
}
