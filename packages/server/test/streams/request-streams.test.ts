import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { newId } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { joinEpoch } from '../../src/request-log/records/request-epoch.ts';
import { insertRequestRecords, type RequestRow } from '../../src/request-log/records/request-inserts.ts';
import { inTransaction } from '../../src/storage/transaction.ts';
import { type StreamScene, streamScene } from './scene.ts';

for (const backend of backends) {
  describe(`a stream of the request log on ${backend.name}`, { skip: backend.skip }, () => {
    let on: StreamScene;
    before(async () => {
      on = await streamScene(backend, {
        streams: ({ origin }) => ({
          siem: { what: 'requests', to: `${origin}/all`, from: 'oldest' },
          later: { what: ['requests', 'audit'], to: `${origin}/later` },
          recent: {
            what: 'requests',
            to: `${origin}/recent`,
            from: '2026-01-01T00:00:00Z',
          },
        }),
      });
    });
    after(() => on.close());
    beforeEach(() => on.send());

    /** The IDs that a stream has sent, each once. */
    const sentTo = (path: string): string[] => {
      const lines = on.receiver.batches
        .filter((batch) => batch.path === path)
        .flatMap(({ body }) => body.trim().split('\n'));
      const ids = lines
        .map((line) => JSON.parse(line) as { source: string; id: string })
        .filter(({ source }) => source === 'requests')
        .map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, 'nothing failed, so nothing is sent twice');
      return ids;
    };
    const stored = async (): Promise<string[]> => {
      const database = await on.scene.database();
      const rows = await database.selectFrom('request_records').select('request_id').execute();
      return rows.map((row) => row.request_id);
    };
    const row = (atMs: number): RequestRow => ({
      request_id: newId('request', atMs),
      received_at_ms: atMs,
      account_id: on.scene.accountId,
      client_id: on.scene.administrator.clientId,
      is_proved: 1,
      outcome: 'accepted',
      is_observed: 0,
      reason: null,
      method: 'GET',
      url: '/v1/x',
      status: 200,
      source_address: '192.0.2.1',
      key_fingerprint: null,
      clock_difference_seconds: null,
      duration_us: 1000,
    });
    /** Makes a request, and waits until it is in the log. */
    const request = async (): Promise<void> => {
      const { length } = await stored();
      await on.addClient();
      await waitUntil(async () => (await stored()).length > length, 'it is in the log');
    };

    test('sends each request with its record, and the audit log beside it with its own cursor', async () => {
      await request();
      await on.send();
      assert.deepEqual(sentTo('/all').toSorted(), (await stored()).toSorted());
      const lines = on.receiver.lines();
      const { record } = lines.find(({ source }) => source === 'requests')!;
      assert.deepEqual(
        [record?.['method'], record?.['outcome'], record?.['sourceAddress']],
        ['POST', 'accepted', '127.0.0.1'],
      );
      const batches = on.receiver.batches.filter(({ path }) => path === '/later');
      assert.ok(batches.some(({ body }) => body.startsWith('{"source":"audit"')));
      assert.deepEqual(sentTo('/later'), sentTo('/all'));
    });

    test('sends a request of a node whose clock is an hour late', async () => {
      const late = row(on.scene.nowMs() - 3_600_000);
      const database = await on.scene.database();
      await inTransaction(database, async (transaction) => {
        await insertRequestRecords(transaction, [late], await joinEpoch(transaction));
      });
      await on.send();
      assert.equal(sentTo('/all').at(-1), late.request_id);
    });

    test('sends requests that were logged before there was any stream, from the time that it asks for', async () => {
      const database = await on.scene.database();
      const old = row(Date.parse('2025-12-31T23:59:59.999Z'));
      const first = row(Date.parse('2026-01-01T00:00:00Z'));
      await insertRequestRecords(database, [old, first]);
      await database.deleteFrom('stream_cursors').execute();
      on.receiver.batches.length = 0;
      await on.send();
      assert.deepEqual(new Set(sentTo('/all')), new Set(await stored()));
      assert.ok(!sentTo('/recent').includes(old.request_id));
      assert.equal(sentTo('/recent')[0], first.request_id);
      assert.deepEqual(sentTo('/later'), []);
    });

    test('sends more than a batch holds, in order', async () => {
      const database = await on.scene.database();
      const rows = Array.from({ length: 1200 }, (_, index) => row(on.scene.nowMs() + index));
      for (let start = 0; start < rows.length; start += 300)
        await inTransaction(database, async (transaction) => {
          await insertRequestRecords(
            transaction,
            rows.slice(start, start + 300),
            await joinEpoch(transaction),
          );
        });
      on.receiver.batches.length = 0;
      await on.send();
      assert.deepEqual(
        sentTo('/all'),
        rows.map(({ request_id: id }) => id),
      );
    });

    // SQLite has one writing transaction at a time.
    if (backend.name === 'SQLite') return;
    test('skips no request that is committed after later ones', async () => {
      const database = await on.scene.database();
      const late = row(on.scene.nowMs());
      on.receiver.batches.length = 0;
      await inTransaction(database, async (transaction) => {
        await insertRequestRecords(transaction, [late], await joinEpoch(transaction));
        await request();
        await on.send();
        await request();
        // What was committed meanwhile waits, because the late one could still come before it.
        assert.deepEqual(sentTo('/all'), []);
      });
      await on.send();
      const ids = sentTo('/all');
      assert.ok(ids.includes(late.request_id));
      assert.equal(ids.length, 3);
    });
  });
}
