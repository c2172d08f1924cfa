import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { createAsyncBaseSigner, createAsyncSigner } from '../src/node.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('signing in the thread pool', () => {
  it('ends for at most eight of 64 requests in one turn of the event loop, however long a turn takes', async () => {
    const signer = createAsyncSigner({ keyid: 'shop', privateKey });
    const urls = Array.from({ length: 64 }, (_, index) => `https://api.example.com/?n=${index}`);
    let ended = 0;
    const all = Promise.all(
      urls.map(async (url) => {
        const signed = await signer.sign({ method: 'GET', url });
        ended += 1;
        return signed.url;
      }),
    );
    const perTurn: number[] = [];
    while (ended < urls.length) {
      const before = ended;
      // Time enough for the pool to sign whatever it was given.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
      await nextTurn();
      perTurn.push(ended - before);
    }
    assert.deepEqual(await all, urls);
    assert.ok(Math.max(...perTurn) <= 8, perTurn.join(' '));
  });

  it('takes the next one when one fails', async () => {
    const sign = createAsyncBaseSigner(privateKey);
    const base = Buffer.from('a signature base');
    // More than run at once, of a kind that the operation rejects.
    const wrong = Array.from({ length: 20 }, () => sign(1 as unknown as Uint8Array));
    const outcomes = await Promise.allSettled([...wrong, sign(base)]);
    assert.deepEqual(new Set(outcomes.slice(0, -1).map(({ status }) => status)), new Set(['rejected']));
    const last = outcomes.at(-1)!;
    assert.ok(last.status === 'fulfilled' && verify('sha256', base, publicKey, last.value));
  });
});
