import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { newId, profileChecks, type RequestStatistics, statisticsLimits } from '@countersign/contract';
import { answerCodes } from '@countersign/contract/problems';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { type CountedRequest, RequestCounts } from '../../src/request-log/writing/unwritten-counts.ts';
import { requestWritesTo } from '../../src/request-log/writing/request-writes.ts';
import { addRequestCounts, trimRequestCounts } from '../../src/request-log/counts/request-counts.ts';
import type { Database } from '../../src/storage/transaction.ts';
import type { Api } from '../../src/api/api.ts';
import { apiOn } from '../api/api-on.ts';
import { ask, personOf, refusedTo } from './ask.ts';
import { managementScene } from './scene.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Half past an hour, in the middle of a day. */
const nowMs = Date.UTC(2026, 10, 21, 12, 30);

interface Scene {
  readonly api: Api;
  readonly database: Database;
  count(clientId: string, outcome: string, agoMs: number, count?: number, keyId?: string): void;
  /** Counts requests that passed although a check failed. */
  countObserved(clientId: string, outcome: string, agoMs: number, count: number): void;
  written(): Promise<void>;
  statistics(query: string, accountId?: string): Promise<RequestStatistics>;
}

async function scene(t: TestContext, backend: Backend): Promise<Scene> {
  const { database } = await backend.make(t);
  const api = apiOn(database);
  const counts = new RequestCounts();
  const add = (request: Omit<CountedRequest, 'accountId'>, count: number): void => {
    const accountId = request.clientId.startsWith('other') ? 'account_2' : 'account_1';
    for (let index = 0; index < count; index += 1) counts.add({ accountId, ...request });
  };
  return {
    api,
    database,
    count: (clientId, outcome, agoMs, count = 1, keyId) =>
      add({ clientId, keyId, outcome, isObserved: false, receivedAtMs: nowMs - agoMs }, count),
    countObserved: (clientId, outcome, agoMs, count) =>
      add({ clientId, keyId: undefined, outcome, isObserved: true, receivedAtMs: nowMs - agoMs }, count),
    written: () => counts.write(requestWritesTo(database)),
    async statistics(query, accountId = 'account_1') {
      const answer = await ask(api, 'getRequestStatistics', { query, caller: personOf(accountId), nowMs });
      return answer.body as RequestStatistics;
    },
  };
}

/** The points that are not zero, as `name startsAt accepted refused`. */
function told({ series }: RequestStatistics): string[] {
  return series.flatMap(({ name, points }) =>
    points
      .filter(({ accepted, refused }) => accepted + refused > 0)
      .map(({ startsAt, accepted, refused }) => `${name} ${startsAt.slice(5, 16)} ${accepted} ${refused}`),
  );
}

for (const backend of backends) {
  describe(`the statistics of requests on ${backend.name}`, { skip: backend.skip }, () => {
    it('refuse a time that ends before it begins, or that is too long', async (t) => {
      const { api } = await scene(t, backend);
      const refused = (query: string): Promise<string> =>
        refusedTo(
          ask(api, 'getRequestStatistics', { query, caller: personOf('account_1'), nowMs }),
          'query_invalid',
        );
      const noon = '2026-11-21T12:00:00Z';
      assert.match(await refused(`from=${noon}&to=2026-11-20T00:00:00Z`), /before to/);
      assert.match(await refused(`from=${noon}&to=${noon}`), /before to/);
      assert.match(await refused('from=2026-10-20T00:00:00Z'), /at most 744 hours/);
      assert.match(await refused('interval=day&from=0001-01-01T00:00:00Z'), /at most 400 days/);
      assert.match(
        await refused('interval=day&to=9999-12-31T00:00:00Z&from=2026-01-01T00:00:00Z'),
        /400 days/,
      );
      assert.match(await refused('interval=week'), /hour, day/);
      assert.match(await refused('by=method'), /outcome, key, client/);
      const many = Array.from({ length: 101 }, (_, index) => `client-${index}`).join('+');
      assert.match(await refused(`clientId=${many}`), /at most 100 clientIds/);
      assert.match(await refused('clientId=a++b'), /at most 100 clientIds/);
    });

    it('tell of no other account, whichever client is named', async (t) => {
      const here = await scene(t, backend);
      here.count('other', 'accepted', 0, 5, 'key_1');
      await here.written();
      for (const query of [
        '',
        'by=client',
        'by=key',
        'by=outcome',
        'clientId=other',
        'clientId=other&by=key',
      ])
        assert.deepEqual(told(await here.statistics(query)), [], query);
      assert.deepEqual(told(await here.statistics('', 'account_2')), [' 11-21T12:00 5 0']);
    });

    it('have a point for each hour of a day, unless they are asked for another time', async (t) => {
      const here = await scene(t, backend);
      here.count('shop', 'accepted', 0, 3);
      here.count('shop', 'signature_invalid', hourMs);
      here.count('shop', 'accepted', 23 * hourMs);
      here.count('shop', 'accepted', 24 * hourMs, 7);
      await here.written();
      const statistics = await here.statistics('');
      assert.deepEqual(
        { ...statistics, series: statistics.series.map(({ name, points }) => [name, points.length]) },
        {
          interval: 'hour',
          from: '2026-11-20T13:00:00.000Z',
          to: '2026-11-21T13:00:00.000Z',
          series: [['', 24]],
        },
      );
      assert.deepEqual(told(statistics), [' 11-20T13:00 1 0', ' 11-21T11:00 0 1', ' 11-21T12:00 3 0']);
      // Whole hours, those in which it begins and ends too.
      const asked = await here.statistics('from=2026-11-20T12:59:00Z&to=2026-11-20T13:01:00Z');
      assert.deepEqual(told(asked), [' 11-20T12:00 7 0', ' 11-20T13:00 1 0']);
    });

    it('have a point for each of 30 days', async (t) => {
      const here = await scene(t, backend);
      here.count('shop', 'accepted', 29 * dayMs, 2);
      here.count('shop', 'accepted', 30 * dayMs, 2);
      here.count('shop', 'rate_limited', 0);
      here.count('shop', 'accepted', 12 * hourMs);
      await here.written();
      const statistics = await here.statistics('interval=day');
      assert.equal(statistics.series[0]?.points.length, 30);
      assert.deepEqual(told(statistics), [' 10-23T00:00 2 0', ' 11-21T00:00 1 1']);
    });

    it('count apart by outcome, key and client, the most first', async (t) => {
      const here = await scene(t, backend);
      here.count('shop', 'accepted', 0, 5, 'key_1');
      here.count('shop', 'accepted', hourMs, 3, 'key_2');
      here.count('shop', 'signature_invalid', 0, 2);
      here.count('till', 'accepted', 0, 20, 'key_3');
      await here.written();
      const at = '11-21T12:00';
      assert.deepEqual(told(await here.statistics('by=outcome')), [
        'accepted 11-21T11:00 3 0',
        `accepted ${at} 25 0`,
        `signature_invalid ${at} 0 2`,
      ]);
      assert.deepEqual(told(await here.statistics('by=client')), [
        `till ${at} 20 0`,
        'shop 11-21T11:00 3 0',
        `shop ${at} 5 2`,
      ]);
      // What no key verified is no series.
      assert.deepEqual(told(await here.statistics('by=key&clientId=shop')), [
        `key_1 ${at} 5 0`,
        'key_2 11-21T11:00 3 0',
      ]);
      assert.deepEqual(told(await here.statistics('clientId=till+shop&interval=day')), [' 11-21T00:00 28 2']);
      assert.deepEqual(told(await here.statistics('by=client&clientId=till+nobody')), [`till ${at} 20 0`]);
    });

    it('do not count as refused what the API answered to an accepted request', async (t) => {
      const here = await scene(t, backend);
      here.count('shop', 'accepted', 0, 5);
      for (const code of answerCodes) here.count('shop', code, 0, 1);
      for (const code of ['signature_invalid', 'permission_denied', 'rate_limited', 'guard_full'])
        here.count('shop', code, 0, 1);
      await here.written();
      const [all] = (await here.statistics('')).series;
      const { accepted, refused } = all!.points.at(-1)!;
      assert.deepEqual([accepted, refused], [5 + answerCodes.length, 4]);
      for (const code of ['not_found', 'body_invalid', 'query_invalid', 'method_not_allowed'] as const)
        assert.ok(answerCodes.includes(code), code);
      for (const { codes } of profileChecks)
        for (const code of codes) assert.ok(!answerCodes.includes(code), code);
    });

    it('do not count as refused what passed on a route that only observes', async (t) => {
      const here = await scene(t, backend);
      here.count('shop', 'accepted', 0, 5);
      here.count('shop', 'signature_invalid', 0, 2);
      here.countObserved('shop', 'signature_invalid', 0, 3);
      here.countObserved('shop', 'date_mismatch', 0, 4);
      await here.written();
      here.countObserved('shop', 'date_mismatch', 0, 1);
      await here.written();
      const apart = await here.statistics('by=outcome');
      assert.deepEqual(
        apart.series.map(({ name, points }) => {
          const { accepted, observed, refused } = points.at(-1)!;
          return [name, accepted, observed, refused];
        }),
        [
          ['accepted', 5, 0, 0],
          ['date_mismatch', 0, 5, 0],
          ['signature_invalid', 0, 3, 2],
        ],
      );
    });

    it('give at most 100 series, and fewer of many points', async (t) => {
      const here = await scene(t, backend);
      for (let client = 0; client < 130; client += 1)
        here.count(`client-${client}`, 'accepted', 0, client + 1);
      await here.written();
      const days = await here.statistics('by=client&interval=day');
      assert.equal(days.series.length, statisticsLimits.seriesMax);
      assert.equal(days.series[0]?.name, 'client-129');
      const hours = await here.statistics('by=client&from=2026-10-22T00:00:00Z');
      const points = hours.series.reduce((sum, series) => sum + series.points.length, 0);
      assert.ok(points <= statisticsLimits.pointsMax && hours.series.length < 30, `${points}`);
      assert.equal(hours.series[0]?.name, 'client-129');
    });

    it('refuse to go through more than they may, and say what to ask for', async (t) => {
      const here = await scene(t, backend);
      const rows = Array.from({ length: 10_001 }, (_, client) => ({
        account_id: 'account_1',
        client_id: `client-${client}`,
        span: 'day' as const,
        starts_at_ms: nowMs - (nowMs % dayMs),
        key_id: '',
        outcome: 'accepted',
        count: 1,
        observed_count: 0,
      }));
      await here.database.transaction().execute(async (transaction) => {
        for (let start = 0; start < rows.length; start += 1000)
          await addRequestCounts(transaction, rows.slice(start, start + 1000));
      });
      const asking = ask(here.api, 'getRequestStatistics', {
        query: 'by=client&interval=day',
        caller: personOf('account_1'),
        nowMs,
      });
      assert.match(await refusedTo(asking, 'query_invalid'), /name some, or choose a shorter period/);
      assert.deepEqual(told(await here.statistics('by=client&interval=day&clientId=client-7')), [
        'client-7 11-21T00:00 1 0',
      ]);
    });

    it('forget hours before days, account by account', async (t) => {
      const here = await scene(t, backend);
      for (const agoMs of [0, 40 * dayMs, 500 * dayMs]) {
        here.count('shop', 'accepted', agoMs);
        here.count('other', 'accepted', agoMs);
      }
      await here.written();
      const bounds = { hoursFromMs: nowMs - 35 * dayMs, daysFromMs: nowMs - 402 * dayMs };
      assert.equal(await trimRequestCounts(here.database, bounds), false);
      const left = await here.database
        .selectFrom('request_counts')
        .select(['span', 'starts_at_ms'])
        .where('client_id', '=', 'shop')
        .orderBy('starts_at_ms')
        .orderBy('span')
        .execute();
      assert.deepEqual(
        left.map(({ span, starts_at_ms: at }) => `${span} ${Math.floor((nowMs - at) / dayMs)}`),
        ['day 40', 'day 0', 'hour 0'],
      );
    });

    it('count what was asked over HTTP, once each, whatever became of it', async (t) => {
      const here = await managementScene(backend);
      t.after(() => here.close());
      const { administrator, running } = here;
      const mine = (): Promise<RequestStatistics> =>
        here.succeed<RequestStatistics>(administrator, 'getRequestStatistics', { query: 'by=outcome' });
      await here.refused(administrator, 'getRole', { path: { roleId: newId('role') } }, 'not_found');
      // A stranger that names the client.
      const forged = `sig=("@method" "@target-uri" "date");created=${Math.floor(here.nowMs() / 1000)};keyid="${administrator.clientId}";alg="rsa-v1_5-sha256"`;
      const stranger = await running.send({
        method: 'GET',
        url: '/v1/whoami',
        headers: {
          Date: new Date(here.nowMs()).toUTCString(),
          'Signature-Input': forged,
          Signature: `sig=:${Buffer.alloc(256).toString('base64')}:`,
        },
      });
      assert.equal(stranger.status, 401);
      let totals: Record<string, number> = {};
      await waitUntil(
        async () => {
          totals = Object.fromEntries(
            (await mine()).series.map(({ name, points }) => [
              name,
              points.reduce((sum, { accepted, refused }) => sum + accepted + refused, 0),
            ]),
          );
          return totals['signature_invalid'] === 1 && totals['not_found'] === 1;
        },
        () => totals,
      );
      const { keys } = (await here.succeed(administrator, 'getClient', {
        path: { clientId: administrator.clientId },
      })) as { keys: readonly { keyId: string }[] };
      const byKey = await here.succeed<RequestStatistics>(administrator, 'getRequestStatistics', {
        query: 'by=key',
      });
      assert.deepEqual(
        byKey.series.map(({ name }) => name),
        keys.map(({ keyId }) => keyId),
      );
    });
  });
}
