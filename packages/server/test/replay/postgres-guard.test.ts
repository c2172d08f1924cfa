import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { waitUntil } from '@countersign/testing/wait-until';
import pg from 'pg';
import { openPostgresGuard, type PostgresReplayGuardOptions } from '../../src/replay/postgres-guard.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { newSignature, nowSeconds, openNodes, outcome, tally } from './postgres-nodes.ts';

/* The guard in PostgreSQL, several nodes at a time, on a server that works. */

async function open(t: TestContext, count: number, options: Partial<PostgresReplayGuardOptions> = {}) {
  const { url, remove } = await makePostgresDatabase('migrated');
  const guards = await openNodes(t, url, count, options);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await remove();
  });
  return { url, guards, guard: guards[0]!, sql: async (text: string) => (await client.query(text)).rows };
}

describe('the guard in PostgreSQL', { skip: postgresSkip }, () => {
  test('lets one of 50 equal uses pass, whichever nodes they come to', async (t) => {
    const { guards } = await open(t, 3);
    for (let round = 0; round < 20; round += 1) {
      const signature = newSignature();
      const uses = Array.from({ length: 50 }, (_, index) =>
        outcome(guards[(index * 7 + round) % 3]!, signature),
      );
      assert.deepEqual(tally(await Promise.all(uses)), { accepted: 1, signature_replayed: 49 });
    }
  });

  test('refuses no distinct signature, and every one of them when it comes again', async (t) => {
    const { guards } = await open(t, 3);
    for (let wave = 0; wave < 30; wave += 1) {
      const signatures = Array.from({ length: 100 }, () => newSignature());
      const useAll = (shift: number): Promise<string[]> =>
        Promise.all(signatures.map((signature, index) => outcome(guards[(index + shift) % 3]!, signature)));
      assert.deepEqual(tally(await useAll(0)), { accepted: 100 });
      assert.deepEqual(tally(await useAll(1)), { signature_replayed: 100 });
    }
  });

  test('equal reads pass for 2 s after the first, and not when a clock says nothing of that', async (t) => {
    const { guard, sql } = await open(t, 1);
    const read = newSignature({ isSafe: true });
    const uses = await Promise.all(Array.from({ length: 20 }, () => outcome(guard, read)));
    assert.deepEqual(tally(uses), { accepted: 20 });
    await sql(`update used_signatures set first_used_at = clock_timestamp() - interval '0.5 seconds'`);
    assert.equal(await outcome(guard, read), 'accepted');
    await sql(`update used_signatures set first_used_at = clock_timestamp() - interval '2.1 seconds'`);
    assert.equal(await outcome(guard, read), 'signature_replayed');
    await sql(`update used_signatures set first_used_at = now() + interval '1 second'`);
    assert.equal(await outcome(guard, read), 'signature_replayed');
  });

  test('writes never pass twice, and with strict no read does', async (t) => {
    const { guard, url } = await open(t, 1);
    const [strict] = await openNodes(t, url, 1, { repeat: 'strict' });
    const read = newSignature({ isSafe: true });
    assert.deepEqual(
      [await outcome(strict!, read), await outcome(strict!, read)],
      ['accepted', 'signature_replayed'],
    );
    const write = newSignature();
    assert.deepEqual(
      [await outcome(guard, write), await outcome(guard, write)],
      ['accepted', 'signature_replayed'],
    );
  });

  test('with unsafe-only, reads are not guarded and not remembered', async (t) => {
    const { guard, sql } = await open(t, 1, { repeat: 'unsafe-only' });
    const read = newSignature({ isSafe: true });
    assert.deepEqual([await outcome(guard, read), await outcome(guard, read)], ['accepted', 'accepted']);
    assert.equal((await sql('select from used_signatures')).length, 0);
    const write = newSignature();
    assert.deepEqual(
      [await outcome(guard, write), await outcome(guard, write)],
      ['accepted', 'signature_replayed'],
    );
  });

  test('is full for all and for one client, and what is remembered stays refused', async (t) => {
    const { guard } = await open(t, 1, { entriesMax: 6, clientShareMax: 0.5 });
    const used = newSignature();
    const outcomes = [await outcome(guard, used)];
    for (let count = 0; count < 3; count += 1) outcomes.push(await outcome(guard, newSignature()));
    assert.deepEqual(outcomes, ['accepted', 'accepted', 'accepted', 'guard_full']);
    for (const keyid of ['b', 'c', 'd'])
      assert.equal(await outcome(guard, newSignature({ keyid })), 'accepted');
    const refusal = await guard.use(newSignature({ keyid: 'e' }), nowSeconds());
    assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['guard_full', 10]);
    assert.equal(await outcome(guard, used), 'signature_replayed');
    assert.equal(guard.size, 6);
  });

  test('many at once do not fill more than there is, and replays fill nothing', async (t) => {
    const { guard } = await open(t, 1, { entriesMax: 100, clientShareMax: 0.5 });
    const used = newSignature({ keyid: 'a' });
    await Promise.all(Array.from({ length: 200 }, () => outcome(guard, used)));
    assert.equal(guard.size, 1);
    const some = Array.from({ length: 300 }, (_, index) =>
      outcome(guard, newSignature({ keyid: `c${index % 3}` })),
    );
    assert.deepEqual(tally(await Promise.all(some)), { accepted: 99, guard_full: 201 });
  });

  test('the clients of an account fill its share together, and other nodes learn of it', async (t) => {
    // Counting again at the same time makes a node's own count rough, so the first one does that later than the test ends.
    const { guard: first, url, sql } = await open(t, 1, { entriesMax: 8 });
    const [second] = await openNodes(t, url, 1, { entriesMax: 8, tidyEveryMs: 50 });
    await sql(`insert into accounts (account_id, name, created_at_ms) values ('first', 'First', 0)`);
    for (const client of ['a', 'b', 'c'])
      await sql(`insert into clients (client_id, account_id, name, status, accept_without_date, created_at_ms,
        updated_at_ms, version) values ('${client}', 'first', 'Client', 'active', 0, 0, 0, 0)`);
    const use = (guard: typeof first, keyid: string, accountId?: string): Promise<string> =>
      outcome(guard, newSignature({ keyid, accountId }));
    const codes: string[] = [];
    for (const client of ['a', 'a', 'a', 'b', 'b', 'c']) codes.push(await use(first, client, 'first'));
    assert.deepEqual(codes, ['accepted', 'accepted', 'guard_full', 'accepted', 'accepted', 'guard_full']);
    await waitUntil(() => second!.size >= 4, 'the other node learns of four');
    assert.equal(await use(second!, 'c', 'first'), 'guard_full');
    assert.equal(await use(second!, 'd', 'second'), 'accepted');
    assert.equal(await use(second!, 'e'), 'accepted');
  });

  test('other nodes learn in time how full it is', async (t) => {
    const limits = { entriesMax: 10, clientShareMax: 0.5 };
    const { guard: first, url } = await open(t, 1, limits);
    const [second] = await openNodes(t, url, 1, { ...limits, tidyEveryMs: 50 });
    for (let count = 0; count < 5; count += 1) assert.equal(await outcome(first, newSignature()), 'accepted');
    await waitUntil(() => second!.size >= 5, 'the other node learns of five');
    assert.equal(await outcome(second!, newSignature()), 'guard_full');
    assert.equal(await outcome(second!, newSignature({ keyid: 'other' })), 'accepted');
  });

  test('forgets what has left the window, and lets nothing of that time pass any more', async (t) => {
    const { guard, sql } = await open(t, 1, { tidyEveryMs: 50 });
    const old = newSignature({ created: nowSeconds() - 357 });
    const young = newSignature({ created: nowSeconds() - 300 });
    for (const signature of [old, young]) assert.equal(await outcome(guard, signature), 'accepted');
    await waitUntil(() => guard.size === 1, 'one is forgotten');
    assert.equal((await sql('select from used_signatures')).length, 1);
    assert.equal(await outcome(guard, old), 'recently_restarted');
    assert.equal(await outcome(guard, newSignature({ created: old.created })), 'recently_restarted');
    assert.equal(await outcome(guard, young), 'signature_replayed');
    assert.equal(await outcome(guard, newSignature({ created: old.created + 30 })), 'accepted');
  });

  test('forgets nothing by a clock that is ahead', async (t) => {
    const ahead = { nowMs: () => Date.now() + 3_600_000, tidyEveryMs: 30 };
    const { guard, sql } = await open(t, 1, ahead);
    const signature = newSignature();
    assert.equal(await outcome(guard, signature), 'accepted');
    // One that is old by both clocks is removed by the same work.
    const old = `decode(md5('old'), 'hex')`;
    await sql(`insert into used_signatures select ${old}, 'client', ${nowSeconds() - 900}, now()`);
    const isOldThere = `select from used_signatures where id = ${old}`;
    await waitUntil(async () => (await sql(isOldThere)).length === 0, 'the old one is removed');
    assert.equal((await sql('select from used_signatures')).length, 1);
    assert.equal(await outcome(guard, signature), 'signature_replayed');
    assert.equal(await outcome(guard, newSignature()), 'accepted');
  });

  test('removes very many in the background, while requests go on', async (t) => {
    const { guard, sql } = await open(t, 1, { tidyEveryMs: 50 });
    await sql(`insert into used_signatures select decode(md5(i::text), 'hex'), 'client', extract(epoch from now())::bigint - 900,
      now() from generate_series(1, 12000) as i`);
    const outcomes: string[] = [];
    await waitUntil(
      async () => {
        outcomes.push(await outcome(guard, newSignature({ keyid: `c${outcomes.length}` })));
        await sleep(15);
        return outcomes.length >= 5 && guard.size < 1000;
      },
      () => `${guard.size} are left`,
    );
    assert.deepEqual(Object.keys(tally(outcomes)), ['accepted']);
  });

  test('a guard that is closed lets nothing pass', async (t) => {
    const { url, guard } = await open(t, 1);
    const other = await openPostgresGuard({ url, nodes: 1 });
    const running = Array.from({ length: 20 }, () => outcome(other, newSignature()));
    await other.close();
    assert.equal(await outcome(other, newSignature()), 'guard_unavailable');
    for (const each of await Promise.all(running)) assert.match(each, /^(?:accepted|guard_unavailable)$/);
    assert.equal(await outcome(guard, newSignature()), 'accepted');
  });

  test('does not open where there is no such server, and says so without the password', async () => {
    const url = 'postgresql://user:hunter2@127.0.0.1:1/none';
    await assert.rejects(openPostgresGuard({ url, nodes: 1 }), (error) => {
      assert.ok(error instanceof StorageError);
      assert.match(error.message, /cannot be reached.*ECONNREFUSED/);
      assert.doesNotMatch(JSON.stringify([error.message, String(error.stack)]), /hunter2/);
      return true;
    });
  });
});
