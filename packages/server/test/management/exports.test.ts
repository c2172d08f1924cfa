import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { anywhere, type Client, type Data, managementScene, type ManagementScene } from './scene.ts';

for (const backend of backends) {
  describe(`lists and exports on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    before(async () => {
      scene = await managementScene(backend);
    });
    after(() => scene.close());

    test('no separator of any country lets a formula begin in CSV, and NDJSON has the text as it is', async () => {
      const names = ['Shop;=1+1', 'Shop;@SUM(A1)', 'a;-1;+2', '=1+1'];
      const clients: string[] = [];
      for (const name of names) {
        const body = { name, networkWhitelist: anywhere };
        clients.push((await scene.succeed<Client>(scene.administrator, 'addClient', { body })).clientId);
      }
      const csv = await scene.call(scene.administrator, 'listAuditEvents', { query: 'format=csv&limit=100' });
      assert.doesNotMatch(csv.text, /(?:^|[,;\t\n])"?[=+@-]/);
      for (const text of ["Shop;'=1+1", "Shop;'@SUM", "a;'-1;'+2"]) assert.ok(csv.text.includes(text), text);
      const query = 'format=ndjson&limit=100';
      const ndjson = await scene.call(scene.administrator, 'listAuditEvents', { query });
      for (const name of names) assert.ok(ndjson.text.includes(JSON.stringify(name)), name);
    });

    test('no cell of CSV holds JSON', async () => {
      const networkWhitelist = [{ entry: '203.0.113.0/24', label: 'Office' }, { entry: '2001:db8::7' }];
      const body = { name: 'Importer', networkWhitelist, roles: ['payments-reader', 'auditor'] };
      const { clientId } = await scene.succeed<Client>(scene.administrator, 'addClient', { body });
      const query = `format=csv&clientId=${clientId}`;
      const { text } = await scene.call(scene.administrator, 'listAuditEvents', { query });
      const [, row = ''] = text.split('\r\n');
      assert.match(row, /"name: Importer; .*roles: payments-reader, auditor/);
      assert.match(row, /203\.0\.113\.0\/24 Office, 2001:db8::7/);
      assert.ok(row.includes(`client ${clientId}`), row);
      assert.doesNotMatch(text, /[{}[\]]/);
    });

    test('the answer to an unknown role names some roles, not thousands', async () => {
      for (let index = 0; index < 60; index += 1) {
        const body = { name: `own-${index}`, permissions: ['payments:read'] };
        await scene.succeed(scene.administrator, 'addRole', { body });
      }
      const body = { name: 'Shop', networkWhitelist: anywhere, roles: ['nothing'] };
      const { errors } = await scene.refused(scene.administrator, 'addClient', { body }, 'body_invalid');
      assert.match(errors[0]?.detail ?? '', /administrator, .* and 18 others\.$/);
    });

    test('an account that does not exist has no lists', async () => {
      const operator = await scene.addAccount({ isOperator: true, roles: ['operator'] });
      for (const id of ['listClients', 'listRoles', 'listRequests', 'listAuditEvents'] as const) {
        for (const accountId of ['x', `account_${'0'.repeat(26)}`])
          await scene.refused(operator, id, { query: `accountId=${accountId}` }, 'not_found');
        const query = `accountId=${scene.accountId}`;
        await scene.succeed<Data<unknown>>(operator, id, { query });
      }
    });
  });
}
