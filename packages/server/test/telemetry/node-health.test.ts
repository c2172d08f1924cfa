import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePostgresDatabase } from '@countersign/testing/postgres';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { type RunningService, runService, sendSigned } from '@countersign/testing/running-service';
import { TcpSwitch } from '@countersign/testing/tcp-switch';
import { waitUntil } from '@countersign/testing/wait-until';
import { createLogger } from '../../src/telemetry/logger.ts';

/* What a balancer learns of a node. */

async function readiness(running: RunningService): Promise<[number, unknown]> {
  const answer = await running.send({ method: 'GET', url: '/ready' });
  return [answer.status, answer.json()['reason']];
}

test(
  'with its database away, a node stays in the balancer and refuses by itself',
  { skip: postgresSkip },
  async (t) => {
    const { url, remove } = await makePostgresDatabase('migrated');
    const { port, pathname, username } = new URL(url);
    const way = await TcpSwitch.open(Number(port));
    const running = await runService({
      COUNTERSIGN_DATABASE_URL: `postgresql://${username}@127.0.0.1:${way.port}${pathname}`,
    });
    t.after(async () => {
      await running.close();
      await way.close();
      await remove();
    });
    const { signer } = await running.addClient();
    const ask = (): ReturnType<typeof sendSigned> =>
      sendSigned(running, signer, {
        method: 'GET',
        url: `/v1/payments?limit=${1 + Math.floor(Math.random() * 100)}`,
      });
    const answers = async (): Promise<boolean> => (await ask()).status === 200;
    await waitUntil(answers, 'the node answers');
    way.cut();
    await waitUntil(async () => (await readiness(running))[1] !== undefined, 'the node says what it lacks');
    assert.equal((await readiness(running))[0], 200);
    const refused = await ask();
    assert.equal(refused.status, 503);
    assert.match(String(refused.json()['code']), /^(?:registry_stale|guard_unavailable)$/);
    assert.match(String(refused.headers['retry-after']), /^\d+$/);
    way.mend();
    await waitUntil(answers, 'the node answers again');
    await waitUntil(async () => (await readiness(running))[1] === undefined, 'the node lacks nothing');
  },
);

test('on a full disk a node leaves the balancer, and comes back when there is room', async (t) => {
  let free = 8_000_000;
  const running = await runService({}, { freeBytes: () => Promise.resolve(free) });
  t.after(() => running.close());
  assert.deepEqual(await readiness(running), [200, undefined]);
  free = 4_000_000;
  await waitUntil(async () => (await readiness(running))[0] === 503, 'the node leaves the balancer');
  assert.deepEqual(await readiness(running), [503, 'the disk of the data folder is full']);
  const live = await running.send({ method: 'GET', url: '/live' });
  assert.equal(live.status, 200);
  free = 8_000_000;
  await waitUntil(async () => (await readiness(running))[0] === 200, 'the node comes back');
});

const fullSkip = !existsSync('/dev/full') && 'this system has no /dev/full';
test('a node that cannot write its log leaves the balancer', { skip: fullSkip }, async (t) => {
  const logger = createLogger('info', '/dev/full');
  const running = await runService({}, {}, logger);
  t.after(() => running.close());
  logger.info('a line that cannot be written');
  await waitUntil(async () => (await readiness(running))[0] === 503, 'the node leaves the balancer');
  assert.deepEqual(await readiness(running), [503, 'the log cannot be written']);
});

test('a node whose guard cannot write its mark leaves the balancer, and comes back by itself', async (t) => {
  let nowMs = Date.now();
  const running = await runService({}, { nowMs: () => nowMs });
  t.after(() => running.close());
  const { signer } = await running.addClient();
  const obstacle = join(running.dataFolder, 'replay-mark.json.new');
  mkdirSync(obstacle);
  nowMs += 10_000;
  const refused = await sendSigned(running, signer, { method: 'GET', url: '/v1/whoami' });
  assert.equal(refused.json()['code'], 'guard_unavailable');
  assert.deepEqual(await readiness(running), [503, "the replay guard's mark cannot be written"]);
  rmdirSync(obstacle);
  await waitUntil(async () => (await readiness(running))[0] === 200, 'the node comes back');
});

test('a node that refuses every signature after a restore says so, and until when', async (t) => {
  let nowMs = Date.now();
  const running = await runService({}, { nowMs: () => nowMs });
  t.after(() => running.close());
  const ask = (): ReturnType<RunningService['send']> => running.send({ method: 'GET', url: '/ready' });
  assert.equal((await ask()).json()['status'], 'ok');
  await running.service.stop();
  // A backup has no files of the guard.
  for (const file of ['replay-mark.json', 'replay-snapshot.bin'])
    rmSync(join(running.dataFolder, file), { force: true });
  await running.restart();
  const { signer } = await running.addClient();
  const refused = await sendSigned(running, signer, { method: 'GET', url: '/v1/whoami' });
  assert.equal(refused.json()['code'], 'recently_restarted');
  const paused = await ask();
  assert.equal(paused.status, 200, 'no other node would answer either');
  assert.equal(paused.json()['status'], 'degraded');
  assert.match(String(paused.json()['reason']), /^every signature is rejected until 20\d\d-/);
  nowMs += 62_000;
  assert.equal((await ask()).json()['status'], 'ok');
});
