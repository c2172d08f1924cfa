import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UsedSignature } from '@countersign/signature/node';
import { makePostgresDatabase, sharedServer } from '@countersign/testing/postgres';
import { PostgresServer, postgresSkip } from '@countersign/testing/postgres-server';
import { TcpSwitch } from '@countersign/testing/tcp-switch';
import { waitForResult, waitUntil } from '@countersign/testing/wait-until';
import { openPostgresGuard, type PostgresReplayGuard } from '../../src/replay/postgres-guard.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { newSignature, nowSeconds, openNodes, outcome, tally } from './postgres-nodes.ts';

/* The guard in PostgreSQL when the server goes away, comes back, or is replaced. */

async function prepare(server: PostgresServer): Promise<void> {
  await server.query('create database guard');
  await (await openDatabase({ url: server.url('guard') })).destroy();
}

/** Uses new signatures until one passes: of each moment, or of one second. */
async function untilAccepted(guard: PostgresReplayGuard, created?: number): Promise<void> {
  let last = '';
  await waitUntil(
    async () => {
      last = await outcome(guard, newSignature({ created: created ?? nowSeconds() }));
      return last === 'accepted';
    },
    () => `no signature passes: ${last}`,
  );
}

/** What a node says of its health follows soon. */
async function untilReady(guards: readonly PostgresReplayGuard[], isReady: boolean): Promise<void> {
  await waitUntil(
    () => guards.every((guard) => guard.isReady === isReady),
    `all guards are ${isReady ? 'ready' : 'away'}`,
  );
}

/** While the server is down: rejected, with the time to wait. */
async function assertUnavailable(guards: readonly PostgresReplayGuard[]): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const uses = Array.from({ length: 30 }, (_, index) =>
      guards[index % guards.length]!.use(newSignature(), nowSeconds()),
    );
    for (const refusal of await waitForResult(Promise.all(uses), 'the refusals')) {
      assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['guard_unavailable', 1]);
    }
  }
}

describe('the server of the guard', { skip: postgresSkip }, () => {
  let server: PostgresServer;
  let guards: readonly PostgresReplayGuard[];
  before(async () => {
    server = await PostgresServer.start();
    await prepare(server);
    const open = (): Promise<PostgresReplayGuard> =>
      openPostgresGuard({ url: server.url('guard'), nodes: 3 });
    guards = await Promise.all([open(), open(), open()]);
  });
  after(async () => {
    await Promise.all(guards.map((guard) => guard.close()));
    await server.remove();
  });

  const outages: Readonly<
    Record<string, { begin: () => Promise<void> | void; end: () => Promise<void> | void }>
  > = {
    'is stopped': { begin: () => server.stop(), end: () => server.start() },
    'is stopped at once': { begin: () => server.stop('immediate'), end: () => server.start() },
    'is killed': { begin: () => server.kill(), end: () => server.start() },
    'stands still': { begin: () => server.pause(), end: () => server.resume() },
  };
  for (const [what, { begin, end }] of Object.entries(outages)) {
    test(`${what}: refused, and good again afterwards, with nothing forgotten`, async () => {
      const used = await accept(guards, 30);
      await begin();
      await assertUnavailable(guards);
      await untilReady(guards, false);
      await end();
      for (const guard of guards) await untilAccepted(guard);
      await untilReady(guards, true);
      await assertReplays(guards, used);
    });
  }

  test('is killed while signatures are used: what was accepted never passes again', async () => {
    for (let round = 0; round < 3; round += 1) {
      const accepted: UsedSignature[] = [];
      const over = new AbortController();
      const writers = Array.from({ length: 12 }, async (_, index) => {
        while (!over.signal.aborted) {
          const signature = newSignature({ keyid: `client ${index}` });
          if ((await outcome(guards[index % 3]!, signature)) === 'accepted') accepted.push(signature);
          else await sleep(5);
        }
      });
      await waitUntil(
        () => accepted.length >= 200,
        () => `${accepted.length} of 200 accepted`,
      );
      await server.kill();
      await sleep(50);
      over.abort();
      await Promise.all(writers);
      await server.start();
      for (const guard of guards) await untilAccepted(guard);
      await assertReplays(guards, accepted);
    }
  });

  test('is emptied by another program: what was accepted never passes again', async () => {
    for (let round = 0; round < 3; round += 1) {
      const used = await accept(guards, 30);
      await server.query('truncate used_signatures', 'guard');
      const outcomes = await Promise.all(
        used.map((signature, index) => outcome(guards[index % 3]!, signature)),
      );
      assert.equal(tally(outcomes)['accepted'], undefined);
      for (const guard of guards) await untilAccepted(guard);
      await assertNoneAccepted(guards, used);
    }
  });
});

describe('rows of used signatures', { skip: postgresSkip }, () => {
  test('cannot be removed by hand as long as they keep a replay out', async (t) => {
    const { url, remove } = await makePostgresDatabase('migrated');
    t.after(remove);
    const guards = await openNodes(t, url, 1);
    const used = await accept(guards, 5);
    const database = new URL(url).pathname.slice(1);
    const deletion = (await sharedServer()).query('delete from used_signatures', database);
    await assert.rejects(deletion, /could be used again/);
    await assertReplays(guards, used);
  });
});

// Each has servers of its own, and mostly waits for a clock.
describe('a server that lags takes over', { skip: postgresSkip, concurrency: 2 }, () => {
  /** Nodes that reach the server by an address, which can lead to its standby; both are removed when the test ends. */
  async function openCluster(t: TestContext, nodes: number) {
    const primary = await PostgresServer.start({ synchronous_commit: 'local' });
    t.after(() => primary.remove());
    await prepare(primary);
    const address = await TcpSwitch.open(primary.port);
    t.after(() => address.close());
    const url = `postgresql://tests@127.0.0.1:${address.port}/guard`;
    const guards = await openNodes(t, url, nodes);
    await accept(guards, 5);
    const standby = await PostgresServer.startStandby(primary);
    t.after(() => standby.remove());
    return {
      guards,
      url,
      primary,
      standby,
      address,
      lag: () => standby.stopFollowing(),
      takeOver: async () => {
        await primary.kill();
        await standby.promote();
        address.turn(standby.port);
      },
      countAt: async (server: 'primary' | 'standby') => {
        const rows = await { primary, standby }[server].query<{ count: string }>(
          'select count(*) from used_signatures',
          'guard',
        );
        return Number(rows[0]?.count);
      },
    };
  }

  test('what a standby was not told never passes again, and every node is soon good again', async (t) => {
    const { guards, lag, takeOver, countAt } = await openCluster(t, 3);
    await lag();
    const known = await countAt('standby');
    const used = await accept(guards, 60);
    assert.equal(await countAt('standby'), known);
    // A use whose answer came too late is repeated with another signature, and its row is there as well.
    assert.ok((await countAt('primary')) >= known + 60);
    await takeOver();
    await assertNoneAccepted(guards, used);
    for (const guard of guards) await untilAccepted(guard);
    await assertNoneAccepted(guards, used);
  });

  test('an older copy of its files is started in its place: what it lacks never passes again', async (t) => {
    const { guards, primary, address } = await openCluster(t, 3);
    const copy = await PostgresServer.copyOf(primary);
    t.after(() => copy.remove());
    const used = await accept(guards, 60);
    await primary.kill();
    await copy.start();
    address.turn(copy.port);
    const rows = await copy.query<{ count: string }>('select count(*) from used_signatures', 'guard');
    assert.ok(Number(rows[0]?.count) < 60);
    await assertNoneAccepted(guards, used);
    for (const guard of guards) await untilAccepted(guard);
    await assertNoneAccepted(guards, used);
  });

  test('one node accepted a signature of the future that no other knows of: it never passes again', async (t) => {
    const { guards, lag, takeOver } = await openCluster(t, 3);
    await lag();
    const future = newSignature({ created: nowSeconds() + 4 });
    assert.equal(await outcome(guards[2]!, future), 'accepted');
    await takeOver();
    for (let round = 0; round < 60; round += 1) {
      for (const guard of [guards[0]!, guards[1]!]) assert.notEqual(await outcome(guard, future), 'accepted');
      await sleep(50);
    }
    for (const guard of guards) await untilAccepted(guard);
    await assertNoneAccepted(guards, [future]);
  });

  test('a client whose clock is 55 s fast costs the others the seconds that it used, no more', async (t) => {
    const { guards, lag, takeOver } = await openCluster(t, 3);
    await lag();
    const future = newSignature({ created: nowSeconds() + 55 });
    assert.equal(await outcome(guards[2]!, future), 'accepted');
    await takeOver();
    // Nobody has used the second before that one: were it lost too, it would never pass.
    for (const guard of guards) await untilAccepted(guard, future.created - 1);
    await assertNoneAccepted(guards, [future]);
    for (const guard of guards) {
      const refusal = await guard.use(newSignature({ created: future.created }), nowSeconds());
      assert.deepEqual([refusal?.code, refusal?.retryAfterSeconds], ['recently_restarted', 1]);
      assert.equal(await outcome(guard, newSignature({ created: future.created + 1 })), 'accepted');
    }
  });

  test('one node still speaks to the server of before: nothing passes on the others', async (t) => {
    const { guards, primary, standby, address } = await openCluster(t, 2);
    const [late] = await openNodes(t, primary.url('guard'), 1, { nodes: 3 });
    const [other] = await openNodes(t, `postgresql://tests@127.0.0.1:${address.port}/guard`, 1, { nodes: 3 });
    for (const guard of guards) await guard.close();
    await standby.promote();
    address.turn(standby.port);
    for (let round = 0; round < 40; round += 1) {
      const signature = newSignature({ created: nowSeconds() + (round % 3) * 20 });
      assert.equal(await outcome(late!, signature), 'accepted');
      assert.notEqual(await outcome(other!, signature), 'accepted');
      await sleep(50);
    }
  });

  test('a node that ends meanwhile cannot say what it accepted: all wait until nothing of it can be used', async (t) => {
    const { guards, url, lag, takeOver } = await openCluster(t, 2);
    await lag();
    const future = newSignature({ created: nowSeconds() + 50 });
    assert.equal(await outcome(guards[1]!, future), 'accepted');
    await guards[1]!.close();
    await takeOver();
    const [late] = await openNodes(t, url, 1, { nodes: 2 });
    for (let round = 0; round < 20; round += 1) {
      for (const guard of [guards[0]!, late!]) {
        assert.notEqual(await outcome(guard, future), 'accepted');
        const refusal = await guard.use(newSignature(), nowSeconds());
        assert.match(refusal?.code ?? 'accepted', /^(?:guard_unavailable|recently_restarted)$/);
        assert.equal(refusal?.retryAfterSeconds, 1);
      }
      await sleep(50);
    }
    // Later than everything that can have been accepted before.
    assert.equal(await outcome(late!, newSignature({ created: nowSeconds() + 130 })), 'accepted');
  });
});

async function accept(guards: readonly PostgresReplayGuard[], count: number): Promise<UsedSignature[]> {
  const used = Array.from({ length: count }, (_, index) => useNew(guards[index % guards.length]!));
  const signatures = await Promise.all(used);
  assert.deepEqual(tally(signatures.map(({ answer }) => answer)), { accepted: count });
  return signatures.map(({ signature }) => signature);
}

/** On a slow machine a guard may not reach its server in time, and decides nothing: another signature is used. */
async function useNew(
  guard: PostgresReplayGuard,
  attempt = 1,
): Promise<{ readonly signature: UsedSignature; readonly answer: string }> {
  const signature = newSignature();
  const answer = await outcome(guard, signature);
  return answer === 'guard_unavailable' && attempt < attemptsMax
    ? useNew(guard, attempt + 1)
    : { signature, answer };
}

/** The same, with a signature of before. */
async function useAgain(guard: PostgresReplayGuard, signature: UsedSignature, attempt = 1): Promise<string> {
  const answer = await outcome(guard, signature);
  if (answer !== 'guard_unavailable' || attempt === attemptsMax) return answer;
  await sleep(50);
  return useAgain(guard, signature, attempt + 1);
}

const attemptsMax = 20;

async function assertReplays(
  guards: readonly PostgresReplayGuard[],
  used: readonly UsedSignature[],
): Promise<void> {
  const outcomes = await Promise.all(
    used.map((signature, index) => useAgain(guards[(index + 1) % guards.length]!, signature)),
  );
  assert.deepEqual(tally(outcomes), { signature_replayed: used.length });
}

async function assertNoneAccepted(
  guards: readonly PostgresReplayGuard[],
  used: readonly UsedSignature[],
): Promise<void> {
  for (const guard of guards) {
    const outcomes = await Promise.all(used.map((signature) => outcome(guard, signature)));
    assert.equal(tally(outcomes)['accepted'], undefined, JSON.stringify(tally(outcomes)));
  }
}
