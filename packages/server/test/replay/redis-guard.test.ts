import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecondRange } from '@countersign/gate';
import type { Refusal, UsedSignature } from '@countersign/signature/node';
import { freePort } from '@countersign/testing/free-port';
import { redisIsMissing, RedisServerProcess } from '@countersign/testing/redis';
import { waitForResult, waitUntil } from '@countersign/testing/wait-until';
import { type RedisConnectionOptions, RedisUnusableError } from '../../src/storage/redis/redis-connection.ts';
import type { RedisReplayGuardOptions } from '../../src/replay/redis-guard.ts';
import { MemoryMark } from './memory-mark.ts';
import { GuardNode, newSignature, nowSeconds, skipSeconds } from './redis-nodes.ts';

/** What a lost store costs: the mark is two seconds ahead, and the second after it passes. */
const lostSeconds = 3;

type NodeOptions = Partial<RedisReplayGuardOptions & RedisConnectionOptions>;

const stops: (() => Promise<void>)[] = [];

async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).toReversed()) await stop();
}

async function startServer(
  ...options: Parameters<typeof RedisServerProcess.start>
): Promise<RedisServerProcess> {
  const server = await RedisServerProcess.start(...options);
  stops.push(() => server.stop());
  return server;
}

/** Nodes that share a mark. */
async function startNodes(
  server: RedisServerProcess,
  count: number,
  options: NodeOptions = {},
): Promise<GuardNode[]> {
  const mark = options.mark ?? new MemoryMark();
  const nodes: GuardNode[] = [];
  for (let number = 0; number < count; number++) {
    const node = await GuardNode.start(server, { ...options, mark });
    stops.push(() => node.stop());
    nodes.push(node);
  }
  return nodes;
}

async function startNode(server: RedisServerProcess, options: NodeOptions = {}): Promise<GuardNode> {
  return (await startNodes(server, 1, options))[0]!;
}

/**
 * Uses new signatures on all nodes until one passes on each. It waits as Retry-After says, with `skip` by the clock of
 * the test. Resolves with the milliseconds that it took.
 */
async function recover(nodes: readonly GuardNode[], skip = false): Promise<number> {
  let refusals: readonly (Refusal | undefined)[] = [];
  return waitUntil(
    async () => {
      refusals = await Promise.all(nodes.map((node) => node.use(newSignature())));
      let waitSeconds = 0;
      for (const refusal of refusals) {
        if (!refusal) continue;
        assert.match(refusal.code, /^(?:guard_unavailable|recently_restarted)$/);
        assert.ok(refusal.retryAfterSeconds! >= 1 && refusal.retryAfterSeconds! <= lostSeconds);
        if (refusal.code === 'recently_restarted')
          waitSeconds = Math.max(waitSeconds, refusal.retryAfterSeconds!);
      }
      if (skip) skipSeconds(waitSeconds);
      return refusals.every((refusal) => refusal === undefined);
    },
    () => refusals,
  );
}

async function assertNonePasses(nodes: readonly GuardNode[], used: readonly UsedSignature[]): Promise<void> {
  for (const node of nodes) {
    const codes = await Promise.all(used.map((signature) => node.codeOf(signature)));
    assert.deepEqual(
      codes.filter((code) => code === 'fresh'),
      [],
    );
  }
}

/** Uses many signatures of the last seconds on all nodes. */
async function useMany(nodes: readonly GuardNode[], ofLastSeconds = 1, count = 60): Promise<UsedSignature[]> {
  const used: UsedSignature[] = [];
  for (let number = 0; number < count; number++) {
    const signature = newSignature({ created: nowSeconds() - (number % ofLastSeconds) });
    assert.equal(await nodes[number % nodes.length]!.codeOf(signature), 'fresh');
    used.push(signature);
  }
  return used;
}

describe('a guard in Redis', { skip: redisIsMissing }, () => {
  describe('refuses to start', () => {
    after(stopAll);
    const refused = async (settings: Record<string, string>, ...expected: RegExp[]): Promise<void> => {
      const server = await startServer({ settings });
      await assert.rejects(startNode(server), (error: Error) => {
        assert.ok(error instanceof RedisUnusableError, String(error));
        for (const part of expected) assert.match(error.message, part);
        return true;
      });
      await server.stop();
    };
    test('on a server that may evict, and says all that is wrong', () =>
      refused(
        { 'maxmemory-policy': 'allkeys-lru', appendonly: 'no' },
        /maxmemory-policy is allkeys-lru: set noeviction/,
        /appendonly yes/,
      ));
    test('on a server that keeps no append-only file', () =>
      refused({ appendonly: 'no' }, /keeps no append-only file/));
    // The second port of such a node would be one that the system gives to connections.
    test('on a node of a cluster', async () =>
      refused({ 'cluster-enabled': 'yes', 'cluster-port': String(await freePort()) }, /its mode is cluster/));
    test('on a replica', async () => {
      const primary = await startServer();
      const replica = await startServer({ replicaOf: primary });
      await replica.synchronised();
      await assert.rejects(startNode(replica), /its role is slave: connect to the primary/);
    });
    test('when nothing answers', async () => {
      const server = await startServer();
      await server.stop();
      await assert.rejects(startNode(server), /Redis cannot be reached|has ended/);
    });
    test('without the password, which no message has', async () => {
      const server = await startServer();
      await server.requirePassword('secret-word');
      await assert.rejects(startNode(server), /NOAUTH/);
    });
    test('but not without the file, where that is allowed', async () => {
      const server = await startServer({ settings: { appendonly: 'no' } });
      const node = await startNode(server, { allowWithoutAppendOnlyFile: true });
      assert.equal(await node.codeOf(newSignature()), 'fresh');
    });
  });

  describe('on three nodes', () => {
    let server: RedisServerProcess;
    let nodes: GuardNode[];
    before(async () => {
      server = await startServer();
      nodes = await startNodes(server, 3);
    });
    after(stopAll);

    test('of 50 equal signatures one passes, in each of 200 rounds', async () => {
      for (let round = 0; round < 200; round++) {
        const signature = newSignature();
        const codes = await Promise.all(
          Array.from({ length: 50 }, (_, at) => nodes[(at + round) % 3]!.codeOf(signature)),
        );
        assert.deepEqual(codes.toSorted(), ['fresh', ...Array<string>(49).fill('signature_replayed')]);
      }
    });
    test('none of 10,000 distinct signatures is refused', async () => {
      for (let round = 0; round < 100; round++) {
        const codes = await Promise.all(
          Array.from({ length: 100 }, (_, at) =>
            nodes[at % 3]!.codeOf(newSignature({ created: nowSeconds() - (at % 250) })),
          ),
        );
        assert.deepEqual(new Set(codes), new Set(['fresh']));
      }
      await waitUntil(
        () => nodes.every(({ guard }) => guard.size >= 10_000),
        () => nodes.map(({ guard }) => guard.size),
      );
    });
    test('ids that differ in one bit differ, whatever their bytes', async () => {
      const created = nowSeconds();
      for (const byte of [0, 0x7f, 0x80, 0xff]) {
        for (const other of [byte, byte ^ 1]) {
          const id = String.fromCharCode(...Array<number>(15).fill(byte), other);
          assert.equal(await nodes[0]!.codeOf(newSignature({ id, created })), 'fresh');
          assert.equal(await nodes[1]!.codeOf(newSignature({ id, created })), 'signature_replayed');
        }
      }
    });
    test('an equal read passes for two seconds, on every node, and an equal write does not', async () => {
      const read = newSignature({ isSafe: true });
      assert.equal(await nodes[0]!.codeOf(read), 'fresh');
      for (const node of nodes) {
        // On a slow machine it takes longer than that to ask: then the first use is set to now, and it is asked again.
        await waitUntil(async () => {
          await setFirstUse(server, read, 0);
          return (await node.codeOf(read)) === 'fresh';
        }, 'an equal read passes');
      }
      assert.equal(await nodes[0]!.codeOf({ ...read, isSafe: false }), 'signature_replayed');
      await setFirstUse(server, read, 2001);
      for (const node of nodes) assert.equal(await node.codeOf(read), 'signature_replayed');
    });
    test('a node that joins knows what the others used, and refuses nothing else', async () => {
      const used = await useMany(nodes);
      const mark = new MemoryMark();
      // The mark as the others left it.
      const marked = await markOf(nodes[0]!);
      await mark.begin(marked.epoch, '');
      await mark.reserve([marked.reserved], marked.epoch);
      const [joining] = await startNodes(server, 1, { mark });
      await assertNonePasses([joining!], used);
      assert.equal(await joining!.codeOf(newSignature()), 'fresh');
    });
  });

  describe('with other policies', () => {
    afterEach(stopAll);
    test('strict: not even an equal read passes', async () => {
      const node = await startNode(await startServer(), { repeat: 'strict' });
      const read = newSignature({ isSafe: true });
      assert.deepEqual([await node.codeOf(read), await node.codeOf(read)], ['fresh', 'signature_replayed']);
    });
    test('unsafe-only: reads are not asked about, even when Redis is away', async () => {
      const server = await startServer();
      const node = await startNode(server, { repeat: 'unsafe-only' });
      const write = newSignature();
      assert.deepEqual([await node.codeOf(write), await node.codeOf(write)], ['fresh', 'signature_replayed']);
      await server.stop();
      assert.equal(await node.codeOf(newSignature({ isSafe: true })), 'fresh');
      assert.equal(await node.codeOf(newSignature()), 'guard_unavailable');
    });
  });

  describe('has limits', () => {
    afterEach(stopAll);
    test('the number of entries, and the share of a client, over all nodes', async () => {
      const nodes = await startNodes(await startServer(), 2, { entriesMax: 10, clientShareMax: 0.5 });
      const use = (keyid: string, at: number): Promise<string> =>
        nodes[at % 2]!.codeOf(newSignature({ keyid }));
      const codes: string[] = [];
      for (let at = 0; at < 6; at++) codes.push(await use('client_1', at));
      assert.deepEqual(codes, [...Array<string>(5).fill('fresh'), 'guard_full']);
      for (let at = 0; at < 5; at++) assert.equal(await use(`client_${at + 2}`, at), 'fresh');
      assert.equal(await use('client_9', 0), 'guard_full');
    });
    test('the share of an account, over all nodes and its clients', async () => {
      const nodes = await startNodes(await startServer(), 2, { entriesMax: 8 });
      const use = (client: number, accountId?: string): Promise<string> =>
        nodes[client % 2]!.codeOf(newSignature({ keyid: `client_${client}`, accountId }));
      const codes: string[] = [];
      for (let client = 0; client < 5; client++) codes.push(await use(client, 'first'));
      assert.deepEqual(codes, [...Array<string>(4).fill('fresh'), 'guard_full']);
      assert.equal(await use(5, 'second'), 'fresh');
      assert.equal(await use(6), 'fresh');
    });
    test('the memory of the server: guard_full, and nothing passes twice or is half remembered', async () => {
      const server = await startServer();
      const node = await startNode(server);
      const used = await useMany([node]);
      await server.ask('CONFIG', 'SET', 'maxmemory', '1');
      const refused = newSignature();
      assert.equal(await node.codeOf(refused), 'guard_full');
      await assertNonePasses([node], used);
      await server.ask('CONFIG', 'SET', 'maxmemory', '0');
      assert.equal(await node.codeOf(refused), 'fresh');
    });
    test('the window: forgotten seconds make room, and what was used in them stays refused', async () => {
      const window = { maxAgeSeconds: 1, maxFutureSeconds: 0, maxDateDifferenceSeconds: 60 };
      const server = await startServer();
      const node = await startNode(server, { entriesMax: 4, window });
      const created = nowSeconds();
      const used = [1, 2].map((number) => newSignature({ created, keyid: `client_${number}` }));
      for (const signature of used) assert.equal(await node.codeOf(signature), 'fresh');
      await waitUntil(() => node.guard.size === 2, 'both are counted');
      // Time passes: the moment at which the second is forgotten is set to now.
      await server.ask('ZADD', 'countersign:guard:seconds', '1', String(created));
      await waitUntil(() => node.guard.size === 0, 'both are forgotten');
      assert.deepEqual(
        await Promise.all(used.map((one) => node.codeOf(one))),
        Array(2).fill('recently_restarted'),
      );
      assert.equal(
        await server.ask('EXISTS', `countersign:guard:used:${created}`, 'countersign:guard:clients'),
        0,
      );
      assert.equal(await node.codeOf(newSignature({ created: created + 1 })), 'fresh');
    });
  });

  describe('when the store loses what it knew', () => {
    let server: RedisServerProcess;
    let nodes: GuardNode[];
    let used: UsedSignature[];
    const prepare = async (): Promise<void> => {
      server = await startServer();
      nodes = await startNodes(server, 3);
      used = await useMany(nodes, 20);
    };
    const assertRecovers = async (): Promise<void> => {
      await assertNonePasses(nodes, used);
      await recover(nodes, true);
      await assertNonePasses(nodes, used);
    };
    afterEach(stopAll);

    test('by FLUSHALL: no replay passes, Retry-After says for how long, and it recovers in 5 s', async () => {
      await prepare();
      await server.ask('FLUSHALL');
      await assertNonePasses(nodes, used);
      await recover(nodes);
      await assertNonePasses(nodes, used);
    });
    test('a client whose clock is 55 s fast costs the others the seconds that it used, no more', async () => {
      await prepare();
      const ahead = newSignature({ created: nowSeconds() + 55 });
      assert.equal(await nodes[0]!.codeOf(ahead), 'fresh');
      await server.ask('FLUSHALL');
      await recover(nodes);
      await assertNonePasses(nodes, [ahead, ...used]);
      for (const node of nodes) {
        const refusal = await node.use(newSignature({ created: ahead.created }));
        assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['recently_restarted', 1]);
        assert.equal(await node.codeOf(newSignature({ created: ahead.created + 1 })), 'fresh');
      }
      // Losing everything once more forgets none of it.
      await server.ask('FLUSHALL');
      await recover(nodes);
      await assertNonePasses(nodes, [ahead, ...used]);
    });
    test('by FLUSHDB', async () => {
      await prepare();
      await server.ask('FLUSHDB');
      await assertRecovers();
    });
    test('by a single second that is deleted or evicted', async () => {
      await prepare();
      const signature = newSignature();
      assert.equal(await nodes[0]!.codeOf(signature), 'fresh');
      await server.ask('DEL', `countersign:guard:used:${signature.created}`);
      assert.equal(await nodes[1]!.codeOf(signature), 'guard_unavailable');
      await assertNonePasses(nodes, [signature]);
      await assertRecovers();
    });
    test('by kill -9 and a restart that keeps the append-only file', async () => {
      await prepare();
      await server.kill();
      await assertNonePasses(nodes, used);
      await server.restart();
      await assertRecovers();
    });
    test('by kill -9 and a restart without it', async () => {
      await prepare();
      await server.kill();
      server.loseDisk();
      await server.restart();
      await assertRecovers();
    });
    test('by the promotion of a replica that lags', async () => {
      await prepare();
      const replica = await startServer({ replicaOf: server });
      await replica.synchronised();
      // To attach the first replica begins a new epoch.
      await recover(nodes, true);
      const known = await useMany(nodes);
      await waitUntil(async () => (await sizeOf(replica)) === (await sizeOf(server)), 'the replica has all');
      // From now on the replica gets nothing more.
      await replica.ask('REPLICAOF', '127.0.0.1', '1');
      const lost = await useMany(nodes);
      await replica.ask('REPLICAOF', 'NO', 'ONE');
      await assertNonePasses(nodes, [...known, ...lost]);
      for (const node of nodes) node.path.turn(replica.port);
      used = [...used, ...known, ...lost];
      await assertRecovers();
    });
    test('by being made a replica and a primary again, on connections that stay open', async () => {
      await prepare();
      const other = await startServer({ replicaOf: server });
      await other.synchronised();
      await recover(nodes, true);
      await waitUntil(async () => (await sizeOf(other)) === (await sizeOf(server)), 'the replica has all');
      await other.ask('REPLICAOF', 'NO', 'ONE');
      const lost = await useMany(nodes);
      await server.ask('REPLICAOF', '127.0.0.1', String(other.port));
      await server.synchronised();
      await server.ask('REPLICAOF', 'NO', 'ONE');
      // Its data has the epoch that the nodes know, without the last uses.
      used = [...used, ...lost];
      await assertRecovers();
    });
    test('while one node still speaks to the primary of before', async () => {
      await prepare();
      const replica = await startServer({ replicaOf: server });
      await replica.synchronised();
      await recover(nodes, true);
      await replica.ask('REPLICAOF', 'NO', 'ONE');
      const [behind, ...others] = nodes as [GuardNode, ...GuardNode[]];
      for (const { path } of others) path.turn(replica.port);
      const passes: number[] = [];
      // Two seconds pass in each round, so that every node raises the mark over and over.
      for (let round = 0; round < 60; round++) {
        skipSeconds(2);
        for (let number = 0; number < 5; number++) {
          const signature = newSignature();
          const codes = await Promise.all(nodes.map((node) => node.codeOf(signature)));
          passes.push(codes.filter((code) => code === 'fresh').length);
          await sleep(5);
        }
      }
      assert.ok(
        passes.every((times) => times <= 1),
        passes.join(' '),
      );
      behind.path.turn(replica.port);
      await recover(nodes, true);
    });
    test('and the database went back to a backup', async () => {
      server = await startServer();
      const [node] = await startNodes(server, 1);
      used = await useMany([node!]);
      nodes = await startNodes(server, 1, { mark: new MemoryMark() });
      await assertRecovers();
    });
  });

  describe('when Redis is away', () => {
    afterEach(stopAll);
    test('a cut network: refusals in time, at once after the first, and recovery without a restart', async () => {
      const server = await startServer();
      const nodes = await startNodes(server, 3, { commandTimeoutMs: 2000 });
      const used = await useMany(nodes);
      for (const { path } of nodes) path.cut();
      for (const node of nodes) {
        const refusal = await waitForResult(node.use(newSignature()), 'the refusal');
        assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['guard_unavailable', 1]);
        assert.match(String(node.changes.at(-1)), /did not respond within 2000 ms/);
        for (let count = 0; count < 3; count += 1) {
          const later = node.guard.use(newSignature(), nowSeconds());
          // It waits for nothing.
          assert.ok(later !== undefined && 'code' in later);
          assert.equal(later.code, 'guard_unavailable');
        }
        assert.equal(node.guard.isReady, false);
      }
      await waitUntil(
        () => nodes.every(({ changes }) => changes.length >= 2),
        'each has tried to connect again',
      );
      for (const { path } of nodes) path.mend();
      await recover(nodes);
      // Nothing was lost, so the epoch is the same, and all is known.
      for (const node of nodes) {
        assert.deepEqual(
          new Set(await Promise.all(used.map((one) => node.codeOf(one)))),
          new Set(['signature_replayed']),
        );
      }
    });
    test('a cut that nobody asks into is noticed too', async () => {
      const node = await startNode(await startServer(), { commandTimeoutMs: 2000 });
      node.path.cut();
      await waitUntil(() => !node.guard.isReady, 'the cut is noticed');
      assert.match(String(node.changes.at(-1)), /did not respond within 2000 ms/);
    });
    test('a stopped process: refused, and what it does late never passes twice', async () => {
      const server = await startServer();
      const node = await startNode(server, { commandTimeoutMs: 2000 });
      server.signal('SIGSTOP');
      const signature = newSignature();
      assert.equal(await node.codeOf(signature), 'guard_unavailable');
      server.signal('SIGCONT');
      await recover([node]);
      const codes = [await node.codeOf(signature), await node.codeOf(signature)];
      assert.equal(codes[1], 'signature_replayed');
    });
    test('the log is told once, and when it is over', async () => {
      const server = await startServer();
      const node = await startNode(server);
      await server.kill();
      await waitUntil(() => node.changes.length > 0, 'the log is told');
      const { opened } = node.path;
      await waitUntil(() => node.path.opened >= opened + 3, 'more attempts to connect');
      await server.restart();
      await recover([node]);
      assert.equal(node.changes.at(-1), undefined);
      assert.ok(node.changes.length <= 4, node.changes.join('\n'));
    });
    test('a server that comes back with another policy is not used', async () => {
      const server = await startServer();
      const node = await startNode(server);
      await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      node.path.turn(server.port);
      await waitUntil(
        () => /maxmemory-policy/.test(node.changes.at(-1) ?? ''),
        () => node.changes,
      );
      assert.equal(await node.codeOf(newSignature()), 'guard_unavailable');
      await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await recover([node]);
    });
    test('scripts that the server was told to forget are sent again', async () => {
      const server = await startServer();
      const node = await startNode(server);
      await server.ask('SCRIPT', 'FLUSH');
      const signature = newSignature();
      assert.deepEqual(
        [await node.codeOf(signature), await node.codeOf(signature)],
        ['fresh', 'signature_replayed'],
      );
    });
  });

  describe('when the database is away', () => {
    afterEach(stopAll);
    test('no signature beyond the mark passes, and none waits for long', async () => {
      const mark = new MemoryMark();
      const node = await startNode(await startServer(), { mark });
      const created = nowSeconds();
      assert.equal(await node.codeOf(newSignature({ created })), 'fresh');
      mark.before = () => Promise.reject(new Error('away'));
      assert.equal(await node.codeOf(newSignature({ created: created + 2 })), 'fresh');
      const later = newSignature({ created: created + 3 });
      assert.equal(await waitForResult(node.codeOf(later), 'the refusal'), 'guard_unavailable');
      mark.before = () => new Promise(() => undefined);
      // The mark never answers: this is the guard's own limit.
      assert.equal(await waitForResult(node.codeOf(later), 'the refusal'), 'guard_unavailable');
    });
  });
});

/** The mark of a cluster, as one of its nodes has left it. */
async function markOf(node: GuardNode): Promise<{ epoch: string; reserved: SecondRange }> {
  const reply = (await node.connection.send('HGET', 'countersign:guard', 'epoch')) as string;
  return { epoch: reply, reserved: [0, nowSeconds() + 2] };
}

/** Sets the first use of a signature to so many milliseconds ago, by the clock of the server. */
async function setFirstUse(
  server: RedisServerProcess,
  { created, id }: UsedSignature,
  agoMs: number,
): Promise<void> {
  const script = `
    local time = redis.call('TIME')
    local atMs = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[2]
    return redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', atMs))`;
  const field = Buffer.from(id, 'latin1').toString('base64');
  const key = `countersign:guard:used:${created}`;
  assert.equal(await server.ask('EVAL', script, '1', key, field, String(agoMs)), 0);
}

/** The number of entries that a server knows. */
async function sizeOf(server: RedisServerProcess): Promise<string> {
  return String(await server.ask('HGET', 'countersign:guard', 'entries'));
}
