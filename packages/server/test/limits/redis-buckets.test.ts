import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientLimit } from '../../../gate/src/limits/client-limit.ts';
import { RedisBuckets } from '../../src/replay/redis-buckets.ts';
import { RedisConnection } from '../../src/replay/redis-connection.ts';
import { redisIsMissing, RedisServerProcess } from '../replay/redis.ts';

describe('rate limits of several nodes', { skip: redisIsMissing }, () => {
  let server: RedisServerProcess;
  let connections: RedisConnection[];
  before(async () => {
    server = await RedisServerProcess.start();
    connections = [1, 2, 3].map(() => new RedisConnection({ url: server.url, commandTimeoutMs: 2000 }));
    for (const connection of connections) await connection.open();
  });
  after(async () => {
    for (const connection of connections) connection.close();
    await server.stop();
  });
  const limits = (requestsPerMinuteMax: number, requestsBurstMax: number): ClientLimit[] =>
    connections.map(
      (connection) =>
        new ClientLimit({
          requestsPerMinuteMax,
          requestsBurstMax,
          monotonicMs: () => performance.now(),
          shared: new RedisBuckets(connection),
        }),
    );

  test('the nodes have one limit together, and learn from each other with each request', async () => {
    const nodes = limits(60, 30);
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
      assert.ok(waitSeconds(node, 'client_1') > 0);
      assert.match(rateLimit(node, 'client_1'), /^"burst";r=0;t=[1-4]$/);
    }
    assert.equal(waitSeconds(nodes[0]!, 'client_2'), 0);
  });

  test('what came at once beyond the limit is made up for', async () => {
    const nodes = limits(600, 10);
    const charges = Array.from({ length: 30 }, (_, number) =>
      nodes[number % 3]!.charge({ countedAs: 'client_3' }),
    );
    await Promise.all(charges.map((charge) => Promise.resolve(charge)));
    // The first node may have been answered before the others asked.
    await nodes[0]!.charge({ countedAs: 'client_3' });
    assert.equal(waitSeconds(nodes[0]!, 'client_3'), 3);
  });

  test('it fills by the clock of the server, and a full bucket is no key', async () => {
    const [node] = limits(600, 5) as [ClientLimit];
    for (let number = 0; number < 5; number++) await node.charge({ countedAs: 'client_4' });
    assert.equal(await server.ask('EXISTS', 'countersign:rate:client_4'), 1);
    await sleep(550);
    assert.equal(await server.ask('EXISTS', 'countersign:rate:client_4'), 0);
    await node.charge({ countedAs: 'client_4' });
    assert.match(rateLimit(node, 'client_4'), /^"burst";r=4;/);
  });

  test('a client with a limit of its own has it on every node', async () => {
    const nodes = limits(60, 30);
    const ownLimits = { account: {}, client: { requestsBurstMax: 3 } };
    for (const node of nodes) await node.charge({ countedAs: 'client_6', ownLimits });
    const last = nodes[2]!.stateOf({ countedAs: 'client_6', ownLimits });
    assert.deepEqual(last?.fields, {
      'RateLimit-Policy': '"client";q=60;w=60, "burst";q=3;w=3',
      RateLimit: '"burst";r=0;t=1',
    });
  });

  test('without the server the node counts on alone, and no charge fails', async () => {
    const [node] = limits(60, 5) as [ClientLimit];
    await server.kill();
    for (let number = 0; number < 5; number++) await node.charge({ countedAs: 'client_5' });
    assert.ok(waitSeconds(node, 'client_5') > 0);
  });
});

function waitSeconds(node: ClientLimit, countedAs: string): number {
  return node.stateOf({ countedAs })!.waitSeconds;
}

function rateLimit(node: ClientLimit, countedAs: string): string {
  return node.stateOf({ countedAs })!.fields['RateLimit']!;
}
