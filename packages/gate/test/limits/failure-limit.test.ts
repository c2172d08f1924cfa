import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { NetworkWhitelist, parseAddress } from '@countersign/contract';
import {
  type Answer,
  type RunningService,
  runService,
  sendSigned,
} from '@countersign/testing/running-service';
import { TestClock } from '@countersign/testing/test-clock';
import { FailureLimit } from '../../src/limits/failure-limit.ts';

const limited = { COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '6' };
const behindProxy = { ...limited, COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' };
const clock = new TestClock(1_790_000_000);
const url = '/v1/whoami';

let running: RunningService | undefined;

async function stop(): Promise<void> {
  await running?.close();
  running = undefined;
}

async function start(environment: Record<string, string> = limited): Promise<RunningService> {
  running = await runService(environment, { nowMs: clock.nowMs, monotonicMs: clock.monotonicMs });
  return running;
}

function fail(service: RunningService, forwardedFor?: string, localAddress = '127.0.0.1'): Promise<Answer> {
  const headers = forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor };
  return service.send({ method: 'GET', url, localAddress, headers });
}

async function failOften(service: RunningService, times: number, forwardedFor?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let number = 0; number < times; number++) statuses.push((await fail(service, forwardedFor)).status);
  return statuses;
}

describe('the limit of failures of an address', () => {
  afterEach(stop);

  test('beyond it 429, also for who could prove itself, until the time is over', async () => {
    const service = await start();
    const { signer } = await service.addClient();
    assert.deepEqual(await failOften(service, 6), Array(6).fill(401));
    const refused = await fail(service);
    assert.deepEqual(
      [refused.status, refused.json()['code'], refused.headers['retry-after']],
      [429, 'too_many_failures', '10'],
    );
    assert.equal((await sendSigned(service, signer, { method: 'GET', url })).status, 429);
    clock.pass(9);
    assert.equal((await fail(service)).headers['retry-after'], '1');
    clock.pass(1);
    assert.equal((await sendSigned(service, signer, { method: 'GET', url })).status, 200);
    assert.deepEqual(await failOften(service, 2), [401, 429]);
  });

  test('another address is not refused for it', async () => {
    const service = await start();
    await failOften(service, 7);
    assert.equal((await fail(service, undefined, '127.0.0.2')).status, 401);
  });

  test('who has proved itself may be refused as often as it likes', async () => {
    const service = await start();
    const { signer } = await service.addClient({ roles: [] });
    for (let number = 0; number < 20; number++) {
      assert.equal((await sendSigned(service, signer, { method: 'GET', url: '/v1/payments' })).status, 403);
    }
    assert.equal((await sendSigned(service, signer, { method: 'GET', url })).status, 200);
  });

  test('behind a proxy it is the address that the proxy names', async () => {
    const service = await start(behindProxy);
    assert.deepEqual(await failOften(service, 7, '203.0.113.7'), [...Array<number>(6).fill(401), 429]);
    assert.equal((await fail(service, '203.0.113.8')).status, 401);
    // What the caller itself has written is not looked at.
    assert.equal((await fail(service, '198.51.100.1, 203.0.113.7')).status, 429);
  });

  test('an IPv6 network of 64 bits is one address', async () => {
    const service = await start(behindProxy);
    await failOften(service, 3, '2001:db8::1');
    await failOften(service, 3, '2001:db8::ffff:ffff:ffff:ffff');
    assert.equal((await fail(service, '2001:db8::2')).status, 429);
    assert.equal((await fail(service, '2001:db8:0:1::2')).status, 401);
  });

  test('a proxy is never limited, whatever passes it', async () => {
    const service = await start(behindProxy);
    const { signer } = await service.addClient();
    for (const forwardedFor of [undefined, '127.0.0.1', '10.1.2.3', 'unknown']) {
      assert.deepEqual(await failOften(service, 20, forwardedFor), Array(20).fill(401));
    }
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    assert.equal((await sendSigned(service, signer, { method: 'GET', url, headers })).status, 200);
  });

  test('0 is no limit', async () => {
    const service = await start({ COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0' });
    assert.deepEqual(await failOften(service, 100), Array(100).fill(401));
  });
});

describe('the table of failures', () => {
  after(stop);
  const addressOf = (number: number): ReturnType<typeof parseAddress> =>
    parseAddress(`10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`);
  const limit = new FailureLimit({
    failuresPerMinuteMax: 60,
    trustedProxies: new NetworkWhitelist([]),
    monotonicMs: clock.monotonicMs,
  });

  test('holds a bounded number of addresses, and forgets first who failed longest ago', () => {
    const [first, second] = [addressOf(0), addressOf(1)];
    for (let number = 0; number < 60; number++) {
      limit.count(first);
      limit.count(second);
    }
    for (let number = 2; number < 100_001; number++) limit.count(addressOf(number));
    assert.equal(limit.size, 100_000);
    assert.deepEqual([limit.waitSeconds(first), limit.waitSeconds(second)], [0, 1]);
  });

  test('forgets those whose failures are made up for', () => {
    clock.pass(61);
    for (let number = 0; number < 50_001; number++) limit.count(addressOf(number % 7));
    assert.equal(limit.size, 7);
  });
});
