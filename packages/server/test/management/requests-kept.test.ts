import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId, type RequestEntry, type SecurityPolicy } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { requestWritesTo } from '../../src/request-log/writing/request-writes.ts';
import { stateOf } from './persons.ts';
import { type Data, managementScene, type ManagementScene, type Person } from './scene.ts';

const dayMs = 86_400_000;
const any = { 'If-Match': '*' };

for (const backend of backends) {
  describe(`how long an account keeps its requests on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let owner: Person;
    before(async () => {
      scene = await managementScene(backend, { settings: { COUNTERSIGN_REQUESTS_KEPT_DAYS: '30' } });
      owner = await scene.addPerson({ role: 'owner' });
    });
    after(() => scene.close());

    const keep = (days: unknown, person = owner): Promise<SecurityPolicy> =>
      scene.succeed<SecurityPolicy>(person, 'updateSecurityPolicy', {
        headers: any,
        body: { requestsKeptDays: days },
      });

    /** Writes requests of an account with an explanation each, as many days old. */
    const write = async (accountId: string, daysAgo: number, rowCount: number, on = scene): Promise<void> => {
      const receivedAtMs = on.nowMs() - daysAgo * dayMs;
      const rows = Array.from({ length: rowCount }, () => ({
        request_id: newId('request', receivedAtMs),
        received_at_ms: receivedAtMs,
        account_id: accountId,
        client_id: 'shop',
        is_proved: 1,
        outcome: 'signature_invalid',
        is_observed: 0,
        reason: null,
        method: 'GET',
        url: '/',
        status: 401,
        source_address: '192.0.2.1',
        key_fingerprint: null,
        clock_difference_seconds: null,
        duration_us: null,
      })) as Parameters<ReturnType<typeof requestWritesTo>['insertRequests']>[0];
      const writes = requestWritesTo(await on.database());
      await writes.insertRequests(rows);
      const explained = rows.slice(0, 5).map((row) => ({
        requestId: row.request_id,
        accountId,
        explanation: JSON.stringify({ findings: [] }),
      }));
      await writes.insertExplanations(explained);
    };
    const count = async (
      table: 'request_records' | 'request_explanations',
      accountId: string,
      on = scene,
    ): Promise<number> => {
      const database = await on.database();
      const rows = await database
        .selectFrom(table)
        .select('request_id')
        .where('account_id', '=', accountId)
        .execute();
      return rows.length;
    };
    /** As the thread does it. */
    const trim = async (nowMs = scene.nowMs()): Promise<boolean> =>
      requestWritesTo(await scene.database()).trimAccounts(nowMs);

    test('less than a day, more than the service and anything but a whole number is rejected', async () => {
      const atFirst = await stateOf(await scene.database());
      for (const days of [0, -1, 31, 3650, 3651, 1e15, 1.5, '7', true, [], {}]) {
        const call = { headers: any, body: { requestsKeptDays: days } };
        const { errors } = await scene.refused(owner, 'updateSecurityPolicy', call, 'body_invalid');
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          ['/requestsKeptDays'],
          JSON.stringify(days),
        );
      }
      const call = { headers: any, body: { requestsKeptDays: 31 } };
      const { errors } = await scene.refused(owner, 'updateSecurityPolicy', call, 'body_invalid');
      assert.match(errors[0]!.detail, /keeps requests for 30 days/);
      assert.equal(await stateOf(await scene.database()), atFirst);
    });

    test('it needs the permission, a session and the version that was seen, and is audited', async () => {
      const developer = await scene.addPerson({ role: 'developer' });
      const body = { requestsKeptDays: 7 };
      const call = { headers: any, body };
      await scene.refused(developer, 'updateSecurityPolicy', call, 'permission_denied');
      await scene.refused(scene.administrator, 'updateSecurityPolicy', call, 'permission_denied');
      const { accountId } = await scene.addAccount();
      await scene.refused({ ...owner, accountId }, 'updateSecurityPolicy', call, 'not_found');
      const { headers } = await scene.call(owner, 'getSecurityPolicy');
      const seen = { headers: { 'If-Match': String(headers['etag']) }, body };
      const { requestsKeptDays } = await scene.succeed<SecurityPolicy>(owner, 'updateSecurityPolicy', seen);
      assert.equal(requestsKeptDays, 7);
      await scene.refused(owner, 'updateSecurityPolicy', seen, 'precondition_failed');
      const { data } = await scene.succeed<Data<Record<string, unknown>>>(owner, 'listAuditEvents', {
        query: 'action=policy.updated&limit=1',
      });
      assert.deepEqual(data[0]!['before'], { requestsKeptDays: null });
      assert.deepEqual(data[0]!['after'], { requestsKeptDays: 7 });
      await keep(null);
    });

    test('older requests and their explanations are removed, of this account alone', async () => {
      const { accountId } = await scene.addAccount();
      const person = await scene.addPerson({ accountId, role: 'owner' });
      const { accountId: other } = await scene.addAccount();
      for (const id of [accountId, other]) {
        await write(id, 6, 20);
        await write(id, 8, 250);
      }
      await trim();
      assert.equal(await count('request_records', accountId), 270);
      await keep(7, person);
      assert.equal(await trim(), false);
      assert.equal(await count('request_records', accountId), 20);
      assert.equal(await count('request_explanations', accountId), 5);
      assert.equal(await count('request_records', other), 270);
      assert.equal(await count('request_explanations', other), 10);
      const { data } = await scene.succeed<Data<RequestEntry>>(person, 'listRequests', {
        query: 'limit=100',
      });
      assert.equal(data.filter(({ url }) => url === '/').length, 20);
    });

    test('the service removes them by itself, soon', async () => {
      const { accountId } = await scene.addAccount();
      const person = await scene.addPerson({ accountId, role: 'owner' });
      await write(accountId, 3, 10);
      await keep(2, person);
      scene.clock.aheadMs += 61_000;
      await waitUntil(
        async () => (await count('request_records', accountId)) === 0,
        'the requests are still there',
      );
    });

    test('it goes in steps, and a longer time in between counts', async (t) => {
      // Nothing but this test removes anything here.
      const quiet = await managementScene(backend, { overrides: { requestLogEveryMs: 2 ** 31 - 1 } });
      t.after(() => quiet.close());
      const { accountId } = quiet;
      const person = await quiet.addPerson({ role: 'owner' });
      const removeSome = async (): Promise<boolean> =>
        requestWritesTo(await quiet.database()).trimAccounts(quiet.nowMs());
      const save = (requestsKeptDays: number): Promise<unknown> =>
        quiet.succeed(person, 'updateSecurityPolicy', { headers: any, body: { requestsKeptDays } });
      for (let batch = 0; batch < 22; batch += 1) await write(accountId, 5, 500, quiet);
      await save(2);
      assert.equal(await removeSome(), true, 'there is more');
      assert.equal(await count('request_records', accountId, quiet), 1000);
      await save(20);
      assert.equal(await removeSome(), false);
      assert.equal(await count('request_records', accountId, quiet), 1000);
    });

    test('counts, figures and the audit log stay', async () => {
      const { accountId } = await scene.addAccount();
      const person = await scene.addPerson({ accountId, role: 'owner' });
      const database = await scene.database();
      const hour = Math.floor((scene.nowMs() - 10 * dayMs) / 3_600_000) * 3_600_000;
      await database
        .insertInto('request_figures')
        .values({ account_id: accountId, span: 'hour', starts_at_ms: hour, client_id: '', figures: '{}' })
        .execute();
      await keep(1, person);
      const events = await scene.succeed<Data<unknown>>(person, 'listAuditEvents');
      await trim(scene.nowMs() + 5 * dayMs);
      const figures = await database
        .selectFrom('request_figures')
        .selectAll()
        .where('account_id', '=', accountId)
        .execute();
      assert.equal(figures.length, 1);
      const later = await scene.succeed<Data<unknown>>(person, 'listAuditEvents');
      assert.deepEqual(later.data, events.data);
    });
  });
}
