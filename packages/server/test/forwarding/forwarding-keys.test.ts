import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ForwardingKey } from '@countersign/gate';
import { backends } from '@countersign/testing/backends';
import { postgres } from '@countersign/testing/postgres-backend';
import { runService } from '@countersign/testing/running-service';
import { sqlite } from '@countersign/testing/sqlite-backend';
import { ForwardingKeys } from '../../src/forwarding/forwarding-keys.ts';
import type { Database } from '../../src/storage/transaction.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const directory = { method: 'GET', url: '/.well-known/http-message-signatures-directory' };

/** A clock that tests move. */
interface Clock {
  nowMs: number;
}

interface Node {
  readonly keys: ForwardingKeys;
  readonly errors: unknown[];
}

/** Opens the keys of one node. */
function openNode(database: Database, clock: Clock): Node {
  const errors: unknown[] = [];
  const keys = new ForwardingKeys({
    database,
    nowMs: () => clock.nowMs,
    onError: (error) => errors.push(error),
  });
  return { keys, errors };
}

async function openDatabase(t: TestContext): Promise<Database> {
  return (await sqlite.make(t)).database;
}

async function publishedIds(keys: ForwardingKeys): Promise<string[]> {
  return (await keys.published()).map(({ keyid }) => keyid).toSorted();
}

/** Lets time pass, and tends the keys at its end. */
async function pass(clock: Clock, minutes: number, keys: ForwardingKeys): Promise<void> {
  clock.nowMs += minutes * minuteMs;
  await keys.tend();
}

test('a key is published when it starts to sign, and verifies what it signs', async (t) => {
  const { keys } = openNode(await openDatabase(t), { nowMs: Date.now() });
  t.after(() => keys.close());
  assert.equal(keys.key(), undefined);
  await keys.start();
  await keys.start();
  const key = keys.key()!;
  const [published, ...others] = await keys.published();
  assert.deepEqual([published!.keyid, others], [key.keyid, []]);
  const keyObject = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: published!.publicKey },
    format: 'jwk',
  });
  const base = Buffer.from('"@method": GET');
  assert.equal(verify(null, base, keyObject, key.sign(base)), true);
});

test('a new key is published ten minutes before it signs, every day, and the old one ends soon after', async (t) => {
  const database = await openDatabase(t);
  const clock = { nowMs: Date.now() };
  const { keys } = openNode(database, clock);
  t.after(() => keys.close());
  await keys.start();
  const first = keys.key()!;
  const changes: { minute: number; published: number; isFirst: boolean }[] = [];
  for (let minute = 0; minute < 23 * 60; minute += 20) await pass(clock, 20, keys);
  for (let minute = 23 * 60 + 1; minute <= 24 * 60 + 10; minute++) {
    await pass(clock, 1, keys);
    const isFirst = keys.key() === first;
    const published = (await keys.published()).length;
    const last = changes.at(-1);
    if (last?.published !== published || last.isFirst !== isFirst)
      changes.push({ minute, published, isFirst });
  }
  assert.deepEqual(changes, [
    { minute: 1381, published: 1, isFirst: true },
    { minute: 1430, published: 2, isFirst: true },
    { minute: 1440, published: 2, isFirst: false },
    { minute: 1445, published: 1, isFirst: false },
  ]);
  const rows = await database.selectFrom('forwarding_keys').select('key_id').execute();
  assert.deepEqual(
    rows.map((row) => row.key_id),
    [keys.key()!.keyid],
    'ended keys are removed',
  );
  for (let minute = 0; minute < 24 * 60; minute += 20) await pass(clock, 20, keys);
  assert.notEqual(keys.key()!.keyid, rows[0]!.key_id, 'and so on the next day');
});

test('the key of a node that stops ends in minutes, and that of one that crashes within the hour', async (t) => {
  const database = await openDatabase(t);
  const clock = { nowMs: Date.now() };
  const [stopping, crashing, watching] = [1, 2, 3].map(() => openNode(database, clock));
  await stopping!.keys.start();
  await crashing!.keys.start();
  t.after(() => crashing!.keys.close());
  const crashed = crashing!.keys.key()!;
  await stopping!.keys.close();
  assert.equal((await watching!.keys.published()).length, 2);
  clock.nowMs += 6 * minuteMs;
  assert.deepEqual(await publishedIds(watching!.keys), [crashed.keyid]);
  clock.nowMs += 55 * minuteMs;
  assert.deepEqual(await publishedIds(watching!.keys), []);
});

test('a key that cannot be renewed signs nothing that could not be verified', async (t) => {
  const made = await sqlite.make(t);
  const database = await made.open();
  const clock = { nowMs: Date.now() };
  const { keys, errors } = openNode(database, clock);
  await keys.start();
  await database.destroy();
  clock.nowMs += 58 * minuteMs;
  await assert.rejects(keys.tend());
  assert.notEqual(keys.key(), undefined);
  clock.nowMs += 1.5 * minuteMs;
  assert.equal(keys.key(), undefined);
  await keys.close();
  assert.equal(errors.length, 1);
});

test('a clock that is set back costs no key', async (t) => {
  const clock = { nowMs: Date.now() };
  const { keys } = openNode(await openDatabase(t), clock);
  t.after(() => keys.close());
  await keys.start();
  const key = keys.key();
  clock.nowMs -= dayMs;
  await keys.tend();
  assert.equal(keys.key(), key);
});

for (const backend of backends) {
  describe(`several nodes on ${backend.name}`, { skip: backend.skip }, () => {
    test('publish the keys of all, each of them at once', async (t) => {
      const { database, open } = await backend.make(t);
      const clock = { nowMs: Date.now() };
      const first = openNode(database, clock).keys;
      const second = openNode(await open(), clock).keys;
      t.after(async () => {
        await first.close();
        await second.close();
      });
      await first.start();
      await second.start();
      const both = [first.key()!, second.key()!].map(({ keyid }: ForwardingKey) => keyid).toSorted();
      assert.deepEqual([await publishedIds(first), await publishedIds(second)], [both, both]);
      await pass(clock, 5, first);
      assert.deepEqual(await publishedIds(first), both);
    });
  });
}

test('whoever asks while a query runs gets the next answer, of one query for all of them', async () => {
  const rows: object[] = [];
  const running: (() => void)[] = [];
  // The result of a query is settled when it begins.
  const query = {
    selectAll: () => query,
    where: () => query,
    orderBy: () => query,
    execute: () => {
      const found = [...rows];
      return new Promise((resolve) => running.push(() => resolve(found)));
    },
  };
  const { keys } = openNode({ selectFrom: () => query } as unknown as Database, { nowMs: 0 });
  const first = keys.published();
  rows.push({ key_id: 'new', public_key: 'x', ends_at_ms: 1 });
  const others = Promise.all([keys.published(), keys.published()]);
  running[0]!();
  assert.deepEqual(await first, []);
  await setImmediate();
  running[1]!();
  const key = { keyid: 'new', publicKey: 'x', endsAtMs: 1 };
  assert.deepEqual(await others, [[key], [key]]);
  assert.equal(running.length, 2);
});

test('two services on one database publish both keys', { skip: postgres.skip }, async (t) => {
  const environment = {
    ...(await postgres.settings(t)),
    COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:9',
    COUNTERSIGN_SIGN_FORWARDED: 'yes',
    COUNTERSIGN_NODES: '2',
  };
  const [first, second] = [await runService(environment), await runService(environment)];
  const ids = async (running: typeof first): Promise<unknown[]> =>
    ((await running.send(directory)).json()['keys'] as { kid: string }[]).map(({ kid }) => kid);
  const both = await ids(first);
  assert.equal(both.length, 2);
  assert.deepEqual(await ids(second), both);
  await second.close();
  assert.deepEqual(await ids(first), both, 'what the second one forwarded can still be verified');
  await first.close();
});

test('routes that are exchanged while the service runs can ask for signatures', async (t) => {
  const running = await runService({ COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:9' });
  t.after(() => running.close());
  assert.deepEqual((await running.send(directory)).json(), { keys: [] });
  const { configuration } = running.service;
  const upstreams = configuration.routing!.upstreams.map((one) => ({ ...one, sign: true }));
  const next = { ...configuration, routing: { ...configuration.routing!, upstreams }, signForwarded: true };
  assert.ok(!(await running.service.useRouting(next)).includes('COUNTERSIGN_SIGN_FORWARDED'));
  assert.equal(((await running.send(directory)).json()['keys'] as unknown[]).length, 1);
});

test('routes that are exchanged while the service runs can ask for signed responses', async (t) => {
  const running = await runService({ COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:9' });
  t.after(() => running.close());
  const { configuration } = running.service;
  const routes = configuration.routing!.routes.map((one) => ({
    ...one,
    rule: { ...one.rule, signedBytesMax: 1 },
  }));
  const next = { ...configuration, routing: { ...configuration.routing!, routes }, signResponses: true };
  assert.ok(!(await running.service.useRouting(next)).includes('COUNTERSIGN_SIGN_RESPONSES'));
  assert.equal(((await running.send(directory)).json()['keys'] as unknown[]).length, 1);
});
