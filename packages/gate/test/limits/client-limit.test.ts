import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { SignedRequest, Signer } from '@countersign/signature/node';
import { openConnection } from '@countersign/testing/raw-connection';
import {
  type Answer,
  baseUrl,
  type ClientOptions,
  publishedKeyPair,
  type RunningService,
  runService,
} from '@countersign/testing/running-service';
import { TestClock } from '@countersign/testing/test-clock';

/** Ten a second, five at once. */
const limited = {
  COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '600',
  COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '5',
};
const clock = new TestClock(1_790_000_000);
const url = '/v1/whoami';

let running: RunningService | undefined;

afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(environment: Record<string, string> = limited): Promise<RunningService> {
  running = await runService(environment, { nowMs: clock.nowMs, monotonicMs: clock.monotonicMs });
  return running;
}

async function startWithClient(
  options: ClientOptions = {},
): Promise<{ service: RunningService; signer: Signer }> {
  const service = await start();
  return { service, signer: (await service.addClient(options)).signer };
}

/** Signs and sends, and never equal requests. */
function call(service: RunningService, signer: Signer, path = url): Promise<Answer> {
  return send(service, signer.sign({ method: 'GET', url: baseUrl + path }), path);
}

function send(service: RunningService, signed: SignedRequest, path = url, body?: string): Promise<Answer> {
  return service.send({ method: signed.method, url: path, headers: { ...signed.headers }, body });
}

function fieldsOf({ headers }: Answer): unknown[] {
  return [headers['ratelimit-policy'], headers['ratelimit'], headers['retry-after']];
}

describe('the rate limit of a client', () => {
  test('the request after the burst: 429 with the limit and the time to wait', async () => {
    const { service, signer } = await startWithClient();
    for (let number = 0; number < 5; number++) await call(service, signer);
    const answer = await call(service, signer);
    assert.equal(answer.status, 429);
    assert.equal(answer.json()['code'], 'rate_limited');
    assert.deepEqual(fieldsOf(answer), ['"client";q=600;w=60, "burst";q=5;w=1', '"burst";r=0;t=1', '1']);
  });

  test('it is refused before its body is read', async () => {
    const { service, signer } = await startWithClient();
    for (let number = 0; number < 5; number++) await call(service, signer);
    const connection = await openConnection(service.port);
    const signed = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments`, body: 'never sent' });
    const lines = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    connection.write(
      `POST /v1/payments HTTP/1.1\r\nHost: api.example.test\r\nContent-Length: 10\r\n${lines.join('')}\r\n`,
    );
    assert.equal((await connection.answer()).status, 429);
    connection.cut();
  });

  test('what is refused is not used: the same request passes when the time is over', async () => {
    const { service, signer } = await startWithClient();
    for (let number = 0; number < 5; number++) await call(service, signer);
    const signed = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments/none/cancel` });
    assert.equal((await send(service, signed, '/v1/payments/none/cancel')).status, 429);
    clock.pass(1);
    assert.equal((await send(service, signed, '/v1/payments/none/cancel')).status, 404);
  });

  test('another client is not limited by it', async () => {
    const { service, signer } = await startWithClient();
    const other = await service.addClient({ keyPair: publishedKeyPair('rsa-2048-a') });
    for (let number = 0; number < 6; number++) await call(service, signer);
    assert.equal((await call(service, other.signer)).status, 200);
  });

  test('a stranger takes nothing: not by repeating a request, not by a false body, not by the keyid', async () => {
    const { service, signer } = await startWithClient();
    const once = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments/none/cancel` });
    assert.equal((await send(service, once, '/v1/payments/none/cancel')).status, 404);
    const unsent = signer.sign({ method: 'POST', url: `${baseUrl}/v1/payments`, body: 'true' });
    const forged = signer.sign({ method: 'GET', url: `${baseUrl}${url}?x` });
    for (let number = 0; number < 20; number++) {
      assert.equal(
        (await send(service, once, '/v1/payments/none/cancel')).json()['code'],
        'signature_replayed',
      );
      assert.equal((await send(service, unsent, '/v1/payments', 'fals')).json()['code'], 'digest_mismatch');
      assert.equal((await send(service, forged)).json()['code'], 'signature_invalid');
    }
    assert.equal((await call(service, signer)).headers['ratelimit'], '"burst";r=3;t=1');
  });

  test('every answer to a proved caller tells the limit, and no answer to a stranger', async () => {
    const { service, signer } = await startWithClient({ roles: ['payments-reader'] });
    const left = async (answer: Promise<Answer>): Promise<unknown> => (await answer).headers['ratelimit'];
    assert.equal(await left(call(service, signer)), '"burst";r=4;t=1');
    assert.equal(await left(call(service, signer, '/v1/nothing')), '"burst";r=3;t=1');
    assert.equal(await left(call(service, signer, '/v1/payments?limit=0')), '"burst";r=2;t=1');
    assert.equal(await left(service.send({ method: 'GET', url })), undefined);
  });

  test('in the long run as many pass as the limit says', async () => {
    const { service, signer } = await startWithClient();
    let passed = 0;
    for (let second = 0; second < 10; second++) {
      for (let number = 0; number < 15; number++) {
        if ((await call(service, signer, `/v1/payments/${second}-${number}`)).status !== 429) passed++;
      }
      clock.pass(1);
    }
    // A bucket holds five at most, and each second begins with a full one.
    assert.equal(passed, 50);
  });

  test('with 0 there is none, and nothing is said', async () => {
    const service = await start({ COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0' });
    const { signer } = await service.addClient();
    for (let number = 0; number < 200; number++) {
      const answer = await call(service, signer, `/v1/payments/${number}`);
      assert.deepEqual([answer.status, ...fieldsOf(answer)], [404, undefined, undefined, undefined]);
    }
  });

  test('by default there is one that leaves room for much work', async () => {
    const service = await start({});
    const { signer } = await service.addClient();
    const answer = await call(service, signer);
    assert.deepEqual(fieldsOf(answer), [
      '"client";q=6000;w=60, "burst";q=1000;w=10',
      '"burst";r=999;t=1',
      undefined,
    ]);
  });
});

describe('what the answers tell, followed to the letter', () => {
  /** A caller of a service with a limit, who reads every answer. */
  async function openCaller(perMinute: number, burst: number) {
    const service = await start({
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: String(perMinute),
      COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: String(burst),
    });
    const { signer } = await service.addClient();
    let number = 0;
    return async () => {
      const answer = await call(service, signer, `/v1/payments/${++number}`);
      const policies = Array.from(
        String(answer.headers['ratelimit-policy']).matchAll(/"(\w+)";q=(\d+);w=(\d+)/g),
        ([, name, q, w]) => ({ name, q: Number(q), w: Number(w) }),
      );
      const [, r, t] = /^"burst";r=(\d+);t=(\d+)$/.exec(String(answer.headers['ratelimit']))!.map(Number);
      const retryAfter = answer.headers['retry-after'];
      return { status: answer.status, policies, r: r!, t: t!, retryAfter: retryAfter && Number(retryAfter) };
    };
  }

  const limits = [
    [600, 5],
    [60, 10],
    [7, 3],
    [90, 20],
    [1, 1],
  ] as const;
  for (const [perMinute, burst] of limits) {
    const what = `${perMinute} a minute, ${burst} at once`;

    test(`${what}: who makes what RateLimit leaves, and waits when it leaves nothing, is never refused`, async () => {
      const ask = await openCaller(perMinute, burst);
      let { r, t } = await ask();
      for (let round = 0; round < 4; round++) {
        // All that is left at once, then in equal steps over the announced time.
        const stepSeconds = round % 2 === 0 ? 0 : t / Math.max(1, r);
        for (let left = r; left > 0; left--) {
          clock.pass(stepSeconds);
          const answer = await ask();
          assert.equal(answer.status, 404);
          assert.ok(stepSeconds > 0 || answer.r === left - 1);
          ({ r, t } = answer);
        }
        clock.pass(t);
        const answer = await ask();
        assert.equal(answer.status, 404);
        ({ r, t } = answer);
      }
    });

    test(`${what}: who keeps to each policy is never refused`, async () => {
      const ask = await openCaller(perMinute, burst);
      const sentAt: number[] = [];
      const { policies } = await ask();
      assert.deepEqual(
        policies.map(({ name, q }) => [name, q]),
        [
          ['client', perMinute],
          ['burst', burst],
        ],
      );
      sentAt.push(clock.nowMs());
      for (let sent = 1; sent < 60; sent++) {
        // The first moment at which no window of a policy has more than its quota.
        const freeAt = policies.map(({ q, w }) => (sentAt.at(-q) ?? -Infinity) + w * 1000);
        clock.pass(Math.max(0, ...freeAt.map((atMs) => (atMs - clock.nowMs()) / 1000)));
        const answer = await ask();
        assert.equal(answer.status, 404, `request ${sent}`);
        sentAt.push(clock.nowMs());
      }
    });

    test(`${what}: Retry-After is the time that RateLimit tells, neither more nor less`, async () => {
      const ask = await openCaller(perMinute, burst);
      let answer = await ask();
      while (answer.status !== 429) answer = await ask();
      for (let round = 0; round < 3; round++) {
        const { retryAfter, r, t } = answer;
        assert.deepEqual([r, t], [0, retryAfter]);
        clock.pass(Number(retryAfter) - 1);
        const early = await ask();
        if (Number(retryAfter) > 1) assert.equal(early.status, 429);
        clock.pass(1);
        assert.equal((await ask()).status, 404);
        answer = await ask();
        while (answer.status !== 429) answer = await ask();
      }
    });
  }
});
