import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  type ClientReadiness,
  NetworkWhitelist,
  newId,
  type Page,
  parseAddress,
  readinessLimits,
  type UnattributedRequests,
} from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import type { RegisteredClient } from '../../../gate/src/registry.ts';
import type { Api } from '../../src/api/api.ts';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { moveClient } from '../../src/registry/store/client-states.ts';
import { addClient } from '../../src/registry/store/clients.ts';
import { addUnattributedCounts, otherSources } from '../../src/request-log/counts/unattributed-counts.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { RequestStore } from '../../src/request-log/writing/request-store.ts';
import { requestWritesTo } from '../../src/request-log/writing/request-writes.ts';
import { apiOn } from '../api/api-on.ts';
import { ask, personOf, refusedTo } from './ask.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Half past an hour, in the middle of a day. */
const nowMs = Date.UTC(2026, 10, 21, 12, 30);
const context = { nowMs, actor: { kind: 'system', id: 'test' }, keyPolicy: {} } as const;

interface Sent {
  readonly isObserved?: boolean;
  readonly from?: string;
  readonly isAccepted?: boolean;
}

interface Scene {
  readonly api: Api;
  readonly database: Database;
  readonly accountId: string;
  readonly store: RequestStore;
  readonly clock: { nowMs: number };
  readonly outage: { error: Error | undefined };
  addClient(name: string, accountId?: string): Promise<string>;
  /** Answers a request that names a client, or nobody, and gives its id. */
  send(clientId: string | undefined, outcome: string, agoMs: number, sent?: Sent): string;
  readiness(query?: string): Promise<Page<ClientReadiness>>;
  unattributed(query?: string): Promise<UnattributedRequests>;
}

async function scene(t: TestContext, backend: Backend): Promise<Scene> {
  const { database } = await backend.make(t);
  const api = apiOn(database);
  const { accountId } = await addAccount(database, { name: 'Example' }, context);
  const clients = new Map<string, RegisteredClient>();
  const network = NetworkWhitelist.fromTexts(['192.0.2.1']);
  const clock = { nowMs };
  const outage: Scene['outage'] = { error: undefined };
  const failing = new Proxy(database, {
    get(target, name) {
      if (outage.error !== undefined && name === 'transaction') throw outage.error;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const store = new RequestStore({
    writes: requestWritesTo(failing),
    keptDays: 30,
    keptMax: 1_000_000,
    registry: { clientById: (clientId) => clients.get(clientId) },
    nowMs: () => clock.nowMs,
    onError: () => undefined,
    writeEveryMs: 1_000_000,
  });
  t.after(() => store.close());
  const asked = async (id: 'listReadiness' | 'listUnattributedRequests', query: string): Promise<unknown> => {
    await store.flush();
    return (await ask(api, id, { query, caller: personOf(accountId), nowMs })).body;
  };
  return {
    api,
    database,
    accountId,
    store,
    clock,
    outage,
    async addClient(name, owner = accountId) {
      const client = { name, accountId: owner, network: ['192.0.2.1'], roles: [] };
      // Ids are in the order of time.
      const { clientId } = await addClient(database, client, { ...context, nowMs: nowMs + clients.size });
      clients.set(clientId, { clientId, accountId: owner, network } as RegisteredClient);
      return clientId;
    },
    send(clientId, outcome, agoMs, { isObserved = false, from = '203.0.113.9', ...sent } = {}) {
      const { isAccepted = outcome === 'accepted' } = sent;
      const requestId = newId('request', nowMs - agoMs);
      store.add(
        {
          requestId,
          outcome,
          status: 200,
          method: 'GET',
          path: '/orders',
          sourceAddress: from,
          ...(isObserved && { isObserved: true }),
        },
        {
          receivedAtMs: nowMs - agoMs,
          namedClientId: clientId,
          isProved: isAccepted,
          isAccepted,
          keyId: undefined,
          shownQuery: '',
          source: parseAddress(from),
        },
      );
      return requestId;
    },
    readiness: async (query = '') => (await asked('listReadiness', query)) as Page<ClientReadiness>,
    unattributed: async (query = '') =>
      (await asked('listUnattributedRequests', query)) as UnattributedRequests,
  };
}

const passed: Sent = { isObserved: true };

for (const backend of backends) {
  describe(`who is ready, on ${backend.name}`, { skip: backend.skip }, () => {
    const stateOf = async (here: Scene, query?: string): Promise<readonly (readonly [string, string])[]> =>
      (await here.readiness(query)).data.map(({ name, readiness }) => [name, readiness]);

    it('refuses times of which nothing is known', async (t) => {
      const { api, accountId } = await scene(t, backend);
      const refused = (query: string): Promise<string> =>
        refusedTo(ask(api, 'listReadiness', { query, caller: personOf(accountId), nowMs }), 'query_invalid');
      assert.match(await refused('from=2026-10-01T00:00:00Z'), /at most 31 days ago/);
      assert.match(await refused('from=2026-11-22T00:00:00Z'), /in the past/);
    });

    it('tells of no other account', async (t) => {
      const here = await scene(t, backend);
      const { accountId } = await addAccount(here.database, { name: 'Other' }, context);
      here.send(await here.addClient('Other', accountId), 'accepted', minuteMs);
      assert.deepEqual(await here.readiness(), { data: [], nextCursor: null });
      const asking = ask(here.api, 'listReadiness', {
        query: `accountId=${accountId}`,
        caller: personOf(here.accountId),
        nowMs,
      });
      await refusedTo(asking, 'not_found');
    });

    it('is not a client that was refused in this hour or the 24 before, whether it passed or not', async (t) => {
      const here = await scene(t, backend);
      const states = [
        ['Passed now', 0, passed],
        ['Refused now', 0, {}],
        ['Refused in the first of these hours', 24 * hourMs + 29 * minuteMs, passed],
        ['Refused before', 24 * hourMs + 31 * minuteMs, passed],
      ] as const;
      for (const [name, agoMs, sent] of states) {
        const clientId = await here.addClient(name);
        here.send(clientId, 'accepted', minuteMs);
        here.send(clientId, 'date_mismatch', agoMs, sent);
      }
      assert.deepEqual(await stateOf(here), [
        ['Passed now', 'not_ready'],
        ['Refused now', 'not_ready'],
        ['Refused in the first of these hours', 'not_ready'],
        ['Refused before', 'ready'],
      ]);
    });

    it('is not a client without an accepted request in the time', async (t) => {
      const here = await scene(t, backend);
      await here.addClient('Never called');
      const early = await here.addClient('Accepted before');
      here.send(early, 'accepted', 8 * dayMs);
      const refused = await here.addClient('Refused long ago');
      here.send(refused, 'signature_invalid', 3 * dayMs, passed);
      assert.deepEqual(await stateOf(here), [
        ['Never called', 'silent'],
        ['Accepted before', 'silent'],
        ['Refused long ago', 'not_ready'],
      ]);
      const { data } = await here.readiness();
      assert.deepEqual(
        data.map(({ lastAcceptedAt }) => lastAcceptedAt),
        [undefined, new Date(nowMs - 8 * dayMs).toISOString(), undefined],
      );
      // From the same day on, the whole day counts.
      const longer = await stateOf(here, 'from=2026-11-13T23:59:59Z');
      assert.deepEqual(longer[1], ['Accepted before', 'ready']);
    });

    it('does not depend on failures that no check found', async (t) => {
      const here = await scene(t, backend);
      const shop = await here.addClient('Shop');
      here.send(shop, 'accepted', hourMs);
      for (const outcome of ['upstream_timeout', 'connection_closed', 'not_found', 'guard_unavailable'])
        here.send(shop, outcome, minuteMs, { isAccepted: true });
      const [client] = (await here.readiness()).data;
      assert.deepEqual(
        [client?.readiness, client?.accepted, client?.refused, client?.codes, client?.lastRefusal],
        ['ready', 1, 0, [], undefined],
      );
      const silent = await here.addClient('Silent');
      here.send(silent, 'upstream_timeout', minuteMs);
      assert.deepEqual((await stateOf(here))[1], ['Silent', 'silent']);
    });

    it('comes with counts, codes and the last refusal of each client', async (t) => {
      const here = await scene(t, backend);
      const shop = await here.addClient('Shop');
      const till = await here.addClient('Till');
      for (let days = 4; days >= 0; days -= 1) here.send(shop, 'accepted', days * dayMs);
      for (const agoMs of [2 * hourMs, dayMs, 2 * dayMs])
        here.send(shop, 'digest_missing', agoMs, { ...passed, from: '203.0.113.7' });
      here.send(shop, 'permission_denied', hourMs);
      const last = here.send(shop, 'digest_missing', 30 * minuteMs, { ...passed, from: '198.51.100.4' });
      here.send(shop, 'internal_error', minuteMs);
      here.send(shop, 'digest_missing', 8 * dayMs);
      here.send(till, 'accepted', minuteMs);
      const { data } = await here.readiness();
      assert.deepEqual(data[0], {
        clientId: shop,
        name: 'Shop',
        status: 'active',
        readiness: 'not_ready',
        accepted: 5,
        refused: 5,
        observed: 4,
        codes: [
          { outcome: 'digest_missing', count: 4 },
          { outcome: 'permission_denied', count: 1 },
        ],
        lastAcceptedAt: new Date(nowMs).toISOString(),
        lastRefusal: {
          requestId: last,
          receivedAt: new Date(nowMs - 30 * minuteMs).toISOString(),
          outcome: 'digest_missing',
          isObserved: true,
          sourceAddress: '198.51.100.4',
        },
      });
      assert.deepEqual([data[1]?.accepted, data[1]?.refused, data[1]?.lastRefusal], [1, 0, undefined]);
      assert.equal((await here.readiness('from=2026-11-13T00:00:00Z')).data[0]?.refused, 6);
    });

    it('knows of refusals that are no longer kept', async (t) => {
      const here = await scene(t, backend);
      const shop = await here.addClient('Shop');
      here.send(shop, 'accepted', minuteMs);
      here.send(shop, 'date_mismatch', 2 * minuteMs, passed);
      await here.store.flush();
      await here.database.deleteFrom('request_records').execute();
      const [client] = (await here.readiness()).data;
      assert.deepEqual(
        [client?.readiness, client?.refused, client?.lastRefusal],
        ['not_ready', 1, undefined],
      );
    });

    it('is told page by page, of clients that can still call', async (t) => {
      const here = await scene(t, backend);
      const names = ['One', 'Two', 'Three', 'Four'];
      const ids: string[] = [];
      for (const name of names) ids.push(await here.addClient(name));
      await moveClient(here.database, ids[1]!, 'disable', context);
      await moveClient(here.database, ids[2]!, 'revoke', context);
      const first = await here.readiness('limit=2');
      assert.deepEqual(
        first.data.map(({ name, status }) => [name, status]),
        [
          ['One', 'active'],
          ['Two', 'disabled'],
        ],
      );
      const second = await here.readiness(`limit=2&cursor=${first.nextCursor}`);
      assert.deepEqual([second.data.map(({ name }) => name), second.nextCursor], [['Four'], null]);
    });

    it('is counted for as many clients and days as may be asked for', async (t) => {
      const here = await scene(t, backend);
      const { daysMax } = readinessLimits;
      for (let index = 0; index < 100; index += 1) {
        const clientId = await here.addClient(`Client ${index}`);
        here.send(clientId, 'accepted', (daysMax - 1) * dayMs);
        here.send(clientId, 'date_mismatch', index % 2 === 0 ? 0 : 2 * dayMs, passed);
      }
      const query = `limit=100&from=${new Date(nowMs - daysMax * dayMs).toISOString()}`;
      const { data } = await here.readiness(query);
      assert.equal(data.length, 100);
      for (const [index, { readiness, accepted, refused, lastRefusal }] of data.entries()) {
        const expected = [index % 2 === 0 ? 'not_ready' : 'ready', 1, 1, 'date_mismatch'];
        assert.deepEqual([readiness, accepted, refused, lastRefusal?.outcome], expected);
      }
    });
  });

  describe(`requests that name no client, on ${backend.name}`, { skip: backend.skip }, () => {
    it('are counted by where they come from if they passed, and not if they were refused', async (t) => {
      const here = await scene(t, backend);
      await here.addClient('Shop');
      here.send(undefined, 'signature_missing', 3 * dayMs, passed);
      here.send(undefined, 'signature_missing', dayMs, passed);
      here.send('client_unknown', 'signature_invalid', 2 * dayMs, passed);
      here.send(undefined, 'signature_missing', 0, {});
      here.send(undefined, 'signature_missing', minuteMs, { ...passed, from: '2001:db8:1:2:3:4:5:6' });
      await here.store.flush();
      const last = here.send(undefined, 'signature_missing', 0, { ...passed, from: '2001:db8:1:2::9' });
      here.send(undefined, 'signature_missing', 0, { ...passed, from: '' });
      assert.deepEqual(await here.unattributed(), {
        items: [
          {
            source: '203.0.113.9',
            requests: 3,
            codes: [
              { outcome: 'signature_missing', count: 2 },
              { outcome: 'signature_invalid', count: 1 },
            ],
            lastAt: new Date(nowMs - dayMs).toISOString(),
            lastRequestId: (await here.unattributed()).items[0]?.lastRequestId,
          },
          {
            source: '2001:db8:1:2::/64',
            requests: 2,
            codes: [{ outcome: 'signature_missing', count: 2 }],
            lastAt: new Date(nowMs).toISOString(),
            lastRequestId: last,
          },
        ],
        otherRequests: 1,
      });
      const later = await here.unattributed('from=2026-11-21T00:00:00Z');
      assert.deepEqual(
        later.items.map(({ source, requests }) => [source, requests]),
        [['2001:db8:1:2::/64', 2]],
      );
      assert.equal((await here.readiness()).data[0]?.readiness, 'silent');
    });

    it('cannot fill the memory, whatever addresses strangers choose', async (t) => {
      const here = await scene(t, backend);
      for (let index = 0; index < 1500; index += 1)
        here.send(undefined, 'signature_missing', 0, {
          ...passed,
          from: `10.0.${index >> 8}.${index & 255}`,
        });
      const { items, otherRequests } = await here.unattributed();
      assert.deepEqual([items.length, otherRequests], [100, 1400]);
      const { sources } = await here.database
        .selectFrom('unattributed_counts')
        .select(({ fn }) => fn.countAll<number | string>().as('sources'))
        .executeTakeFirstOrThrow();
      assert.equal(Number(sources), 1001);
    });

    it('cannot fill the database either', async (t) => {
      const here = await scene(t, backend);
      const add = (sources: readonly string[]): Promise<void> =>
        addUnattributedCounts(
          here.database,
          sources.map((source, index) => ({
            starts_at_ms: nowMs - (nowMs % dayMs),
            source,
            outcome: 'signature_missing',
            count: 1,
            last_at_ms: nowMs + index,
            last_request_id: `request_${source}`,
          })),
          { rowsPerDayMax: 2 },
        );
      await add(['a', 'b', 'c', 'd']);
      await add(['d', 'b', otherSources]);
      const { items, otherRequests } = await here.unattributed();
      assert.deepEqual(
        items.map(({ source, requests }) => [source, requests]),
        [
          ['b', 2],
          ['a', 1],
        ],
      );
      assert.equal(otherRequests, 4);
    });

    it('are counted once when the storage fails, and kept for five weeks', async (t) => {
      const here = await scene(t, backend);
      here.send(undefined, 'signature_missing', 0, passed);
      here.outage.error = new StorageError('unavailable', 'The database is down.');
      await here.store.flush();
      here.send(undefined, 'signature_missing', 0, passed);
      here.outage.error = undefined;
      assert.equal((await here.unattributed()).items[0]?.requests, 2);
      here.clock.nowMs = nowMs + 34 * dayMs;
      await here.store.flush();
      assert.equal((await here.unattributed()).items[0]?.requests, 2);
      here.clock.nowMs = nowMs + 37 * dayMs;
      await here.store.flush();
      assert.deepEqual(await here.unattributed(), { items: [], otherRequests: 0 });
    });
  });
}
