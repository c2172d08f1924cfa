import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { waitForSecond } from '@countersign/signature/free-second';
import got from 'got';
import { request as undiciRequest } from 'undici';
import { signingGot } from '../src/got.ts';
import { signingRequest } from '../src/http.ts';
import { createRequestSigner, type RequestSigner, SigningError } from '../src/node.ts';
import { signingInterceptor } from '../src/undici.ts';
import { adapters, signerFor, signerOnNode, signerWithClock, signerWithOwnMemory } from './adapters.ts';
import { clientId, privateKeyPem } from './keys.ts';
import { headerOf, type Lab, openLab, type Received } from './lab.ts';

/* Equal requests: reads may share a second, everything else has one of its own. */

const api = 'https://api.example.test';

const createdOf = (one: Received): number =>
  Number(/;created=(\d+)/.exec(headerOf(one, 'signature-input') ?? '')?.[1]);

/** A clock that stands 10 ms before the end of a second, until it is moved. */
function standingClock(): { readonly now: () => number; ms: number } {
  const clock = { ms: Math.floor(Date.now() / 1000) * 1000 + 990, now: () => clock.ms };
  return clock;
}

/**
 * Asserts that reads share seconds, from one on. Each lasts for a second of the machine's own clock, so on a busy machine
 * they are more than one.
 */
function assertSecondsShared(reads: readonly Received[], firstMs: number): void {
  const used = new Set(reads.map(createdOf));
  assert.ok(used.has(Math.floor(firstMs / 1000)) && used.size <= reads.length / 5, [...used].join());
}

describe('equal requests', () => {
  let lab: Lab;
  /** The guard's clock follows the one of the test. */
  let guardMs = (): number => performance.now();
  // Each test has a guard of its own: clocks that go back to the start of the next test would meet seconds already forgotten.
  beforeEach(async () => {
    guardMs = () => performance.now();
    lab = await openLab({ monotonicMs: () => guardMs() });
  });
  afterEach(() => lab.close());
  const verdicts = (): Set<string> => new Set(lab.received.map(({ verdict }) => verdict));

  for (const adapter of adapters)
    it(`50 reads at once are accepted, and share each second that they are signed in: ${adapter.name}`, async () => {
      const { now } = standingClock();
      // Stands too: on a busy machine, the reads take longer than they may share a second.
      guardMs = () => 0;
      const send = adapter.open(signerFor(adapter, { now }), lab);
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const url = `${api}/equal/${adapter.name.replaceAll(' ', '-')}`;
        const answers = await Promise.all(Array.from({ length: 50 }, () => send({ method, url })));
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      }
      assert.equal(lab.received.length, 150);
      assertSecondsShared(lab.received, now());
    });

  it('reading twice a second for five minutes is accepted, none signed ahead of the clock', async () => {
    const clock = standingClock();
    const start = clock.ms;
    lab.nowMs = clock.now;
    guardMs = () => clock.ms - start;
    const send = adapters[0]!.open(signerWithClock(clock.now), lab);
    for (let polls = 0; polls < 600; polls++, clock.ms += 500) {
      await send({ url: `${api}/polled` });
      assert.equal(createdOf(lab.received.at(-1)!), Math.floor(clock.ms / 1000));
    }
    assert.deepEqual(verdicts(), new Set(['accepted']));
  });

  it('reading twice a second continues after a read that arrived late was rejected as a replay', async () => {
    const clock = standingClock();
    const start = clock.ms;
    let delayMs = 0;
    lab.nowMs = () => {
      clock.ms += delayMs;
      delayMs = 0;
      return clock.ms;
    };
    guardMs = () => clock.ms - start;
    const send = adapters[0]!.open(signerWithClock(clock.now), lab);
    for (let polls = 0; polls < 600; polls++, clock.ms += 500) {
      if (polls === 22) delayMs = 2500;
      assert.equal((await send({ url: `${api}/late` })).status, 200);
      assert.ok(createdOf(lab.received.at(-1)!) <= clock.ms / 1000 + 10);
    }
    assert.deepEqual(
      lab.received.filter(({ verdict }) => verdict !== 'accepted').map(({ verdict }) => verdict),
      ['signature_replayed'],
    );
  });

  it('payments have a second each, and wait when there is none', async () => {
    const clock = standingClock();
    const start = clock.ms;
    lab.nowMs = clock.now;
    guardMs = () => clock.ms - start;
    // Time passes by looking at the clock, a second for each five looks, so that it does not depend on the machine how many
    // seconds the payments find, and how old they are when they arrive.
    let looks = 0;
    const now = (): number => {
      looks++;
      clock.ms = start + Math.floor(looks / 5) * 1000 + (looks % 5);
      return clock.ms;
    };
    const send = adapters[0]!.open(signerOnNode({ now }), lab);
    const post = { method: 'POST', url: `${api}/waiting`, body: 'equal' };
    await Promise.all(Array.from({ length: 60 }, () => send(post)));
    assert.ok(looks > 120, 'some look again after waiting');
    assert.deepEqual(verdicts(), new Set(['accepted']));
    assert.equal(new Set(lab.received.map(createdOf)).size, 60);
  });

  describe('that wait for a second', () => {
    const post = { method: 'POST', url: `${api}/limited`, body: 'equal' };
    const exhausted = async (now: () => number): Promise<RequestSigner> => {
      const signer = signerOnNode({ now });
      await Promise.all(
        Array.from({ length: 40 }, () => signer.sign(post, { waitMsMax: 0 }).catch(() => undefined)),
      );
      return signer;
    };

    it('fail with the rate that can be kept up when the limit is over', async () => {
      const signer = await exhausted(standingClock().now);
      await assert.rejects(signer.sign(post, { waitMsMax: 0 }), {
        code: 'too_many_equal_requests',
        message: /at most one a second can be kept up/,
      });
    });

    it('fail at once when the clock has no number', async () => {
      const sign = (): Promise<never> =>
        Promise.reject(new SigningError('too_many_equal_requests', 'No second is free.'));
      const pause = (): Promise<never> => Promise.reject(new Error('It waits.'));
      const signed = waitForSecond(sign, { nowMs: () => Number.NaN, pause });
      await assert.rejects(signed, { code: 'too_many_equal_requests' });
    });

    const limited: readonly (readonly [
      name: string,
      send: (signer: RequestSigner) => Promise<unknown>,
      error: object,
    ])[] = [
      [
        'the signal of undici',
        (signer) => {
          const dispatcher = lab.dispatcher.compose(signingInterceptor(signer, api));
          const signal = AbortSignal.timeout(1);
          return undiciRequest(post.url, { method: post.method, body: post.body, dispatcher, signal });
        },
        { name: 'TimeoutError' },
      ],
      [
        'timeout.request of got',
        (signer) =>
          got
            .extend({ agent: { https: lab.httpsAgent as never }, retry: { limit: 0 } }, signingGot(signer))
            .post(post.url, {
              body: post.body,
              timeout: { request: 900 },
            }),
        { code: 'too_many_equal_requests' },
      ],
      [
        'the timeout of node:http',
        (signer) =>
          signingRequest(signer)(post.url, {
            method: post.method,
            body: post.body,
            timeout: 900,
            agent: lab.httpsAgent,
          }),
        { code: 'too_many_equal_requests' },
      ],
    ];
    for (const [name, send, error] of limited)
      it(`end with ${name}`, async () => {
        const clock = standingClock();
        clock.ms -= 980;
        const signer = await exhausted(clock.now);
        // A caller that waits longer finds that a second has passed.
        const ticking = setTimeout(() => (clock.ms += 1000), 1);
        try {
          await assert.rejects(send(signer), error);
        } finally {
          clearTimeout(ticking);
        }
        assert.deepEqual(lab.received, []);
      });

    it('stop when their signal says so', async () => {
      const clock = standingClock();
      clock.ms -= 980;
      const signer = await exhausted(clock.now);
      const gone = new AbortController();
      const signed = signer.sign(post, { signal: gone.signal });
      gone.abort(new Error('the caller left'));
      await assert.rejects(signed, /the caller left/);
      await assert.rejects(signer.sign(post, { signal: gone.signal }), /the caller left/);
    });
  });
});

describe('a strict service', () => {
  let lab: Lab;
  before(async () => {
    lab = await openLab({ repeat: 'strict' });
  });
  after(() => lab.close());

  for (const adapter of adapters)
    it(`gets a new second for each equal read, once it has refused one: ${adapter.name}`, async () => {
      lab.received.length = 0;
      const { now } = standingClock();
      const send = adapter.open(signerFor(adapter, { now }), lab);
      const url = `${api}/strict/${adapter.name.replaceAll(' ', '-')}`;
      for (let reads = 0; reads < 4; reads++) assert.equal((await send({ url })).status, 200);
      const verdicts = ['accepted', 'signature_replayed', 'accepted', 'accepted', 'accepted'];
      assert.deepEqual(
        lab.received.map(({ verdict }) => verdict),
        verdicts,
      );
      // The rejection of a HEAD has no body that says why.
      lab.received.length = 0;
      const heads = adapter.open(signerFor(adapter, { now }), lab);
      for (let reads = 0; reads < 4; reads++)
        assert.equal((await heads({ method: 'HEAD', url })).status, 200);
      assert.deepEqual(
        lab.received.map(({ verdict }) => verdict),
        verdicts,
      );
    });

  it('gets no second signature for a payment that it refused as a replay', async () => {
    lab.received.length = 0;
    const { now } = standingClock();
    // Another program with the same key, without a shared memory.
    const post = { method: 'POST', url: `${api}/strict/paid`, body: 'equal' };
    for (const attempt of [1, 2]) {
      const send = adapters[0]!.open(signerWithOwnMemory(clientId, privateKeyPem, now()), lab);
      if (attempt === 1) await send(post);
      else await assert.rejects(send(post), { code: 'signature_replayed' });
    }
    assert.equal(lab.received.length, 2);
  });
});

describe("an API's own 401 to a HEAD", () => {
  it('makes no strict service of it', async () => {
    const lab = await openLab({ monotonicMs: () => 0 });
    try {
      lab.respond = ({ method }) =>
        method === 'HEAD'
          ? { status: 401, headers: { 'Content-Type': 'application/problem+json' } }
          : undefined;
      for (const adapter of adapters) {
        lab.received.length = 0;
        const { now } = standingClock();
        const send = adapter.open(signerFor(adapter, { now }), lab);
        const url = `${api}/own-401/${adapter.name.replaceAll(' ', '-')}`;
        await send({ method: 'HEAD', url }).catch(() => undefined);
        assert.equal(lab.received.length, 2, adapter.name);
        await Promise.all(Array.from({ length: 50 }, () => send({ url })));
        assertSecondsShared(lab.received.slice(2), now());
      }
    } finally {
      await lab.close();
    }
  });
});

describe('plain sign()', () => {
  it('signs the URL that every client sends', async () => {
    const signer = createRequestSigner({ clientId, privateKey: privateKeyPem });
    for (const url of ['HTTPS://API.Example.test:443/a b#c', new URL('https://api.example.test/a%20b?')]) {
      const signed = await signer.sign({ method: 'GET', url, body: null });
      assert.equal(signed.url, `${api}/a%20b`);
      assert.equal(signed.body, undefined);
      assert.match(signed.signatureBase, /^"@target-uri": https:\/\/api\.example\.test\/a%20b$/m);
    }
  });
});
