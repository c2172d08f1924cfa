import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { failureLimits, newId, type RefusedAddresses, type RequestFailures } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { addClient } from '../../src/registry/store/clients.ts';
import { insertExplanations } from '../../src/request-log/records/explanations.ts';
import { setClientNetwork } from '../../src/registry/store/networks.ts';
import { insertRequestRecords } from '../../src/request-log/records/request-inserts.ts';
import type { Database } from '../../src/storage/transaction.ts';
import type { Api } from '../../src/api/api.ts';
import { apiOn } from '../api/api-on.ts';
import { ask, personOf, refusedTo } from './ask.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 21, 12);
const context = { nowMs, actor: { kind: 'system', id: 'test' }, keyPolicy: {} } as const;

interface Kept {
  readonly from?: string;
  readonly reason?: string;
  readonly isObserved?: boolean;
}

interface Scene {
  readonly api: Api;
  readonly database: Database;
  readonly accountId: string;
  /** Adds a client that may call from this network, to this account or to another one. */
  addClient(name: string, entry?: string, accountId?: string): Promise<string>;
  /** Keeps a request, and gives its id. */
  keep(clientId: string, outcome: string, agoMs: number, more?: Kept): string;
  written(): Promise<void>;
  failures(query?: string): Promise<RequestFailures>;
  addresses(query?: string): Promise<RefusedAddresses>;
}

async function scene(t: TestContext, backend: Backend): Promise<Scene> {
  const { database } = await backend.make(t);
  const api = apiOn(database);
  const { accountId } = await addAccount(database, { name: 'Example' }, context);
  const owners = new Map<string, string>();
  const rows: Parameters<typeof insertRequestRecords>[1][number][] = [];
  const asked = async (id: 'listRequestFailures' | 'listRefusedAddresses', query: string): Promise<unknown> =>
    (await ask(api, id, { query, caller: personOf(accountId), nowMs })).body;
  return {
    api,
    database,
    accountId,
    async addClient(name, entry = '192.0.2.1', owner = accountId) {
      const client = { name, accountId: owner, network: [entry], roles: [] };
      const { clientId } = await addClient(database, client, context);
      owners.set(clientId, owner);
      return clientId;
    },
    keep(clientId, outcome, agoMs, { from = '203.0.113.9', reason, isObserved = false } = {}) {
      const requestId = newId('request', nowMs - agoMs);
      rows.push({
        request_id: requestId,
        received_at_ms: nowMs - agoMs,
        account_id: owners.get(clientId) ?? accountId,
        client_id: clientId,
        is_proved: outcome === 'signature_invalid' ? 0 : 1,
        outcome,
        is_observed: isObserved ? 1 : 0,
        reason: reason ?? null,
        method: 'GET',
        url: '/v1/whoami',
        status: 401,
        source_address: from,
        key_fingerprint: null,
        clock_difference_seconds: null,
        duration_us: null,
      });
      return requestId;
    },
    async written() {
      const waiting = rows.splice(0);
      for (let start = 0; start < waiting.length; start += 500)
        await insertRequestRecords(database, waiting.slice(start, start + 500));
    },
    failures: async (query = '') => (await asked('listRequestFailures', query)) as RequestFailures,
    addresses: async (query = '') => (await asked('listRefusedAddresses', query)) as RefusedAddresses,
  };
}

for (const backend of backends) {
  describe(`failures in groups on ${backend.name}`, { skip: backend.skip }, () => {
    it('refuse a time from which nothing is kept', async (t) => {
      const { api, accountId } = await scene(t, backend);
      const query = 'from=2026-10-01T00:00:00Z';
      const asking = ask(api, 'listRequestFailures', { query, caller: personOf(accountId), nowMs });
      assert.match(await refusedTo(asking, 'query_invalid'), /at most 30 days ago/);
    });

    it('tell of no other account, whichever client is named', async (t) => {
      const here = await scene(t, backend);
      const { accountId } = await addAccount(here.database, { name: 'Other' }, context);
      const other = await here.addClient('Other', '192.0.2.1', accountId);
      here.keep(other, 'network_not_allowed', minuteMs);
      await here.written();
      for (const query of ['', `clientId=${other}`]) {
        assert.deepEqual(await here.failures(query), { items: [], isComplete: true }, query);
        assert.deepEqual(await here.addresses(query), { items: [] }, query);
      }
    });

    it('are of the last 24 hours, those that happened last first; accepted requests are none', async (t) => {
      const here = await scene(t, backend);
      const shop = await here.addClient('Shop');
      const till = await here.addClient('Till');
      const first = 3 * 60 * minuteMs;
      here.keep(shop, 'signature_invalid', dayMs + minuteMs, { from: '203.0.113.1' });
      here.keep(shop, 'signature_invalid', first, { from: '203.0.113.2', reason: 'no key verifies' });
      here.keep(till, 'date_mismatch', 2 * 60 * minuteMs, { from: '' });
      here.keep(shop, 'accepted', 30_000);
      const last = here.keep(shop, 'signature_invalid', minuteMs, { reason: 'the key ended' });
      await here.written();
      const { items, isComplete } = await here.failures();
      assert.equal(isComplete, true);
      assert.deepEqual(items[0], {
        outcome: 'signature_invalid',
        isObserved: false,
        clientId: shop,
        clientName: 'Shop',
        count: 2,
        firstAt: new Date(nowMs - first).toISOString(),
        lastAt: new Date(nowMs - minuteMs).toISOString(),
        lastRequestId: last,
        sourceAddresses: ['203.0.113.9', '203.0.113.2'],
        reason: 'the key ended',
      });
      // Where it came from is not known, and nothing is said about what was wrong.
      assert.deepEqual([items[1]?.sourceAddresses, items[1]?.reason, items.length], [[], undefined, 2]);
      assert.deepEqual(
        (await here.failures(`clientId=${till}`)).items.map(({ clientName }) => clientName),
        ['Till'],
      );
      const longer = await here.failures('from=2026-11-19T00:00:00Z');
      assert.equal(longer.items[0]?.count, 3);
    });

    it('are grouped by the mistake that was found in them, apart from those without one', async (t) => {
      const here = await scene(t, backend);
      const shop = await here.addClient('Shop');
      const found = (code: string | undefined): string =>
        JSON.stringify({ verdict: 'invalid', checks: [], findings: code === undefined ? [] : [{ code }] });
      const explained = ['body_crlf', undefined, 'url_host_port', 'body_crlf'].map((code, index) => ({
        requestId: here.keep(shop, 'signature_invalid', (index + 1) * minuteMs),
        accountId: here.accountId,
        explanation: found(code),
      }));
      here.keep(shop, 'signature_invalid', 9 * minuteMs);
      await here.written();
      await insertExplanations(here.database, explained, { perAccountMax: 100 });
      const { items } = await here.failures();
      assert.deepEqual(
        items.map(({ findingCode, count }) => [findingCode, count]),
        [
          ['body_crlf', 2],
          [undefined, 2],
          ['url_host_port', 1],
        ],
      );
    });

    it('tell what passed from what was refused', async (t) => {
      const here = await scene(t, backend);
      const shop = await here.addClient('Shop');
      here.keep(shop, 'date_mismatch', 3 * minuteMs);
      here.keep(shop, 'date_mismatch', 2 * minuteMs, { isObserved: true });
      here.keep(shop, 'date_mismatch', minuteMs, { isObserved: true });
      await here.written();
      assert.deepEqual(
        (await here.failures()).items.map(({ outcome, isObserved, count }) => [outcome, isObserved, count]),
        [
          ['date_mismatch', true, 2],
          ['date_mismatch', false, 1],
        ],
      );
    });

    it('look at the newest of very many only, and say so', async (t) => {
      const here = await scene(t, backend);
      const shop = await here.addClient('Shop');
      for (let index = 0; index < 10_050; index += 1)
        here.keep(shop, 'signature_invalid', index, { from: `203.0.113.${index % 200}` });
      await here.written();
      const { items, isComplete } = await here.failures();
      assert.equal(isComplete, false);
      assert.equal(items[0]?.count, 10_000);
      assert.equal(items[0]?.sourceAddresses.length, failureLimits.sourceAddressesMax);
    });

    it('are at most 100 groups', async (t) => {
      const here = await scene(t, backend);
      for (let index = 0; index < 120; index += 1) here.keep(`gone-${index}`, 'signature_invalid', index);
      await here.written();
      const { items } = await here.failures();
      assert.equal(items.length, 100);
      assert.deepEqual([items[0]?.clientId, items[0]?.clientName], ['gone-0', undefined]);
    });
  });

  describe(`refused addresses on ${backend.name}`, { skip: backend.skip }, () => {
    it('are those that no whitelist allows now, of 7 days, and of clients that are still there', async (t) => {
      const here = await scene(t, backend);
      const shop = await here.addClient('Shop');
      const till = await here.addClient('Till');
      here.keep(shop, 'network_not_allowed', 8 * dayMs, { from: '203.0.113.1' });
      here.keep(shop, 'network_not_allowed', 6 * dayMs, { from: '203.0.113.2' });
      here.keep(shop, 'network_not_allowed', 2 * minuteMs, { from: '203.0.113.3' });
      const last = here.keep(shop, 'network_not_allowed', minuteMs, { from: '203.0.113.3' });
      here.keep(till, 'network_not_allowed', 3 * minuteMs, { from: '2001:db8::1' });
      here.keep(till, 'signature_invalid', minuteMs, { from: '203.0.113.4' });
      here.keep('gone', 'network_not_allowed', minuteMs);
      await here.written();
      const { items } = await here.addresses();
      assert.deepEqual(items[0], {
        clientId: shop,
        clientName: 'Shop',
        sourceAddress: '203.0.113.3',
        count: 2,
        lastAt: new Date(nowMs - minuteMs).toISOString(),
        lastRequestId: last,
      });
      const named = (list: RefusedAddresses): string[] => list.items.map((item) => item.sourceAddress);
      assert.deepEqual(named({ items }), ['203.0.113.3', '2001:db8::1', '203.0.113.2']);
      assert.deepEqual(named(await here.addresses(`clientId=${till}`)), ['2001:db8::1']);
      await setClientNetwork(here.database, shop, ['192.0.2.1', '203.0.113.0/24'], context);
      assert.deepEqual(named(await here.addresses()), ['2001:db8::1']);
    });
  });
}
