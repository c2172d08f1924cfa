import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { ProblemCode } from '@countersign/contract';
import { refuse } from '@countersign/signature/profile';
import { bodylessDraft, nowMs, paymentDraft, requestOf } from '@countersign/testing/draft';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { assertRefusal } from '@countersign/testing/problem-shape';
import { openConnection, type RawAnswer } from '@countersign/testing/raw-connection';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';
import { patienceMs, waitUntil } from '@countersign/testing/wait-until';
import { sql } from 'kysely';
import { openDatabase } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { whenFree } from '../../src/storage/when-free.ts';

/* Requests that cannot be decided are rejected with 503, never let in, and pass when the outage is over. */

function assertUnavailable(answer: RawAnswer, code: ProblemCode): void {
  assertRefusal(answer, code);
  assert.equal(answer.status, 503);
  assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
}

describe('the registry cannot be read', () => {
  let running: RunningService;
  let clientId: string;
  let clockMs = 0;
  before(async () => {
    running = await runService({}, { nowMs, monotonicMs: () => performance.now() + clockMs });
    ({ clientId } = await running.addClient());
  });
  after(() => running.close());

  /** Takes a table away, so that reading fails at once. */
  async function whileUnreadable(work: () => Promise<void>): Promise<void> {
    const database = new DatabaseSync(join(running.dataFolder, 'countersign.sqlite'));
    // SQLite's own wait would stand in the way of the service, which has the lock and runs in this process.
    const rename = (from: string, to: string): Promise<void> =>
      whenFree(() => database.exec(`alter table ${from} rename to ${to}`), patienceMs);
    try {
      await rename('registry_version', 'registry_version_away');
      await work();
    } finally {
      await rename('registry_version_away', 'registry_version');
      database.close();
    }
  }

  test('refused, whoever calls; accepted when it can be read again', async () => {
    const draft = paymentDraft(clientId);
    await whileUnreadable(async () => {
      clockMs += 5000; // the last look is too old now
      assertUnavailable(await sendDraft(running, draft), 'registry_stale');
      assertUnavailable(await sendDraft(running, bodylessDraft('client_unknown')), 'registry_stale');
      const ready = await running.send({ method: 'GET', url: '/ready' });
      assert.equal(ready.status, 503);
      assert.equal((await running.send({ method: 'GET', url: '/live' })).status, 200);
    });
    assert.equal(codeOf(await sendDraft(running, draft)), '201');
    assert.equal((await running.send({ method: 'GET', url: '/ready' })).status, 200);
  });

  test('it fails while a body comes: refused, and nothing is remembered', async () => {
    const draft = paymentDraft(clientId);
    const { head, body } = requestOf({ ...draft, headers: { Expect: '100-continue', ...draft.headers } });
    await whileUnreadable(async () => {
      const connection = await openConnection(running.port);
      connection.write(head);
      const first = await connection.answer();
      clockMs += 5000;
      if (first.status === 100) {
        connection.write(body);
        assertUnavailable(await connection.answer(), 'registry_stale');
      } else {
        assertUnavailable(first, 'registry_stale');
      }
      connection.cut();
    });
    assert.equal(codeOf(await sendDraft(running, draft)), '201');
  });
});

describe('statements of one client wait', { skip: postgresSkip }, () => {
  let running: RunningService;
  let database: Database;
  let clientId: string;
  let clockMs = 0;
  before(async () => {
    const { url, remove } = await makePostgresDatabase('migrated');
    database = await openDatabase({ url });
    running = await runService(
      {
        COUNTERSIGN_DATABASE_URL: url,
        COUNTERSIGN_DATABASE_CONNECTIONS_MAX: '2',
        // They wait for this test, and not for a time.
        COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT_MS: '60000',
      },
      { nowMs, monotonicMs: () => performance.now() + clockMs },
    );
    ({ clientId } = await running.addClient());
    closers.push(
      () => running.close(),
      () => database.destroy(),
      remove,
    );
  });
  const closers: (() => unknown)[] = [];
  after(async () => {
    for (const close of closers) await close();
  });

  test('on every connection that there is for it: the requests of others are decided as ever', async () => {
    const answers: string[] = [];
    const waiting: Promise<RawAnswer>[] = [];
    await database.transaction().execute(async (transaction) => {
      await sql`lock table payments in access exclusive mode`.execute(transaction);
      for (let each = 0; each < 6; each += 1) waiting.push(sendDraft(running, paymentDraft(clientId)));
      const waits = sql`select from pg_locks where relation = 'payments'::regclass and not granted`;
      const isFull = async (): Promise<boolean> => (await waits.execute(transaction)).rows.length === 2;
      await waitUntil(isFull, 'a statement on each connection that waits');
      for (let each = 0; each < 10; each += 1) {
        clockMs += 5000; // the last look is too old now
        answers.push(codeOf(await sendDraft(running, bodylessDraft(clientId))));
      }
      assert.ok(await isFull());
    });
    await Promise.all(waiting);
    assert.deepEqual([...new Set(answers)], ['200']);
  });
});

describe('a change of one client takes long in the database file', () => {
  test('the requests of others are decided as ever', async (t) => {
    let clockMs = 0;
    let used: Database | undefined;
    const running = await runService(
      {},
      {
        nowMs,
        monotonicMs: () => performance.now() + clockMs,
        wrapApiDatabase: (database) => (used = database),
      },
    );
    t.after(() => running.close());
    const { clientId } = await running.addClient();
    await used!.transaction().execute(async (transaction) => {
      await sql`update registry_version set singleton = 1`.execute(transaction);
      for (let each = 0; each < 5; each += 1) {
        clockMs += 5000; // the last look is too old now
        assert.equal(codeOf(await sendDraft(running, bodylessDraft(clientId))), '200');
      }
    });
  });
});

describe('the replay guard does not answer', () => {
  type Outage = 'none' | 'refuses' | 'refuses later' | 'throws' | 'rejects';
  let running: RunningService;
  let clientId: string;
  let outage: Outage = 'none';
  before(async () => {
    running = await runService(
      {},
      {
        nowMs,
        wrapGuard: (guard) => ({
          use(signature, seconds) {
            const refusal = refuse('guard_unavailable', 'the guard is away', { retryAfterSeconds: 7 });
            switch (outage) {
              case 'none':
                return guard.use(signature, seconds);
              case 'refuses':
                return refusal;
              case 'refuses later':
                return Promise.resolve(refusal);
              case 'throws':
                throw new Error('secret of the guard');
              case 'rejects':
                return Promise.reject(new Error('secret of the guard'));
            }
          },
        }),
      },
    );
    ({ clientId } = await running.addClient());
  });
  after(() => running.close());

  for (const kind of ['refuses', 'refuses later'] as const) {
    test(`it ${kind}: 503 with its time, and the same request passes afterwards`, async () => {
      const draft = paymentDraft(clientId);
      outage = kind;
      const answer = await sendDraft(running, draft);
      assertUnavailable(answer, 'guard_unavailable');
      assert.equal(answer.headers['retry-after'], '7');
      outage = 'none';
      assert.equal(codeOf(await sendDraft(running, draft)), '201');
      assert.equal(codeOf(await sendDraft(running, draft)), 'signature_replayed');
    });
  }
  for (const kind of ['throws', 'rejects'] as const) {
    test(`it ${kind}, which no guard may: not accepted, and nothing is told of why`, async () => {
      const draft = paymentDraft(clientId);
      outage = kind;
      const answer = await sendDraft(running, draft);
      assert.ok([500, 503].includes(answer.status), String(answer.status));
      assert.doesNotMatch(answer.text, /secret/);
      outage = 'none';
      assert.equal(codeOf(await sendDraft(running, draft)), '201');
    });
  }
});

describe('the replay guard is full', () => {
  let running: RunningService;
  let clientId: string;
  before(async () => {
    running = await runService({ COUNTERSIGN_GUARD_ENTRIES_MAX: '8' }, { nowMs });
    ({ clientId } = await running.addClient());
  });
  after(() => running.close());

  test('503 for what is new, and what is remembered stays refused', async () => {
    const first = paymentDraft(clientId);
    assert.equal(codeOf(await sendDraft(running, first)), '201');
    assert.equal(codeOf(await sendDraft(running, paymentDraft(clientId))), '201');
    assertUnavailable(await sendDraft(running, paymentDraft(clientId)), 'guard_full');
    assert.equal(codeOf(await sendDraft(running, first)), 'signature_replayed');
  });
});
