import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NoticePreferences } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { pino } from 'pino';
import { noteStalledStreams } from '../../src/notices/stalled-streams.ts';
import type { Person } from '../management/scene.ts';
import { noticesOf, waitForNotices } from '../notices/notices-scene.ts';
import { keep } from './receiver.ts';
import { never, type StreamScene, streamScene } from './scene.ts';

for (const backend of backends) {
  describe(`a stream that stalls on ${backend.name}`, { skip: backend.skip }, () => {
    let on: StreamScene;
    let person: Person;
    const log: string[] = [];
    before(async () => {
      on = await streamScene(backend, {
        logger: pino({}, { write: (line: string) => void log.push(line) }),
        settings: { COUNTERSIGN_METRICS_PORT: '0' },
        overrides: { streamsEveryMs: never, webhooksEveryMs: never, noticesEveryMs: 20 },
        streams: ({ origin }) => ({
          siem: { what: 'audit', to: `${origin}/audit`, from: 'oldest', stallSeconds: 60 },
        }),
      });
    });
    after(() => on.close());

    const events = async (): Promise<{ type: string; account_id: string; data: unknown }[]> => {
      const database = await on.scene.database();
      const rows = await database
        .selectFrom('webhook_events')
        .select(['type', 'account_id', 'data'])
        .where('type', 'like', 'stream.%')
        .orderBy('created_at_ms')
        .execute();
      return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }));
    };
    const metric = async (name: string): Promise<number> => {
      const answer = await fetch(`${on.scene.running.service.metricsAddress}/metrics`);
      const line = (await answer.text()).split('\n').find((one) => one.startsWith(`${name}{`));
      assert.match(line ?? '', /\{stream="siem",source="audit"\}/);
      return Number(line!.split(' ').at(-1));
    };
    const warnings = (): string[] =>
      log.filter((line) => line.includes('a stream could not be sent')).map((line) => line.trim());

    test('tells the operator once, and the account of a customer nothing', async () => {
      const operator = await on.scene.addAccount({ isOperator: true });
      person = await on.scene.addPerson({ accountId: operator.accountId, role: 'operator' });
      for (const by of [operator, on.scene.administrator])
        await on.scene.succeed(by, 'addWebhook', {
          body: { url: 'https://hooks.example.com/x', eventTypes: null },
        });
      on.receiver.answer = (response) => void response.writeHead(503).end('secret of the receiver');
      for (let attempt = 0; attempt < 10; attempt += 1) await on.send(attempt === 0 ? 0 : 67_000);
      const told = await events();
      assert.deepEqual(
        told.map(({ type, account_id: accountId }) => [type, accountId]),
        [['stream.stalled', operator.accountId]],
      );
      const { stream, source, problem } = told[0]!.data as Record<string, string>;
      assert.deepEqual(
        [stream, source, problem],
        ['siem', 'audit', 'The receiver answered with status 503.'],
      );
      assert.ok(!log.join('').includes('secret of the receiver'));
    });

    test("has one notice in the operator's inbox, with why and since when, and none in a customer's", async () => {
      const { scene } = on;
      person = await scene.signIn(person);
      const [notice] = await waitForNotices(scene, person, 'stream_stalled', (all) => all.length > 0);
      const { stream, source, since, problem } = notice!.stream ?? {};
      assert.deepEqual(
        [stream, source, problem, notice!.recoveredAt, notice!.isRead],
        ['siem', 'audit', 'The receiver answered with status 503.', undefined, false],
      );
      const agoMs = Date.parse(notice!.happenedAt) - Date.parse(since ?? '');
      assert.ok(agoMs >= 60_000 && agoMs < 200_000, `stalled ${agoMs} ms after the first failure`);
      // Other nodes, and later looks, make no more of them.
      await noteStalledStreams(await scene.database(), { nowMs: scene.nowMs(), isMailed: false });
      assert.equal((await noticesOf(scene, person, 'kind=stream_stalled')).data.length, 1);
      const owner = await scene.addPerson({ role: 'owner' });
      assert.deepEqual((await noticesOf(scene, owner, 'kind=stream_stalled')).data, []);
      const { preferences } = await scene.succeed<NoticePreferences>(owner, 'getNoticePreferences');
      assert.ok(preferences.every(({ kind }) => kind !== 'stream_stalled'));
    });

    test('is in the metrics and, less and less often, in the log; the node stays ready', async () => {
      assert.equal(await metric('countersign_stream_stalled'), 1);
      assert.ok((await metric('countersign_stream_lag_records')) > 0);
      assert.ok((await metric('countersign_stream_lag_seconds')) > 500);
      assert.deepEqual(
        warnings().map((line) => (JSON.parse(line) as { failures: number }).failures),
        [1, 4, 8],
      );
      assert.equal(log.filter((line) => line.includes('a stream has stalled')).length, 1);
      const { status } = await on.scene.running.send({ method: 'GET', url: '/ready' });
      assert.equal(status, 200);
    });

    test('and tells when it is received again', async () => {
      on.receiver.answer = (response, batch) => keep(on.receiver, response, batch);
      await on.send(67_000);
      await on.send(10_000);
      assert.equal((await events()).at(-1)?.type, 'stream.recovered');
      assert.ok(log.some((line) => line.includes('a stream is received again')));
      assert.deepEqual(
        [await metric('countersign_stream_stalled'), await metric('countersign_stream_lag_records')],
        [0, 0],
      );
      person = await on.scene.signIn(person);
      const told = await waitForNotices(
        on.scene,
        person,
        'stream_stalled',
        ([one]) => one?.recoveredAt !== undefined,
      );
      assert.equal(told.length, 1);
    });
  });
}
