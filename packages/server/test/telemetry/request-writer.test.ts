import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { newId } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { runService, type RunningService, sendSigned } from '@countersign/testing/running-service';
import { databaseFileName, type RegistryPlace } from '../../src/registry/local-registry.ts';
import { listRequestRecords } from '../../src/request-log/records/request-list.ts';
import type { DatabasePlace } from '../../src/storage/database.ts';
import { RequestWriter } from '../../src/request-log/writing/request-writer.ts';
import type { RequestWrites } from '../../src/request-log/writing/request-writes.ts';

type RequestRow = Parameters<RequestWrites['insertRequests']>[0][number];

function placeOf(place: RegistryPlace): DatabasePlace {
  return 'databaseUrl' in place
    ? { url: place.databaseUrl }
    : { file: join(place.dataFolder, databaseFileName) };
}

function rows(count: number): RequestRow[] {
  return Array.from({ length: count }, (_, index) => ({
    request_id: newId('request', 1_790_000_000_000 + index),
    received_at_ms: 1_790_000_000_000 + index,
    account_id: 'account',
    client_id: 'shop',
    is_proved: 1,
    outcome: 'accepted',
    is_observed: 0,
    reason: index % 2 === 0 ? null : 'ä "quoted" \u2028 reason',
    method: 'GET',
    url: '/v1/whoami',
    status: 200,
    source_address: '10.0.0.1',
    key_fingerprint: null,
    clock_difference_seconds: -2,
    duration_us: 1234,
  }));
}

function writerOf(t: TestContext, place: DatabasePlace): RequestWriter {
  const writer = new RequestWriter(place);
  t.after(() => writer.close());
  return writer;
}

for (const backend of backends) {
  describe(`the thread that writes the request log to ${backend.name}`, { skip: backend.skip }, () => {
    it('writes what it is given, and says whether there is more to remove', async (t) => {
      const { database, place } = await backend.make(t);
      const writer = writerOf(t, placeOf(place));
      const written = rows(120);
      await writer.insertRequests(written);
      const found = await database.selectFrom('request_records').selectAll().orderBy('request_id').execute();
      assert.deepEqual(
        found.map((row) => ({ ...row })),
        written.map((row) => ({ ...row, epoch: null })),
      );
      const kept = { hoursFromMs: 0, daysFromMs: 0, nowMs: 0 };
      assert.equal(await writer.trim({ ...kept, requests: { rowsMax: 20, unprovedRowsMax: 5 } }), false);
      const { entries } = await listRequestRecords(database, { accountId: 'account' }, { limit: 200 });
      assert.deepEqual(
        entries.map(({ requestId }) => requestId),
        written
          .slice(100)
          .toReversed()
          .map((row) => row.request_id),
      );
    });

    it('tells a mistake from an outage, and goes on after both', async (t) => {
      const { database, place } = await backend.make(t);
      const writer = writerOf(t, placeOf(place));
      const [row, other] = rows(2) as [RequestRow, RequestRow];
      await assert.rejects(
        writer.insertRequests([{ ...row, account_id: null as unknown as string }]),
        (error: Error) => error.name === 'Error' && /null/i.test(error.message),
      );
      await database.schema.alterTable('request_records').renameTo('renamed').execute();
      await assert.rejects(writer.insertRequests([row]));
      await database.schema.alterTable('renamed').renameTo('request_records').execute();
      await writer.insertRequests([other]);
      assert.equal((await database.selectFrom('request_records').selectAll().execute()).length, 1);
    });
  });
}

describe('the thread that writes the request log', () => {
  it('answers an outage of the database with its code', async (t) => {
    const writer = writerOf(t, { url: 'postgresql://user:hunter2@127.0.0.1:1/none' });
    await assert.rejects(writer.insertRequests(rows(1)), (error: Error & { code?: string }) => {
      assert.equal(error.name, 'StorageError');
      assert.equal(error.code, 'unavailable');
      return !JSON.stringify([error.message, error.stack]).includes('hunter2');
    });
  });

  it('is replaced when it fails, and what it was doing is in doubt', async (t) => {
    const mistake = new URL('data:text/javascript,await 0; throw new Error("a mistake of the program")');
    const writer = new RequestWriter({ file: 'none' }, mistake);
    t.after(() => writer.close());
    const doubtful = { name: 'StorageError', code: 'in_doubt' };
    await Promise.all([
      assert.rejects(writer.insertRequests(rows(1)), doubtful),
      assert.rejects(writer.addCounts([]), doubtful),
    ]);
    await assert.rejects(writer.insertRequests(rows(1)), doubtful);
  });
});

describe('a service with that thread', () => {
  it('tells the portal how long requests are kept', async (t) => {
    const limits = { COUNTERSIGN_REQUESTS_KEPT_DAYS: '7', COUNTERSIGN_REQUESTS_KEPT_MAX: '0' };
    const running = await runService(limits, { requestWrites: undefined });
    t.after(() => running.close());
    const state = await running.send({ method: 'GET', url: '/portal/auth/state' });
    const { requestsKept } = state.json()['features'] as { requestsKept: unknown };
    assert.deepEqual(requestsKept, { days: 7, max: 0 });
  });

  it('removes what is beyond the settings', async (t) => {
    const running = await runService(
      { COUNTERSIGN_REQUESTS_KEPT_MAX: '5' },
      { requestWrites: undefined, requestLogEveryMs: 1_000_000 },
    );
    t.after(() => running.close());
    const { signer } = await running.addClient();
    for (let count = 0; count < 12; count += 1)
      await sendSigned(running, signer, { method: 'GET', url: `/v1/whoami?n=${count}` });
    await running.service.stop();
    assert.equal(countRequests(running), 5);
  });

  it('has written every answered request when it has stopped', async (t) => {
    const running = await runService({}, { requestWrites: undefined });
    t.after(() => running.close());
    const { signer, clientId } = await running.addClient();
    for (let count = 0; count < 20; count += 1)
      await sendSigned(running, signer, { method: 'GET', url: `/v1/whoami?n=${count}` });
    await running.service.stop();
    assert.equal(countRequests(running), 20);
    assert.deepEqual(stored(running, "select subject_id from last_uses where subject = 'client'"), [
      { subject_id: clientId },
    ]);
  });
});

function countRequests(running: RunningService): unknown {
  return stored(running, 'select count(*) as count from request_records')[0]?.['count'];
}

function stored({ dataFolder }: RunningService, query: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(dataFolder, databaseFileName), { readOnly: true });
  try {
    return database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}
