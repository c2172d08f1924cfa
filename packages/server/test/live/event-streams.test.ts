import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId, schemas } from '@countersign/contract';
import type { Backend } from '@countersign/testing/backend';
import { backends } from '@countersign/testing/backends';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { waitFor, waitUntil } from '@countersign/testing/wait-until';
import { EventStreams, type EventStreamsOptions } from '../../src/live/event-streams.ts';
import { addAccount } from '../../src/registry/store/accounts.ts';
import { addClient } from '../../src/registry/store/clients.ts';
import { insertRequestRecords } from '../../src/request-log/records/request-inserts.ts';
import type { Database } from '../../src/storage/transaction.ts';
import { apiOn } from '../api/api-on.ts';
import type { PersonCaller } from '../../src/people/sessions/person-caller.ts';
import { ask, personOf, refusedTo } from '../management/ask.ts';

const context = { nowMs: Date.now(), actor: { kind: 'system', id: 'test' }, keyPolicy: {} } as const;

/** A listener. */
interface Reader {
  /** What was told, as `request <method>`, `change <action>`, `gap` and `ping`. */
  readonly told: string[];
  isEnded: boolean;
  /** How many bytes are said to wait. */
  waitingBytes: number;
  isAdmitted: boolean;
  /** How many looks at its account have begun for which it was the first to listen. */
  looks: number;
  leave(): void;
}

interface Scene {
  readonly database: Database;
  readonly streams: EventStreams;
  readonly accountId: string;
  readonly errors: unknown[];
  /** What fails from now on; `transaction` for changes alone. */
  readonly outage: { error: Error | undefined; at?: 'transaction' | undefined };
  /** Opens a stream, and waits until what was there before has been found. */
  listen(caller?: Partial<PersonCaller>, accountId?: string): Promise<Reader>;
  /** Waits until the account has been looked at once more, from beginning to end. */
  looked(accountId?: string): Promise<void>;
  keep(method: string, options?: { agoMs?: number; accountId?: string; count?: number }): Promise<void>;
  change(accountId?: string): Promise<void>;
}

async function scene(
  t: TestContext,
  backend: Backend,
  options: Partial<EventStreamsOptions> = {},
): Promise<Scene> {
  const { database } = await backend.make(t);
  const { accountId } = await addAccount(database, { name: 'Example' }, context);
  const errors: unknown[] = [];
  const outage: Scene['outage'] = { error: undefined };
  const failing = new Proxy(database, {
    get(target, name) {
      if (outage.error !== undefined && name === (outage.at ?? 'selectFrom')) throw outage.error;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  // An account is looked at on behalf of the one whose listening began it, and each look asks the clock once.
  const first = new AsyncLocalStorage<Reader>();
  const readersOf = new Map<string, Reader[]>();
  const streams = new EventStreams({
    database: failing,
    nowMs: () => {
      const reader = first.getStore();
      if (reader !== undefined) reader.looks += 1;
      return Date.now();
    },
    onError: (error) => errors.push(error),
    lookEveryMs: 10,
    admissionEveryMs: 10,
    ...options,
  });
  t.after(() => streams.close());
  const api = apiOn(database, { eventStreams: streams });
  const looked = async (followed = accountId): Promise<void> => {
    const looks = (): number =>
      (readersOf.get(followed) ?? []).reduce((sum, reader) => sum + reader.looks, 0);
    // The next look to begin is over when another one begins.
    const overAt = looks() + 2;
    await waitUntil(() => looks() >= overAt, 'a look at the account');
  };
  return {
    database,
    streams,
    accountId,
    errors,
    outage,
    looked,
    async listen(caller, followed = accountId) {
      const reader: Reader = {
        told: [],
        isEnded: false,
        waitingBytes: 0,
        isAdmitted: true,
        looks: 0,
        leave: () => assert.fail('nothing was opened'),
      };
      const answer = await ask(api, 'streamEvents', {
        query: `account=${followed}`,
        caller: personOf(followed, caller),
        isStillAdmitted: async () => reader.isAdmitted,
      });
      const { stream } = answer;
      assert.ok(stream !== undefined, 'there is no stream');
      readersOf.set(followed, [...(readersOf.get(followed) ?? []), reader]);
      reader.leave = first.run(reader, stream, {
        write: (text) => {
          reader.told.push(...read(text));
          return reader.waitingBytes;
        },
        end: () => {
          reader.isEnded = true;
          queueMicrotask(() => reader.leave());
        },
      });
      if (!reader.isEnded) await looked(followed);
      return reader;
    },
    async keep(method, { agoMs = 0, accountId: owner = accountId, count = 1 } = {}) {
      const receivedAtMs = Date.now() - agoMs;
      const rows = Array.from({ length: count }, () => row(owner, method, receivedAtMs));
      await insertRequestRecords(database, rows);
    },
    async change(owner = accountId) {
      const client = { name: 'Shop', accountId: owner, network: ['192.0.2.1'], roles: [] };
      await addClient(database, client, context);
    },
  };
}

function row(
  accountId: string,
  method: string,
  receivedAtMs: number,
): Parameters<typeof insertRequestRecords>[1][number] {
  return {
    request_id: newId('request', receivedAtMs),
    received_at_ms: receivedAtMs,
    account_id: accountId,
    client_id: 'shop',
    is_proved: 1,
    outcome: 'accepted',
    is_observed: 0,
    reason: 'a\nreason\r\nof\u2028lines',
    method,
    url: '/v1/whoami',
    status: 200,
    source_address: '203.0.113.9',
    key_fingerprint: null,
    clock_difference_seconds: null,
    duration_us: 1500,
  };
}

/** Reads what is sent as a browser does (HTML standard, section 9.2.6), and checks each event by the contract. */
function read(text: string): string[] {
  assert.ok(text.endsWith('\n\n'));
  return text
    .slice(0, -2)
    .split('\n\n')
    .flatMap((block) => {
      if (/^retry: \d+$/.test(block)) return [];
      const lines = /^event: (\w+)\ndata: ([^\n\r]+)$/.exec(block) ?? assert.fail(block);
      const event = schemas.LiveEvent.parse({ event: lines[1], data: JSON.parse(lines[2] ?? '') as unknown });
      if (event.event === 'request') return [`request ${event.data.method}`];
      return [event.event === 'change' ? `change ${event.data.action}` : event.event];
    });
}

/** What was told besides pings. */
const newsOf = ({ told }: Reader): string[] => told.filter((line) => line !== 'ping');

for (const backend of backends) {
  describe(`streams of events on ${backend.name}`, { skip: backend.skip }, () => {
    it('are not opened without an account, for another one, or where nobody can say who still may', async (t) => {
      const { database, streams, accountId } = await scene(t, backend);
      const api = apiOn(database, { eventStreams: streams });
      const caller = personOf(accountId);
      await refusedTo(ask(api, 'streamEvents', { caller }), 'query_invalid');
      await refusedTo(ask(api, 'streamEvents', { caller, query: 'account=account_2' }), 'not_found');
      const query = `account=${accountId}`;
      const asking = ask(api, 'streamEvents', { caller, query, isStillAdmitted: undefined as never });
      await refusedTo(asking, 'not_found');
    });

    it('tell what happens from then on, each thing once, to all who listen', async (t) => {
      const here = await scene(t, backend);
      await here.keep('BEFORE');
      await here.change();
      const first = await here.listen();
      const second = await here.listen({
        person: { userId: 'person_2', name: 'Bo', email: 'bo@example.com' },
      });
      assert.deepEqual([first.told, second.told], [['ping'], ['ping']]);
      await here.keep('GET');
      // It began before what is known, and was written after it.
      await here.keep('LATE', { agoMs: 20_000 });
      await here.change();
      await waitUntil(
        () => newsOf(second).length === 3,
        () => second.told,
      );
      await here.looked();
      for (const reader of [first, second])
        assert.deepEqual(newsOf(reader).toSorted(), ['change client.added', 'request GET', 'request LATE']);
      first.leave();
      await here.keep('PUT');
      await waitUntil(
        () => newsOf(second).length === 4,
        () => second.told,
      );
      assert.equal(newsOf(first).length, 3);
    });

    it('tell nothing of other accounts', async (t) => {
      const here = await scene(t, backend);
      const other = await addAccount(here.database, { name: 'Other' }, context);
      const mine = await here.listen();
      const theirs = await here.listen({}, other.accountId);
      await here.keep('GET', { accountId: other.accountId });
      await here.change(other.accountId);
      await waitUntil(
        () => newsOf(theirs).length === 2,
        () => theirs.told,
      );
      await here.looked();
      assert.deepEqual(newsOf(mine), []);
    });

    it('tell the newest of very much, and that there was more', async (t) => {
      const here = await scene(t, backend);
      const reader = await here.listen();
      await here.keep('GET', { count: 150 });
      await waitUntil(
        () => newsOf(reader).length > 0,
        () => reader.told,
      );
      await here.looked();
      const news = newsOf(reader);
      assert.equal(news[0], 'gap');
      assert.equal(news.filter((line) => line === 'request GET').length, 100);
    });

    it('say after an outage that something may have been missed', async (t) => {
      const here = await scene(t, backend);
      const reader = await here.listen();
      here.outage.error = new Error('the storage is out');
      await waitUntil(
        () => here.errors.length > 0,
        () => here.errors,
      );
      await here.looked();
      assert.equal(here.errors.length, 1);
      here.outage.error = undefined;
      await waitUntil(
        () => newsOf(reader).length > 0,
        () => reader.told,
      );
      assert.deepEqual(newsOf(reader), ['gap']);
      assert.equal(reader.isEnded, false);
    });

    it('tell a request that came while changes alone could not be read', async (t) => {
      const here = await scene(t, backend);
      const reader = await here.listen();
      here.outage.at = 'transaction';
      here.outage.error = new Error('the changes are out');
      await here.keep('PUT');
      await here.looked();
      assert.deepEqual([here.errors.length, newsOf(reader)], [1, []]);
      here.outage.error = undefined;
      await waitUntil(
        () => newsOf(reader).length > 0,
        () => reader.told,
      );
      assert.deepEqual(newsOf(reader), ['gap', 'request PUT']);
    });
  });
}

describe('a stream of events', () => {
  it('ends when who listens may not any more', async (t) => {
    const here = await scene(t, sqlite);
    const reader = await here.listen();
    const other = await here.listen();
    assert.equal(reader.isEnded, false);
    reader.isAdmitted = false;
    await waitUntil(
      () => reader.isEnded,
      () => reader,
    );
    await here.keep('GET');
    await waitUntil(
      () => newsOf(other).length > 0,
      () => other.told,
    );
    assert.deepEqual(newsOf(reader), []);
  });

  it('ends when nobody reads it', async (t) => {
    const here = await scene(t, sqlite);
    const reader = await here.listen();
    reader.waitingBytes = 300_000;
    await here.keep('GET');
    await waitUntil(
      () => reader.isEnded,
      () => reader,
    );
  });

  it('says something when nothing happens', async (t) => {
    const here = await scene(t, sqlite, { pingEveryMs: 20 });
    const reader = await here.listen();
    await waitUntil(
      () => reader.told.length > 3,
      () => reader.told,
    );
    assert.deepEqual(newsOf(reader), []);
  });

  it('is one of ten that a person may have', async (t) => {
    const here = await scene(t, sqlite);
    const readers: Reader[] = [];
    for (let opened = 0; opened < 10; opened += 1) readers.push(await here.listen());
    await assert.rejects(here.listen(), { code: 'rate_limited' });
    await here.listen({ person: { userId: 'person_2', name: 'Bo', email: 'bo@example.com' } });
    readers[0]?.leave();
    await here.listen();
  });

  it('ends with the service, and none begins after that', async (t) => {
    const here = await scene(t, sqlite);
    const reader = await here.listen();
    here.streams.close();
    assert.equal(reader.isEnded, true);
    assert.equal((await here.listen()).isEnded, true);
  });

  it('is followed again after everybody had left', async (t) => {
    const here = await scene(t, sqlite);
    (await here.listen()).leave();
    await here.keep('GET');
    let awayMs = 10;
    const reader = await waitFor(async () => {
      await sleep((awayMs *= 2));
      const listening = await here.listen();
      if (listening.looks > 0) return listening;
      // Nobody has looked since the others left, so this one has joined them.
      listening.leave();
      return undefined;
    }, 'the account is followed from the beginning');
    await here.keep('PUT');
    await waitUntil(
      () => newsOf(reader).length > 0,
      () => reader.told,
    );
    assert.deepEqual(newsOf(reader), ['request PUT']);
  });
});
