import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Signer } from '@countersign/signature/node';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { redisIsMissing, RedisServerProcess } from '@countersign/testing/redis';
import { type Answer, baseUrl, type RunningService, runService } from '@countersign/testing/running-service';
import { TestClock } from '@countersign/testing/test-clock';
import { waitUntil } from '@countersign/testing/wait-until';
import { createLogger } from '../../src/telemetry/logger.ts';

/* Services on one PostgreSQL database whose guards do not know of each other, called as their clients call them. */

interface Scene {
  readonly redis: RedisServerProcess;
  readonly clock: TestClock;
  readonly log: () => string;
  readonly start: (settings: Readonly<Record<string, string>>) => Promise<RunningService>;
}

async function openScene(t: TestContext): Promise<Scene> {
  const database = await makePostgresDatabase('empty');
  const redis = await RedisServerProcess.start();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-log-'));
  const logFile = join(folder, 'log.jsonl');
  const logger = createLogger('info', logFile);
  const running: RunningService[] = [];
  const clock = new TestClock(1_800_000_000);
  t.after(async () => {
    for (const one of running) await one.close();
    await redis.stop();
    await database.remove();
    rmSync(folder, { recursive: true });
  });
  return {
    redis,
    clock,
    log: () => {
      logger.flush();
      return readFileSync(logFile, 'utf8');
    },
    async start(settings) {
      const one = await runService(
        { COUNTERSIGN_DATABASE_URL: database.url, ...settings },
        { nowMs: clock.nowMs },
        logger,
      );
      running.push(one);
      return one;
    },
  };
}

/** Signs a request that can be sent any number of times, to any node. Gives the code of the answer. */
function prepare(signer: Signer, created: number): (node: RunningService) => Promise<string> {
  const send = sign(signer, created);
  return async (node) => codeOf(await send(node));
}

function sign(signer: Signer, created: number): (node: RunningService) => Promise<Answer> {
  const url = `/v1/payments/none-${++signed}/cancel`;
  const { headers } = signer.sign({ method: 'POST', url: baseUrl + url }, { created });
  return (node) => node.send({ method: 'POST', url, headers: { ...headers } });
}

/** No two requests are equal. */
let signed = 0;

const codeOf = (answer: Answer): string => String(answer.json()['code']);
/** What the API answers when every check was passed. */
const passed = 'not_found';

describe('guards that do not know of each other', { skip: postgresSkip || redisIsMissing }, () => {
  test('nothing passes on two nodes that are set up differently at the same time', async (t) => {
    const { redis, clock, start, log } = await openScene(t);
    const settings = {
      redis: { COUNTERSIGN_GUARD: 'redis', COUNTERSIGN_REDIS_URL: redis.url },
      postgres: { COUNTERSIGN_GUARD: 'postgres' },
    };
    const first = await start(settings.redis);
    const { signer } = await first.addClient();
    const used = prepare(signer, clock.seconds);
    assert.equal(await used(first), passed);
    const ahead = prepare(signer, clock.seconds + 60);
    assert.equal(await ahead(first), passed);

    const second = await start(settings.postgres);
    assert.equal(await used(second), 'recently_restarted');
    assert.equal(await ahead(second), 'recently_restarted');
    await waitUntil(
      async () => (await prepare(signer, clock.seconds + 1)(first)) === 'guard_unavailable',
      'the first notices the second',
    );
    await waitUntil(() => /another replay guard has started on this database/.test(log()), log);
    const ready = await first.send({ method: 'GET', url: '/ready' });
    assert.equal(ready.status, 503);

    // Accepted `created` are ahead of the clock by 60 s at most, of another clock by 60 s more.
    clock.pass(121);
    assert.equal(await prepare(signer, clock.seconds)(second), 'recently_restarted');
    clock.pass(2);
    const later = prepare(signer, clock.seconds);
    assert.equal(await later(second), passed);
    assert.equal(await later(first), 'guard_unavailable');
    for (const request of [used, ahead]) assert.equal(await request(second), 'recently_restarted');
    // A node of the same kind agrees: no pause, and one memory.
    const third = await start(settings.postgres);
    assert.equal(await later(third), 'signature_replayed');
    const last = prepare(signer, clock.seconds + 2);
    assert.equal(await last(third), passed);

    // And back: the first decides again, and does not take what the others have accepted.
    await start(settings.redis);
    await waitUntil(async () => (await later(first)) !== 'guard_unavailable', 'the first decides again');
    for (const request of [later, last]) assert.equal(await request(first), 'recently_restarted');
    await waitUntil(() => /the database uses this replay guard again/.test(log()), log);
    clock.pass(123);
    assert.equal(await prepare(signer, clock.seconds)(first), passed);
  });

  test('nothing passes again when one node starts with one guard after the other', async (t) => {
    const { redis, clock, start } = await openScene(t);
    // The first of them are too old in the end.
    const refusals = new Set(['recently_restarted', 'created_expired']);
    const inMemory = { COUNTERSIGN_GUARD: 'memory' };
    const memory = await start(inMemory);
    const { signer } = await memory.addClient();
    const used: ((node: RunningService) => Promise<string>)[] = [];
    const use = async (node: RunningService): Promise<void> => {
      const request = prepare(signer, clock.seconds);
      assert.equal(await request(node), passed);
      used.push(request);
    };
    await use(memory);
    await memory.restart();
    assert.equal(await used[0]!(memory), 'signature_replayed');
    await use(memory);
    await memory.service.stop();
    const others = [
      { COUNTERSIGN_GUARD: 'postgres' },
      { COUNTERSIGN_GUARD: 'redis', COUNTERSIGN_REDIS_URL: redis.url },
      // A folder of its own, which is not that of the first.
      inMemory,
    ];
    for (const settings of others) {
      const next = await start(settings);
      for (const request of used) assert.ok(refusals.has(await request(next)));
      const fresh = await sign(signer, clock.seconds)(next);
      assert.deepEqual([codeOf(fresh), fresh.headers['retry-after']], ['recently_restarted', '123']);
      clock.pass(123);
      await use(next);
      await next.service.stop();
    }
    // Back in the folder of the first, which remembers what it knew, and no more.
    await memory.restart();
    for (const request of used) assert.ok(refusals.has(await request(memory)));
    clock.pass(123);
    await use(memory);
  });

  test('nothing passes on two nodes that use two Redis', async (t) => {
    const { redis, clock, start } = await openScene(t);
    const nodes = [
      await start({ COUNTERSIGN_REDIS_URL: `${redis.url}/0`, COUNTERSIGN_NODES: '2' }),
      await start({ COUNTERSIGN_REDIS_URL: `${redis.url}/1`, COUNTERSIGN_NODES: '2' }),
    ] as const;
    const { signer } = await nodes[0].addClient();
    await nodes[1].service.readRegistry();
    let passes = 0;
    for (let round = 0; round < 40; round += 1) {
      const request = prepare(signer, clock.seconds);
      const codes: string[] = [];
      for (const node of round % 3 === 0 ? nodes : nodes.toReversed()) codes.push(await request(node));
      codes.push(await request(nodes[0]), await request(nodes[1]));
      assert.ok(codes.filter((code) => code === passed).length <= 1, codes.join());
      if (codes.includes(passed)) passes += 1;
      clock.pass(1);
      await sleep(20);
    }
    assert.ok(passes > 0, 'the test asks what passes');
  });
});
