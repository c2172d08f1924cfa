import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { redisIsMissing, RedisServerProcess } from '@countersign/testing/redis';
import { patienceMs, waitUntil } from '@countersign/testing/wait-until';
import { ClientLimit } from '../../../gate/src/limits/client-limit.ts';
import { RedisBuckets } from '../../src/limits/redis-buckets.ts';
import { RedisConnection } from '../../src/storage/redis/redis-connection.ts';

/** One an hour: nothing comes back while a test runs, however slow the machine is. */
const hardlyAnyPerMinute = 1 / 60;
const secondsPerRequest = 3600;

describe('rate limits of several nodes', { skip: redisIsMissing }, () => {
  let server: RedisServerProcess;
  let connections: RedisConnection[];
  before(async () => {
    server = await RedisServerProcess.start();
    connections = [1, 2, 3].map(() => new RedisConnection({ url: server.url, commandTimeoutMs: patienceMs }));
    for (const connection of connections) await connection.open();
  });
  after(async () => {
    for (const connection of connections) connection.close();
    await server.stop();
  });
  const serverMs = async (): Promise<number> => {
    const [seconds, micros] = (await server.ask('TIME')) as [string, string];
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };
  const limits = (requestsPerMinuteMax: number, requestsBurstMax: number): ClientLimit[] =>
    connections.map(
      (connection) =>
        new ClientLimit({
          requestsPerMinuteMax,
          requestsBurstMax,
          // The node's own clock stands still: only the server's fills the buckets.
          monotonicMs: () => 0,
          shared: new RedisBuckets(connection),
        }),
    );

  test('the nodes have one limit together, and learn from each other with each request', async () => {
    const nodes = limits(hardlyAnyPerMinute, 30);
    let passed = 0;
    for (let number = 0; number < 90; number++) {
      const node = nodes[number % 3]!;
      if (waitSeconds(node, 'client_1') > 0) continue;
      await node.charge({ countedAs: 'client_1' });
      passed++;
    }
    // Each of the two others may let one pass before it learns that nothing is left.
    assert.ok(passed >= 30 && passed <= 33, `${passed}`);
    for (const node of nodes) {
      assert.ok([1, 2, 3, 4].includes(waitRequests(node, 'client_1')), rateLimit(node, 'client_1'));
      assert.match(rateLimit(node, 'client_1'), /^"burst";r=0;/);
    }
    assert.equal(waitSeconds(nodes[0]!, 'client_2'), 0);
  });

  test('what came at once beyond the limit is made up for', async () => {
    const nodes = limits(hardlyAnyPerMinute, 10);
    const charges = Array.from({ length: 30 }, (_, number) =>
      nodes[number % 3]!.charge({ countedAs: 'client_3' }),
    );
    await Promise.all(charges.map((charge) => Promise.resolve(charge)));
    // The first node may have been answered before the others asked.
    await nodes[0]!.charge({ countedAs: 'client_3' });
    assert.equal(waitRequests(nodes[0]!, 'client_3'), 22);
  });

  test('it fills by the clock of the server', async () => {
    const [node] = limits(hardlyAnyPerMinute, 5) as [ClientLimit];
    const key = 'countersign:rate:client_4';
    const beforeMs = await serverMs();
    for (let number = 0; number < 5; number++) await node.charge({ countedAs: 'client_4' });
    const afterMs = await serverMs();
    const chargedMs = Number(await server.ask('HGET', key, 'atMs'));
    assert.ok(chargedMs >= beforeMs && chargedMs <= afterMs, `${beforeMs} ${chargedMs} ${afterMs}`);
    assert.match(rateLimit(node, 'client_4'), /^"burst";r=0;/);
    // Three hours pass: the last charge was that much earlier.
    await server.ask('HINCRBY', key, 'atMs', String(-3 * secondsPerRequest * 1000));
    await node.charge({ countedAs: 'client_4' });
    assert.match(rateLimit(node, 'client_4'), /^"burst";r=2;/);
  });

  test('a full bucket is no key', async () => {
    const [slow] = limits(hardlyAnyPerMinute, 5) as [ClientLimit];
    for (let number = 0; number < 5; number++) await slow.charge({ countedAs: 'client_7' });
    const leftMs = Number(await server.ask('PTTL', 'countersign:rate:client_7'));
    const hours = Math.ceil(leftMs / 1000 / secondsPerRequest);
    assert.equal(hours, 5);
    const [fast] = limits(600, 5) as [ClientLimit];
    for (let number = 0; number < 5; number++) await fast.charge({ countedAs: 'client_8' });
    await waitUntil(
      async () => (await server.ask('EXISTS', 'countersign:rate:client_8')) === 0,
      'it is full',
    );
    await fast.charge({ countedAs: 'client_8' });
    assert.match(rateLimit(fast, 'client_8'), /^"burst";r=4;/);
  });

  test('a client with a limit of its own has it on every node', async () => {
    const nodes = limits(hardlyAnyPerMinute, 30);
    const ownLimits = { account: {}, client: { requestsBurstMax: 3 } };
    for (const node of nodes) await node.charge({ countedAs: 'client_6', ownLimits });
    const last = nodes[2]!.stateOf({ countedAs: 'client_6', ownLimits });
    assert.equal(
      last?.fields['RateLimit-Policy'],
      `"client";q=${hardlyAnyPerMinute};w=60, "burst";q=3;w=${3 * secondsPerRequest}`,
    );
    assert.match(last.fields['RateLimit']!, /^"burst";r=0;/);
    assert.equal(Math.ceil(last.waitSeconds / secondsPerRequest), 1);
  });

  test('without the server the node counts on alone, and no charge fails', async () => {
    const [node] = limits(hardlyAnyPerMinute, 5) as [ClientLimit];
    await server.kill();
    for (let number = 0; number < 5; number++) await node.charge({ countedAs: 'client_5' });
    assert.ok(waitSeconds(node, 'client_5') > 0);
  });
});

function waitSeconds(node: ClientLimit, countedAs: string): number {
  return node.stateOf({ countedAs })!.waitSeconds;
}

/** The wait, in requests that would have come in that time. */
function waitRequests(node: ClientLimit, countedAs: string): number {
  return Math.ceil(waitSeconds(node, countedAs) / secondsPerRequest);
}

function rateLimit(node: ClientLimit, countedAs: string): string {
  return node.stateOf({ countedAs })!.fields['RateLimit']!;
}
