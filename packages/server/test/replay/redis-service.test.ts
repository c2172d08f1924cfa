import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { redisIsMissing, RedisServerProcess } from '@countersign/testing/redis';
import {
  type Answer,
  baseUrl,
  type RunningService,
  runService,
  sendSigned,
} from '@countersign/testing/running-service';
import { TcpSwitch } from '@countersign/testing/tcp-switch';
import { waitForResult, waitUntil } from '@countersign/testing/wait-until';
import { createLogger } from '../../src/telemetry/logger.ts';

const url = '/v1/whoami';
const password = 'word-that-no-log-has';
const stops: (() => Promise<void> | void)[] = [];

/** A service whose guard is in a Redis with a password, over a path that can be cut. */
async function start(settings: Record<string, string> = {}): Promise<{
  running: RunningService;
  server: RedisServerProcess;
  path: TcpSwitch;
  log: () => string;
}> {
  const server = await RedisServerProcess.start();
  stops.push(() => server.stop());
  await server.requirePassword(password);
  const path = await TcpSwitch.open(server.port);
  stops.push(() => path.close());
  const folder = mkdtempSync(join(tmpdir(), 'countersign-log-'));
  stops.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log.jsonl');
  const logger = createLogger('info', file);
  const redisUrl = `redis://:${password}@127.0.0.1:${path.port}`;
  const running = await runService(
    { COUNTERSIGN_REDIS_URL: redisUrl, COUNTERSIGN_GUARD_TIMEOUT_MS: '900', ...settings },
    {},
    logger,
  );
  stops.push(() => running.close());
  return {
    running,
    server,
    path,
    log: () => {
      logger.flush();
      return readFileSync(file, 'utf8');
    },
  };
}

function codeOf(answer: Answer): unknown {
  return answer.status < 300 ? answer.status : answer.json()['code'];
}

describe('a service with its guard in Redis', { skip: redisIsMissing }, () => {
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  test('does not start without Redis, and does not tell its password', async () => {
    await assert.rejects(
      runService({
        COUNTERSIGN_REDIS_URL: `redis://:${password}@127.0.0.1:1`,
        COUNTERSIGN_START_SECONDS_MAX: '1',
      }),
      (error: Error) =>
        /Redis cannot be reached \(ECONNREFUSED\)/.test(error.message) &&
        !String(error.stack).includes(password),
    );
  });

  test('refuses a replay, also after a restart of the service, and nothing else after a clean stop', async () => {
    const { running } = await start();
    const { signer } = await running.addClient();
    const signed = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments/none/cancel` });
    const call = { method: 'POST', url: '/v1/payments/none/cancel', headers: { ...signed.headers } };
    assert.equal(codeOf(await running.send(call)), 'not_found');
    assert.equal(codeOf(await running.send(call)), 'signature_replayed');
    await running.restart();
    assert.equal(codeOf(await running.send(call)), 'signature_replayed');
    assert.equal(codeOf(await sendSigned(running, signer, { method: 'GET', url })), 200);
  });

  test('answers 503 when the network is cut, stays in the balancer, says so in the log, and recovers by itself', async () => {
    const { running, path, log } = await start();
    const { signer } = await running.addClient();
    path.cut();
    const payment = { method: 'POST', url: '/v1/payments', body: '{}' };
    const answer = await waitForResult(sendSigned(running, signer, payment), 'the answer');
    assert.deepEqual(
      [answer.status, codeOf(answer), answer.headers['retry-after']],
      [503, 'guard_unavailable', '1'],
    );
    const ready = await running.send({ method: 'GET', url: '/ready' });
    assert.equal(ready.status, 200);
    assert.deepEqual(ready.json(), { status: 'degraded', reason: "the replay guard's store is unavailable" });
    path.mend();
    let calls = 0;
    await waitUntil(async () => {
      const different = `/v1/payments?limit=${(calls++ % 100) + 1}`;
      return (await sendSigned(running, signer, { method: 'GET', url: different })).status === 200;
    }, 'the service accepts requests again');
    assert.equal((await running.send({ method: 'GET', url: '/ready' })).status, 200);
    // The file is written some time after its lines.
    const told = /Redis did not respond within 300 ms[^]+is available again/;
    await waitUntil(() => told.test(log()), log);
    assert.ok(!log().includes(password));
  });

  test('answers 503 with the time to wait when the store was emptied', async () => {
    const { running, server } = await start();
    const { signer } = await running.addClient();
    assert.equal((await sendSigned(running, signer, { method: 'GET', url })).status, 200);
    await server.ask('FLUSHALL');
    const codes = new Set<unknown>();
    // A signer gives equal requests a later second each, which would be let in sooner.
    let calls = 0;
    await waitUntil(
      async () => {
        const answer = await sendSigned(running, signer, {
          method: 'GET',
          url: `/v1/payments?limit=${(calls++ % 100) + 1}`,
        });
        if (answer.status !== 200) assert.match(String(answer.headers['retry-after']), /^[1-3]$/);
        codes.add(codeOf(answer));
        return answer.status === 200;
      },
      () => [...codes],
    );
    assert.ok(codes.has('recently_restarted'), [...codes].join(' '));
  });

  test('counts requests in Redis', async () => {
    const limit = {
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '60',
      COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '3',
    };
    const { running, server } = await start(limit);
    const { clientId, signer } = await running.addClient();
    assert.equal(
      (await sendSigned(running, signer, { method: 'GET', url })).headers['ratelimit'],
      '"burst";r=2;t=1',
    );
    // Another node has taken what was left.
    await server.ask('HSET', `countersign:rate:${clientId}`, 'tokens', '1.000000');
    assert.equal(
      (await sendSigned(running, signer, { method: 'GET', url })).headers['ratelimit'],
      '"burst";r=0;t=1',
    );
    assert.equal(codeOf(await sendSigned(running, signer, { method: 'GET', url })), 'rate_limited');
  });
});
