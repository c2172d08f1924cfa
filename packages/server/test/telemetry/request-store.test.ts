import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { newId, NetworkWhitelist, parseAddress } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { RequestCounts } from '../../src/request-log/writing/unwritten-counts.ts';
import type { RequestDetail } from '../../src/request-log/writing/request-store.ts';
import { RequestStore } from '../../src/request-log/writing/request-store.ts';
import { type RequestWrites, requestWritesTo } from '../../src/request-log/writing/request-writes.ts';
import type { RegisteredClient } from '../../../gate/src/registry.ts';
import { insertExplanations, readExplanation } from '../../src/request-log/records/explanations.ts';
import { readClientUses, readLastUses } from '../../src/registry/store/last-uses.ts';
import { listRequestRecords } from '../../src/request-log/records/request-list.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Database } from '../../src/storage/transaction.ts';

const dayMs = 86_400_000;
const startMs = 1_790_000_000_000;
const client = {
  clientId: 'shop',
  accountId: 'account',
  network: NetworkWhitelist.fromTexts(['10.0.0.0/8', '10.0.0.1', '192.0.2.1']),
} as unknown as RegisteredClient;
/** The accounts of the others have the names of their clients. */
const clients: ReadonlyMap<string, RegisteredClient> = new Map([
  ['shop', client],
  ...['busy', 'quiet'].map((name) => [name, { ...client, clientId: name, accountId: name }] as const),
]);

interface Scene {
  readonly database: Database;
  readonly store: RequestStore;
  readonly errors: unknown[];
  readonly clock: { nowMs: number };
  readonly outage: { error: unknown };
  add(count: number, detail?: Partial<RequestDetail>, outcome?: string): void;
  stored(accountId?: string): Promise<readonly string[]>;
  /** What was counted, as `client key outcome count`; the client of the sums is empty. */
  counted(span?: 'hour' | 'day'): Promise<readonly string[]>;
}

async function scene(
  t: TestContext,
  { make }: Backend,
  {
    writes: overrides = () => ({}),
    ...options
  }: {
    waitingMax?: number;
    keptMax?: number;
    keptDays?: number;
    writes?: (writes: RequestWrites) => Partial<RequestWrites>;
  } = {},
): Promise<Scene> {
  const { database } = await make(t);
  const errors: unknown[] = [];
  const clock = { nowMs: startMs };
  const outage: { error: Error | undefined } = { error: undefined };
  const failing = new Proxy(database, {
    get(target, name) {
      if (outage.error !== undefined && name === 'transaction') throw outage.error;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const writes = requestWritesTo(failing);
  const store = new RequestStore({
    writes: { ...writes, ...overrides(writes) },
    keptDays: 30,
    keptMax: 1_000_000,
    registry: { clientById: (clientId) => clients.get(clientId) },
    nowMs: () => clock.nowMs,
    onError: (error) => errors.push(error),
    writeEveryMs: 1_000_000,
    ...options,
  });
  t.after(() => store.close());
  return {
    database,
    store,
    errors,
    clock,
    outage,
    add(count, detail = {}, outcome = 'accepted') {
      for (let index = 0; index < count; index += 1) {
        store.add(
          {
            requestId: newId('request', clock.nowMs + index),
            outcome,
            status: 200,
            method: 'GET',
            path: '/v1/whoami',
            sourceAddress: '10.0.0.1',
          },
          {
            receivedAtMs: clock.nowMs + index,
            namedClientId: 'shop',
            isProved: true,
            isAccepted: outcome === 'accepted',
            keyId: 'key_1',
            shownQuery: '',
            source: parseAddress('10.0.0.1'),
            ...detail,
          },
        );
      }
    },
    async stored(accountId = 'account') {
      const { entries } = await listRequestRecords(database, { accountId }, { limit: 100_000 });
      return entries.map(({ requestId }) => requestId);
    },
    async counted(span = 'hour') {
      const rows = await database
        .selectFrom('request_counts')
        .selectAll()
        .where('span', '=', span)
        .orderBy('client_id')
        .orderBy('outcome')
        .execute();
      return rows.map((row) =>
        [row.client_id, ...(row.key_id === '' ? [] : [row.key_id]), row.outcome, row.count].join(' '),
      );
    },
  };
}

const noFindings = '{"findings":[]}';

for (const backend of backends) {
  describe(`the store of requests on ${backend.name}`, { skip: backend.skip }, () => {
    test('holds no more than it may, and counts what it drops; strangers get half of the room', async (t) => {
      const here = await scene(t, backend, { waitingMax: 10 });
      here.add(20, { isProved: false, isAccepted: false }, 'signature_invalid');
      assert.equal(here.store.droppedCount, 15);
      here.add(20);
      assert.equal(here.store.droppedCount, 30);
      await here.store.flush();
      assert.equal((await here.stored()).length, 10);
      here.add(1);
      await here.store.flush();
      assert.equal((await here.stored()).length, 11);
    });

    test('records no use of a request that comes while others are written, before the request', async (t) => {
      const recorded: number[] = [];
      const here = await scene(t, backend, {
        writes: (writes) => ({
          async addCounts(rows) {
            await writes.addCounts(rows);
            if (recorded.length === 0) here.add(1, { receivedAtMs: startMs + 5000 });
          },
          async writeLastUses(uses) {
            recorded.push(
              ...uses.filter(({ subject }) => subject === 'client').map(({ usedAtMs }) => usedAtMs),
            );
            await writes.writeLastUses(uses);
          },
        }),
      });
      here.add(1);
      await here.store.flush();
      assert.deepEqual([(await here.stored()).length, recorded], [1, [startMs]]);
      await here.store.flush();
      assert.deepEqual([(await here.stored()).length, recorded], [2, [startMs, startMs + 5000]]);
    });

    test('keeps what it has through an outage, tells of it once, and writes it afterwards', async (t) => {
      const here = await scene(t, backend);
      here.outage.error = new StorageError('unavailable', 'The disk is full.');
      here.add(3);
      await here.store.flush();
      await here.store.flush();
      assert.equal(here.errors.length, 1);
      here.outage.error = undefined;
      await here.store.flush();
      assert.equal((await here.stored()).length, 3);
      assert.equal(here.store.droppedCount, 0);
    });

    test('what cannot be written at all does not stand in the way', async (t) => {
      const here = await scene(t, backend);
      here.outage.error = new Error('a mistake of the program');
      here.add(3);
      await here.store.flush();
      assert.equal(here.store.droppedCount, 3);
      here.outage.error = undefined;
      here.add(1);
      await here.store.flush();
      assert.equal((await here.stored()).length, 1);
    });

    test('takes no note of clients that do not exist', async (t) => {
      const here = await scene(t, backend);
      here.add(2, { namedClientId: 'nobody' });
      here.add(2, { namedClientId: undefined });
      await here.store.flush();
      assert.deepEqual(await here.stored(), []);
    });

    test('writes when clients, keys and whitelist entries were last used, only by what was accepted', async (t) => {
      const here = await scene(t, backend);
      here.add(3, { isAccepted: false }, 'signature_replayed');
      await here.store.flush();
      assert.equal((await readLastUses(here.database, 'client', ['shop'])).size, 0);
      here.add(5);
      await here.store.flush();
      assert.equal((await readLastUses(here.database, 'client', ['shop'])).get('shop'), startMs + 4);
      assert.equal((await readLastUses(here.database, 'key', ['key_1'])).get('key_1'), startMs + 4);
      const entries = await readLastUses(here.database, 'network', [
        'shop 10.0.0.0/8',
        'shop 10.0.0.1',
        'shop 192.0.2.1',
      ]);
      assert.deepEqual([...entries.keys()].toSorted(), ['shop 10.0.0.0/8', 'shop 10.0.0.1']);
      here.clock.nowMs -= dayMs;
      here.add(1);
      await here.store.flush();
      const kept = await readLastUses(here.database, 'client', ['shop']);
      assert.equal(kept.get('shop'), startMs + 4, 'an earlier time replaces no later one');
    });

    test('notes where a client called from last', async (t) => {
      const here = await scene(t, backend);
      here.add(1);
      await here.store.flush();
      const used = async (): Promise<unknown> => (await readClientUses(here.database, ['shop'])).get('shop');
      assert.deepEqual(await used(), { usedAtMs: startMs, sourceAddress: '10.0.0.1' });
    });

    test('counts every request, also those that it drops, and those of an outage', async (t) => {
      const here = await scene(t, backend, { waitingMax: 10 });
      here.add(25);
      here.add(7, { isProved: false, isAccepted: false, keyId: undefined }, 'signature_invalid');
      here.add(5, { namedClientId: 'nobody' });
      here.outage.error = new StorageError('unavailable', 'The disk is full.');
      await here.store.flush();
      here.add(1);
      await here.store.flush();
      assert.deepEqual(await here.counted(), []);
      here.outage.error = undefined;
      await here.store.flush();
      await here.store.flush();
      assert.ok(here.store.droppedCount > 0);
      assert.deepEqual(await here.counted(), [
        ' accepted 26',
        ' signature_invalid 7',
        'shop key_1 accepted 26',
        'shop signature_invalid 7',
      ]);
      here.clock.nowMs += 3_600_000;
      here.add(1);
      await here.store.flush();
      assert.deepEqual(await here.counted('day'), [
        ' accepted 27',
        ' signature_invalid 7',
        'shop key_1 accepted 27',
        'shop signature_invalid 7',
      ]);
    });

    test('counts nothing twice when nobody knows whether it was written', async (t) => {
      const here = await scene(t, backend);
      const counts = new RequestCounts();
      const request = {
        accountId: 'account',
        clientId: 'shop',
        keyId: 'key_1',
        outcome: 'accepted',
        isObserved: false,
      };
      for (let index = 0; index < 3; index += 1) counts.add({ ...request, receivedAtMs: startMs });
      const losesAnswers = {
        transaction: () => ({
          execute: async (work: (transaction: never) => Promise<void>) => {
            await here.database.transaction().execute((transaction) => work(transaction as never));
            throw new StorageError('in_doubt', 'The connection was lost.');
          },
        }),
      } as unknown as Database;
      await assert.rejects(counts.write(requestWritesTo(losesAnswers)), { code: 'in_doubt' });
      await counts.write(requestWritesTo(here.database));
      assert.deepEqual(await here.counted(), [' accepted 3', 'shop key_1 accepted 3']);
    });

    test('forgets what is too old', async (t) => {
      const here = await scene(t, backend, { keptDays: 30 });
      here.add(700);
      await here.store.flush();
      here.clock.nowMs += 29 * dayMs;
      here.add(1);
      await here.store.flush();
      assert.equal((await here.stored()).length, 701);
      here.clock.nowMs += dayMs + 1000;
      for (let rounds = 0; rounds < 3; rounds += 1) await here.store.flush();
      assert.equal((await here.stored()).length, 1);
    });

    test('keeps every request when neither days nor a number are a limit', async (t) => {
      const here = await scene(t, backend, { keptDays: 0, keptMax: 0 });
      here.add(700);
      await here.store.flush();
      here.clock.nowMs += 4000 * dayMs;
      here.add(1);
      for (let rounds = 0; rounds < 3; rounds += 1) await here.store.flush();
      assert.equal((await here.stored()).length, 701);
    });

    test('each limit holds without the other', async (t) => {
      const few = await scene(t, backend, { keptDays: 0, keptMax: 10 });
      few.add(30);
      for (let rounds = 0; rounds < 3; rounds += 1) await few.store.flush();
      assert.equal((await few.stored()).length, 10);
      const young = await scene(t, backend, { keptDays: 2, keptMax: 0 });
      young.add(30);
      await young.store.flush();
      young.clock.nowMs += 3 * dayMs;
      for (let rounds = 0; rounds < 3; rounds += 1) await young.store.flush();
      assert.deepEqual(await young.stored(), []);
    });

    test('keeps a number of requests, the newest, and of strangers fewer', async (t) => {
      const here = await scene(t, backend, { keptMax: 40 });
      here.add(30, { isProved: false, isAccepted: false }, 'signature_invalid');
      await here.store.flush();
      assert.equal((await here.stored()).length, 10);
      here.clock.nowMs += dayMs;
      here.add(50);
      await here.store.flush();
      here.clock.nowMs += dayMs;
      await here.store.flush();
      const stored = await here.stored();
      assert.equal(stored.length, 40);
      const { entries } = await listRequestRecords(here.database, { accountId: 'account' }, { limit: 100 });
      assert.ok(entries.every(({ isProved }) => isProved));
    });

    test('a busy client pushes out nothing of other accounts, whether or not it proves itself', async (t) => {
      for (const isProved of [true, false]) {
        const here = await scene(t, backend, { keptMax: isProved ? 1000 : 4000 });
        const detail = { isProved, isAccepted: isProved };
        const outcome = isProved ? 'accepted' : 'signature_invalid';
        here.add(90, { ...detail, namedClientId: 'quiet' }, outcome);
        await here.store.flush();
        here.clock.nowMs += dayMs;
        here.add(150, detail, outcome);
        await here.store.flush();
        const newest: string[] = [];
        for (let day = 0; day < 3; day += 1) {
          here.clock.nowMs += dayMs;
          here.add(900, { ...detail, namedClientId: 'busy' }, outcome);
          await here.store.flush();
          newest.push((await here.stored('busy'))[0] ?? '');
        }
        assert.equal((await here.stored('quiet')).length, 90);
        assert.equal((await here.stored()).length, 150);
        const busy = await here.stored('busy');
        assert.equal(busy.length, 760, 'it has the room that nobody else needs');
        assert.equal(busy[0], newest.at(-1), 'and keeps its newest requests');
      }
    });

    test('when nobody else needs the room, one account has it all', async (t) => {
      const here = await scene(t, backend, { keptMax: 1000 });
      for (let day = 0; day < 3; day += 1) {
        here.add(900);
        await here.store.flush();
        here.clock.nowMs += dayMs;
      }
      await here.store.flush();
      assert.equal((await here.stored()).length, 1000);
    });

    test('an explanation is kept with its request, goes with it, and without one there is none', async (t) => {
      const here = await scene(t, backend, { keptDays: 30 });
      const row = { accountId: 'account', explanation: noFindings };
      here.store.addExplanation({ ...row, requestId: 'request_unknown' });
      here.add(2);
      await here.store.flush();
      const [requestId = '', other = ''] = await here.stored();
      here.store.addExplanation({ ...row, requestId });
      await here.store.flush();
      assert.equal(await readExplanation(here.database, 'request_unknown', undefined), undefined);
      assert.equal(await readExplanation(here.database, other, undefined), undefined);
      assert.equal(await readExplanation(here.database, requestId, 'account'), noFindings);
      assert.equal(await readExplanation(here.database, requestId, 'another'), undefined);
      here.clock.nowMs += 31 * dayMs;
      for (let rounds = 0; rounds < 3; rounds += 1) await here.store.flush();
      assert.deepEqual(await here.stored(), []);
      assert.equal(await readExplanation(here.database, requestId, undefined), undefined);
    });

    test('an account keeps its newest explanations, and pushes out none of another', async (t) => {
      const here = await scene(t, backend);
      here.add(6);
      here.add(1, { namedClientId: 'quiet' });
      await here.store.flush();
      const ids = (await here.stored()).toReversed();
      const [quietId = ''] = await here.stored('quiet');
      const rows = ids.map((requestId) => ({ requestId, accountId: 'account', explanation: noFindings }));
      const quiet = { requestId: quietId, accountId: 'quiet', explanation: noFindings };
      await insertExplanations(here.database, [quiet, ...rows], { perAccountMax: 4 });
      const found = await Promise.all(
        [quietId, ...ids].map((requestId) => readExplanation(here.database, requestId, undefined)),
      );
      assert.deepEqual(
        found.map((text) => text !== undefined),
        [true, false, false, true, true, true, true],
      );
    });

    test('writes what waits when it is closed', async (t) => {
      const here = await scene(t, backend);
      here.add(1200);
      await here.store.close();
      assert.equal((await here.stored()).length, 1200);
    });
  });
}
