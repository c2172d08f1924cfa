import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import {
  type Account,
  type Caller,
  type Client,
  type Data,
  managementScene,
  type ManagementCall,
  type ManagementScene,
} from './scene.ts';

const ofService = '"client";q=600;w=60, "burst";q=50;w=5';
const headers = { 'If-Match': '*' };

for (const backend of backends) {
  describe(`limits on requests, on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let operator: Caller & { accountId: string };
    let monotonicMs = 1_000_000;
    before(async () => {
      scene = await managementScene(backend, {
        settings: {
          COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '600',
          COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '50',
        },
        overrides: { monotonicMs: () => monotonicMs },
      });
      operator = await scene.addAccount({ isOperator: true, roles: ['operator', 'administrator'] });
    });
    after(() => scene.close());

    let asked = 0;
    /** Calls as a client whose bucket is full; the status, the policy, and what is left. */
    async function ask(caller: Caller): Promise<readonly unknown[]> {
      monotonicMs += 600_000;
      return askAgain(caller);
    }

    async function askAgain(caller: Caller): Promise<readonly unknown[]> {
      const answer = await scene.call(caller, 'listPayments', { query: `limit=${(++asked % 100) + 1}` });
      return [answer.status, answer.headers['ratelimit-policy'], answer.headers['ratelimit']];
    }

    /** A customer with an administrator, who is registered by the operator. */
    async function addCustomer(): Promise<{ accountId: string; caller: Caller }> {
      const { accountId } = await scene.succeed<Account>(operator, 'addAccount', {
        body: { name: 'Customer' },
      });
      const caller = await scene.addCaller(['administrator', 'payments-reader'], {
        by: operator,
        body: { accountId },
      });
      return { accountId, caller };
    }

    const changeAccount = (accountId: string, body: object): Promise<Account> =>
      scene.succeed<Account>(operator, 'updateAccount', { path: { accountId }, headers, body });
    const changeClient = (by: Caller, clientId: string, body: object): Promise<Client> =>
      scene.succeed<Client>(by, 'updateClient', { path: { clientId }, headers, body });

    test('the operator sets those of an account, for each of its clients, and they count at once', async () => {
      const { accountId, caller } = await addCustomer();
      const other = await addCustomer();
      assert.deepEqual(await ask(caller), [200, ofService, '"burst";r=49;t=1']);
      const account = await changeAccount(accountId, { requestsPerMinuteMax: 1200, requestsBurstMax: 80 });
      assert.deepEqual([account.requestsPerMinuteMax, account.requestsBurstMax], [1200, 80]);
      const raised = '"client";q=1200;w=60, "burst";q=80;w=4';
      assert.deepEqual(await ask(caller), [200, raised, '"burst";r=79;t=1']);
      assert.deepEqual(await ask(other.caller), [200, ofService, '"burst";r=49;t=1']);
      await changeAccount(accountId, { requestsPerMinuteMax: 60, requestsBurstMax: 1 });
      assert.deepEqual(await ask(caller), [200, '"client";q=60;w=60, "burst";q=1;w=1', '"burst";r=0;t=1']);
      assert.deepEqual((await askAgain(caller))[0], 429);
      assert.deepEqual((await askAgain(other.caller))[0], 200);
      await changeAccount(accountId, { requestsPerMinuteMax: null, requestsBurstMax: null });
      assert.deepEqual(await ask(caller), [200, ofService, '"burst";r=49;t=1']);
    });

    test('a client has its own below those of its account, whoever sets it', async () => {
      const { accountId, caller } = await addCustomer();
      const { clientId } = caller;
      const slow = await changeClient(caller, clientId, { requestsPerMinuteMax: 30, requestsBurstMax: 2 });
      assert.deepEqual([slow.requestsPerMinuteMax, slow.requestsBurstMax], [30, 2]);
      assert.deepEqual(await ask(caller), [200, '"client";q=30;w=60, "burst";q=2;w=4', '"burst";r=1;t=2']);
      await ask(caller);
      await changeClient(caller, clientId, { requestsPerMinuteMax: 9999, requestsBurstMax: 9999 });
      assert.deepEqual(
        await ask(caller),
        [200, ofService, '"burst";r=49;t=1'],
        'no more than the service allows',
      );
      await changeAccount(accountId, { requestsPerMinuteMax: 300 });
      assert.deepEqual((await ask(caller))[1], '"client";q=300;w=60, "burst";q=50;w=10');
      await scene.refused(
        caller,
        'updateAccount',
        { path: { accountId }, headers, body: { requestsPerMinuteMax: 9999 } },
        'permission_denied',
      );
    });

    test('those in force are told with whose they are', async () => {
      const { accountId, caller } = await addCustomer();
      const { clientId } = caller;
      const told = (by: Caller): Promise<unknown> =>
        scene.succeed(by, 'getRequestLimits', { path: { clientId } });
      const limits = (perMinute: readonly unknown[], burst: readonly unknown[]): unknown => {
        const shown = ([value, source, max]: readonly unknown[]): object => ({ value, source, max });
        return { requestsPerMinuteMax: shown(perMinute), requestsBurstMax: shown(burst) };
      };
      assert.deepEqual(await told(caller), limits([600, 'service', 600], [50, 'service', 50]));
      await changeAccount(accountId, { requestsPerMinuteMax: 300 });
      await changeClient(caller, clientId, { requestsPerMinuteMax: 300, requestsBurstMax: 10 });
      assert.deepEqual(await told(caller), limits([300, 'account', 300], [10, 'client', 50]));
      assert.deepEqual(await told(operator), await told(caller));
      const other = await addCustomer();
      await scene.refused(other.caller, 'getRequestLimits', { path: { clientId } }, 'not_found');
    });

    test('they can be given from the beginning, and the audit log has every change', async () => {
      const body = { name: 'Limited', requestsPerMinuteMax: 120, requestsBurstMax: 10 };
      const account = await scene.succeed<Account>(operator, 'addAccount', { body });
      assert.deepEqual([account.requestsPerMinuteMax, account.requestsBurstMax], [120, 10]);
      const caller = await scene.addCaller(['administrator', 'payments-reader'], {
        by: operator,
        body: { accountId: account.accountId, requestsBurstMax: 4 },
      });
      assert.deepEqual((await ask(caller))[1], '"client";q=120;w=60, "burst";q=4;w=2');
      await changeClient(caller, caller.clientId, { requestsBurstMax: null, requestsPerMinuteMax: 60 });
      const { data } = await scene.succeed<Data<Record<string, unknown>>>(caller, 'listAuditEvents', {
        query: 'action=client.updated',
      });
      assert.deepEqual(
        [data[0]!['before'], data[0]!['after']],
        [
          { requestsPerMinuteMax: null, requestsBurstMax: 4 },
          { requestsPerMinuteMax: 60, requestsBurstMax: null },
        ],
      );
    });

    test('a number that is none is refused', async () => {
      const { accountId, caller } = await addCustomer();
      for (const value of [0, -1, 1.5, '60', 10_000_001]) {
        for (const member of ['requestsPerMinuteMax', 'requestsBurstMax']) {
          const call = (path: Record<string, string>): ManagementCall => ({
            path,
            headers,
            body: { [member]: value },
          });
          const refusals = [
            await scene.refused(operator, 'updateAccount', call({ accountId }), 'body_invalid'),
            await scene.refused(caller, 'updateClient', call({ clientId: caller.clientId }), 'body_invalid'),
          ];
          for (const { errors } of refusals)
            assert.deepEqual(
              errors.map(({ pointer }) => pointer),
              [`/${member}`],
            );
        }
      }
    });
  });
}
