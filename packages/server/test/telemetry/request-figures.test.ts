import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { AnalyticsFact, RequestAnalytics } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { sql } from 'kysely';
import type { Api } from '../../src/api/api.ts';
import { forgetDemoRequests } from '../../src/registry/store/demo-data.ts';
import { requestWritesTo } from '../../src/request-log/writing/request-writes.ts';
import { type FiguredRequest, UnwrittenFigures } from '../../src/request-log/writing/unwritten-figures.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { apiOn } from '../api/api-on.ts';
import { ask, personOf, refusedTo } from '../management/ask.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Half past an hour, in the middle of a day. */
const nowMs = Date.UTC(2026, 10, 21, 12, 30);

const request: FiguredRequest = {
  accountId: 'account_1',
  clientId: 'shop',
  isProved: true,
  keyId: 'key_1',
  outcome: 'accepted',
  isObserved: false,
  method: 'GET',
  operationPath: '/v1/payments/{id}',
  status: 200,
  sourceAddress: '203.0.113.7',
  ownMs: 2,
  receivedAtMs: nowMs,
};

interface Scene {
  readonly api: Api;
  readonly database: Database;
  readonly figures: UnwrittenFigures;
  add(changes: Partial<FiguredRequest>, count?: number): void;
  written(): Promise<void>;
  analytics(query?: string, accountId?: string): Promise<RequestAnalytics>;
}

async function scene(t: TestContext, backend: Backend): Promise<Scene> {
  const { database } = await backend.make(t);
  const api = apiOn(database);
  const figures = new UnwrittenFigures();
  return {
    api,
    database,
    figures,
    add(changes, count = 1) {
      for (let index = 0; index < count; index += 1) figures.add({ ...request, ...changes });
    },
    written: () => figures.write(requestWritesTo(database)),
    async analytics(query = '', accountId = 'account_1') {
      const answer = await ask(api, 'getRequestAnalytics', { query, caller: personOf(accountId), nowMs });
      return answer.body as RequestAnalytics;
    },
  };
}

/** The values of a fact, as `name accepted observed refused`; the others come last, as `*`. */
function told({ groups }: RequestAnalytics, fact: AnalyticsFact): string[] {
  const { values, other } = groups.find(({ by }) => by === fact)!;
  return [...values, { name: '*', ...other }]
    .filter(({ accepted, observed, refused }) => accepted + observed + refused > 0)
    .map(({ name, accepted, observed, refused }) => `${name} ${accepted} ${observed} ${refused}`);
}

for (const backend of backends) {
  describe(`the analytics of requests on ${backend.name}`, { skip: backend.skip }, () => {
    it('refuse what they cannot tell', async (t) => {
      const { api } = await scene(t, backend);
      const refused = (query: string): Promise<string> =>
        refusedTo(
          ask(api, 'getRequestAnalytics', { query, caller: personOf('account_1'), nowMs }),
          'query_invalid',
        );
      assert.match(await refused('by=client'), /operation, status, cause, key, address/);
      assert.match(await refused('format=xml'), /json, ndjson, csv/);
      assert.match(await refused('from=2026-10-20T00:00:00Z'), /at most 744 hours/);
    });

    it('tell of no other account, whichever client is named', async (t) => {
      const here = await scene(t, backend);
      here.add({ accountId: 'account_2', clientId: 'other' }, 5);
      await here.written();
      for (const query of ['', 'clientId=other']) {
        const { groups, times, since } = await here.analytics(query);
        assert.deepEqual(
          [groups.flatMap(({ values }) => values), times, since],
          [[], { count: 0 }, undefined],
        );
      }
      assert.deepEqual(told(await here.analytics('', 'account_2'), 'status'), ['200 5 0 0']);
    });

    it('count by each fact, for an account and for a client', async (t) => {
      const here = await scene(t, backend);
      here.add({}, 5);
      here.add({ method: 'POST', operationPath: '/v1/payments', status: 201, keyId: 'key_2' }, 3);
      here.add({ outcome: 'not_found', status: 404 });
      here.add({ outcome: 'signature_invalid', status: 401, isProved: false, keyId: undefined }, 2);
      here.add({ outcome: 'date_mismatch', isObserved: true, keyId: undefined }, 4);
      here.add(
        { clientId: 'till', operationPath: undefined, sourceAddress: '2001:db8::7', keyId: 'key_3' },
        7,
      );
      here.add({ method: 'brew coffee' });
      await here.written();
      const all = await here.analytics();
      assert.deepEqual(told(all, 'operation'), [
        'GET /v1/payments/{id} 6 4 2',
        'POST /v1/payments 3 0 0',
        '* /v1/payments/{id} 1 0 0',
        '* 7 0 0',
      ]);
      assert.deepEqual(told(all, 'status'), ['200 13 4 0', '201 3 0 0', '401 0 0 2', '404 1 0 0']);
      assert.deepEqual(told(all, 'cause'), ['date_mismatch 0 4 0', 'signature_invalid 0 0 2']);
      assert.deepEqual(told(all, 'key'), ['key_1 7 0 0', 'key_3 7 0 0', 'key_2 3 0 0']);
      assert.deepEqual(told(all, 'address'), ['203.0.113.7 10 4 2', '2001:db8::7 7 0 0']);
      assert.deepEqual(told(await here.analytics('clientId=till&by=address'), 'address'), [
        '2001:db8::7 7 0 0',
      ]);
      const days = await here.analytics('by=key&interval=day&clientId=shop');
      assert.deepEqual(told(days, 'key'), ['key_1 7 0 0', 'key_2 3 0 0']);
      assert.deepEqual(days.groups.length, 1);
    });

    it('tell percentiles of the period and of the one before, less than a tenth away', async (t) => {
      const here = await scene(t, backend);
      for (let index = 1; index <= 1000; index += 1) here.add({ ownMs: index / 10 });
      here.add({ receivedAtMs: nowMs - dayMs, ownMs: 3 }, 10);
      here.add({ receivedAtMs: nowMs - 2 * dayMs, ownMs: 100 }, 10);
      here.add({ receivedAtMs: nowMs, ownMs: undefined }, 50);
      // Without a response there is no time that the service is responsible for.
      here.add({ receivedAtMs: nowMs, ownMs: 60_000, status: 0, outcome: 'connection_closed' }, 50);
      await here.written();
      const { times, before, points, from, since } = await here.analytics();
      assert.equal(times.count, 1000);
      for (const [shown, exact] of [
        [times.p50Ms, 50],
        [times.p95Ms, 95],
        [times.p99Ms, 99],
        [before.times.p50Ms, 3],
        [points.at(-1)?.p95Ms, 95],
      ])
        assert.ok(Math.abs(shown! / exact! - 1) < 0.1, `${shown} instead of ${exact}`);
      assert.deepEqual([before.times.count, before.to], [10, from]);
      assert.deepEqual([points.length, points[0]], [24, { startsAt: from, count: 0 }]);
      assert.equal(since, '2026-11-19T12:00:00.000Z');
    });

    it('count a limited number of values apart, however many a caller makes up, and keep those of proved requests', async (t) => {
      const here = await scene(t, backend);
      const address = (index: number): string => `2001:db8::${index.toString(16)}`;
      for (let batch = 0; batch < 3; batch += 1) {
        for (let index = 0; index < 200; index += 1)
          here.add({
            sourceAddress: address(batch * 200 + index + 1),
            isProved: false,
            keyId: undefined,
            outcome: 'signature_invalid',
            status: 401,
          });
        await here.written();
      }
      for (let index = 0; index < 200; index += 1) here.add({ sourceAddress: `10.0.0.${index}` });
      await here.written();
      const rows = await here.database.selectFrom('request_figures').selectAll().execute();
      assert.equal(rows.length, 4);
      for (const { figures } of rows) assert.ok(figures.length < 4000, `${figures.length}`);
      const analytics = await here.analytics('by=address');
      const strangers = analytics.groups[0]!.values.filter(({ refused }) => refused > 0);
      assert.equal(strangers.length, 25);
      assert.equal(analytics.groups[0]!.values.length - strangers.length, 24);
      assert.deepEqual(told(analytics, 'address').at(-1), '* 176 0 575');
    });

    it('add up what several nodes write at once', async (t) => {
      const { open } = await backend.makeEmpty(t);
      const nodes = await Promise.all(
        Array.from({ length: 2 }, async () => ({ database: await open(), figures: new UnwrittenFigures() })),
      );
      for (let round = 0; round < 5; round += 1) {
        for (const [index, { figures }] of nodes.entries()) {
          for (const clientId of ['shop', 'till', 'kiosk'])
            figures.add({ ...request, clientId, sourceAddress: `10.0.${index}.${round}` });
        }
        await Promise.all(nodes.map(({ database, figures }) => figures.write(requestWritesTo(database))));
      }
      const caller = personOf('account_1');
      const answer = await ask(apiOn(nodes[0]!.database), 'getRequestAnalytics', {
        query: '',
        caller,
        nowMs,
      });
      const analytics = answer.body as RequestAnalytics;
      assert.deepEqual(told(analytics, 'operation'), ['GET /v1/payments/{id} 30 0 0']);
      assert.equal(told(analytics, 'address').length, 10);
      assert.equal(analytics.times.count, 30);
    });

    it('keep what an outage prevented from being written, and count nothing twice', async (t) => {
      const here = await scene(t, backend);
      here.add({}, 3);
      const failing = (code: 'unavailable' | 'in_doubt') => ({
        addFigures: () => Promise.reject(new StorageError(code, 'The connection was lost.')),
      });
      await assert.rejects(here.figures.write(failing('unavailable')), { code: 'unavailable' });
      here.add({});
      await here.written();
      here.add({});
      await assert.rejects(here.figures.write(failing('in_doubt')), { code: 'in_doubt' });
      await here.written();
      assert.deepEqual(told(await here.analytics(), 'status'), ['200 4 0 0']);
    });

    it('forget hours before days', async (t) => {
      const here = await scene(t, backend);
      for (const agoMs of [0, 40 * dayMs, 500 * dayMs])
        for (const accountId of ['account_1', 'account_2'])
          here.add({ accountId, clientId: `client-of-${accountId}`, receivedAtMs: nowMs - agoMs });
      await here.written();
      const bounds = { hoursFromMs: nowMs - 35 * dayMs, daysFromMs: nowMs - 402 * dayMs, nowMs };
      assert.equal(await requestWritesTo(here.database).trim({ requests: {}, ...bounds }), false);
      const left = await here.database
        .selectFrom('request_figures')
        .select(['account_id', 'span', 'starts_at_ms'])
        .where('client_id', '=', '')
        .orderBy('account_id')
        .orderBy('starts_at_ms')
        .orderBy('span')
        .execute();
      assert.deepEqual(
        left.map((row) => `${row.account_id} ${row.span} ${Math.floor((nowMs - row.starts_at_ms) / dayMs)}`),
        ['account_1', 'account_2'].flatMap((name) => [`${name} day 40`, `${name} day 0`, `${name} hour 0`]),
      );
    });

    it('forget the requests of removed sample clients, also in the sums', async (t) => {
      const here = await scene(t, backend);
      here.add({}, 3);
      for (let index = 0; index < 60; index += 1)
        here.add({ clientId: 'sample', sourceAddress: `10.0.0.${index}`, ownMs: 50 });
      here.add({ clientId: 'sample', receivedAtMs: nowMs - 5 * hourMs });
      await here.written();
      await forgetDemoRequests(here.database, 'account_1', ['sample']);
      const analytics = await here.analytics();
      assert.deepEqual(told(analytics, 'address'), ['203.0.113.7 3 0 0']);
      assert.equal(analytics.times.count, 3);
      const rows = await here.database.selectFrom('request_figures').select('client_id').execute();
      assert.deepEqual(rows.map((row) => row.client_id).toSorted(), ['', '', 'shop', 'shop']);
    });

    it('read as few rows of a million requests as of one', async (t) => {
      const here = await scene(t, backend);
      here.add({ sourceAddress: '10.0.0.1' }, 1_000_000);
      await here.written();
      const { count } = await here.database
        .selectFrom('request_figures')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .executeTakeFirstOrThrow();
      assert.equal(Number(count), 4);
      assert.deepEqual(told(await here.analytics('by=address'), 'address'), ['10.0.0.1 1000000 0 0']);
    });

    it('have no figures of requests from before an upgrade, and say since when they do', async (t) => {
      const { open } = await backend.makeEmpty(t);
      const before = await open({ migrations: migrations.filter((each) => each.name < '0033') });
      await sql`insert into request_counts (account_id, client_id, span, starts_at_ms, key_id, outcome, count)
        values ('account_1', '', 'hour', ${nowMs - 2 * hourMs - (nowMs % hourMs)}, '', 'accepted', 9)`.execute(
        before,
      );
      const database = await open();
      const figures = new UnwrittenFigures();
      figures.add(request);
      await figures.write(requestWritesTo(database));
      const answer = await ask(apiOn(database), 'getRequestAnalytics', {
        query: '',
        caller: personOf('account_1'),
        nowMs,
      });
      const analytics = answer.body as RequestAnalytics;
      assert.equal(analytics.since, '2026-11-21T12:00:00.000Z');
      assert.deepEqual(told(analytics, 'status'), ['200 1 0 0']);
    });
  });
}
