import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { newId } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { insertRequestRecords, type RequestRow } from '../../src/request-log/records/request-inserts.ts';
import { rejectPrivateKeys } from '../../src/api/private-key.ts';
import { listRequestRecords } from '../../src/request-log/records/request-list.ts';
import { countRequestRecords } from '../../src/request-log/records/request-totals.ts';
import { anywhere, managementScene, type ManagementScene } from './scene.ts';

/* One caller's request must not hold the thread that serves everyone. */

describe('a request to the management API that asks for much work', () => {
  let scene: ManagementScene;
  before(async () => {
    scene = await managementScene(backends[0]!);
  });
  after(() => scene.close());

  const client = { name: 'Shop', networkWhitelist: anywhere };
  const unknown = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`member${index}`, index]));

  test('with tens of thousands of members is refused before a schema sees them', async () => {
    const { errors } = await scene.refused(
      scene.administrator,
      'addClient',
      { body: { ...client, tags: Array.from({ length: 20_000 }, () => unknown(1)) } },
      'body_invalid',
    );
    assert.deepEqual(errors, [
      { pointer: '', detail: 'Send at most 10000 members and items in all objects and arrays together.' },
    ]);
  });

  test('with more members in one object than can be compared at once is refused', async () => {
    const { errors } = await scene.refused(
      scene.administrator,
      'importClients',
      { body: { clients: [client], ...unknown(1001) } },
      'body_invalid',
    );
    assert.deepEqual(errors, [{ pointer: '', detail: 'Send at most 1000 members in one object.' }]);
  });

  test('with long texts is searched for private keys in steps, between which the event loop goes on', async () => {
    const texts = Array.from({ length: 10 }, () => 'MIIB'.repeat(10_000));
    const turns = await turnsOf(rejectPrivateKeys(texts));
    assert.ok(turns >= 10, `${turns} turns of the event loop`);
  });

  test('with thousands of faults gets the first twenty', async () => {
    for (const body of [
      { ...client, ...unknown(900) },
      { ...client, roles: Array.from({ length: 5000 }, () => 1) },
      { ...client, networkWhitelist: Array.from({ length: 3000 }, () => unknown(1)) },
    ]) {
      const { errors } = await scene.refused(scene.administrator, 'addClient', { body }, 'body_invalid');
      assert.ok(errors.length >= 1 && errors.length <= 20, String(errors.length));
    }
  });

  test('has a body of half a MiB at most, unless it is about many clients', async () => {
    const long = { ...client, name: 'x'.repeat(600_000) };
    await scene.refused(scene.administrator, 'addClient', { body: long }, 'body_too_large');
    const many = { dryRun: true, clients: [long] };
    const { results } = await scene.succeed<{ results: readonly { outcome: string }[] }>(
      scene.administrator,
      'importClients',
      { body: many },
    );
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['failed'],
    );
  });

  test('to register a hundred clients has all the members that they may have', async () => {
    const entries = (owner: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        entry: `203.${owner}.${index >> 8}.${index & 255}`,
        label: `Office ${index}`,
      }));
    const clients = (each: number) =>
      Array.from({ length: 100 }, (_, index) => ({
        name: `Client ${index}`,
        networkWhitelist: entries(index, each),
      }));
    const { added } = await scene.succeed<{ added: number }>(scene.administrator, 'importClients', {
      body: { dryRun: true, clients: clients(34) },
    });
    assert.equal(added, 100);
    // As many as fit into the default limit of a body, by a few clients that have all that they may have.
    const full = [...clients(1).slice(0, 78), ...clients(1000).slice(78)];
    const body = { dryRun: true, clients: full };
    assert.ok(JSON.stringify(body).length < 1_048_576);
    const answer = await scene.succeed<{ added: number }>(scene.administrator, 'importClients', { body });
    assert.equal(answer.added, 100);
  });

  test('to register many clients is read in steps, between which the event loop goes on', async () => {
    const wrong = { name: '', networkWhitelist: anywhere };
    const body = { dryRun: true, clients: Array.from({ length: 100 }, () => wrong) };
    const answered = scene.succeed<{ failed: number }>(scene.administrator, 'importClients', { body });
    const turns = await turnsOf(answered);
    assert.equal((await answered).failed, 100);
    assert.ok(turns >= 100, `${turns} turns of the event loop`);
  });

  test('counts, searches and exports requests in steps, between which the event loop goes on', async () => {
    const database = await scene.database();
    const { accountId } = scene;
    const startMs = scene.nowMs() - 86_400_000;
    const row = (index: number): RequestRow => ({
      request_id: newId('request', startMs + index),
      received_at_ms: startMs + index,
      account_id: accountId,
      client_id: scene.administrator.clientId,
      is_proved: 1,
      outcome: 'accepted',
      is_observed: 0,
      reason: null,
      method: 'GET',
      url: '/v1/whoami',
      status: 200,
      source_address: '198.51.100.1',
      key_fingerprint: null,
      clock_difference_seconds: null,
      duration_us: 1,
    });
    for (let start = 0; start < 11_000; start += 500)
      await insertRequestRecords(
        database,
        Array.from({ length: 500 }, (_, index) => row(start + index)),
      );
    const all = { accountId, toMs: startMs + 11_000 };
    const counted = countRequestRecords(database, all);
    const turnsToCount = await turnsOf(counted);
    assert.equal((await counted).count, 11_000);
    assert.ok(turnsToCount >= 11, `${turnsToCount} turns of the event loop`);

    // Nothing meets this, so all are looked at.
    const conditions = [{ kind: 'word', text: 'zzzz' } as const];
    for (const sort of ['-receivedAt', '-durationMs', 'url'] as const) {
      const searched = listRequestRecords(database, { ...all, conditions }, { sort, limit: 100 });
      const turnsToSearch = await turnsOf(searched);
      assert.deepEqual(await searched, { entries: [], next: undefined });
      assert.ok(turnsToSearch >= 11, `${turnsToSearch} turns of the event loop`);
    }

    const exported = listRequestRecords(database, all, { limit: 10_000 });
    const turnsToExport = await turnsOf(exported);
    assert.equal((await exported).entries.length, 10_000);
    assert.ok(turnsToExport >= 10, `${turnsToExport} turns of the event loop`);
  });
});

/** Counts the turns of the event loop until some work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const state = { isWorking: true };
  const done = work.finally(() => (state.isWorking = false));
  for (; state.isWorking; turns += 1) await nextTurn();
  await done;
  return turns;
}
