import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { adapterNames, sendThroughAdapters } from './live.ts';
import { readMistakes } from './mistakes.ts';

/** Few: `npm run test:clients` sends ten thousand through each adapter. */
const requestsPerAdapter = 60;

describe('the adapters of the client, in parallel threads', () => {
  it('send random requests, all of which the running service accepts', async (context) => {
    const seed = randomInt(2 ** 31);
    const results = await sendThroughAdapters(adapterNames, { count: requestsPerAdapter, seed });
    for (const { adapter, accepted, threads, failures } of results) {
      context.diagnostic(`${adapter}: ${accepted} accepted from ${threads} threads`);
      assert.deepEqual(failures, [], `${adapter}, seed ${seed}`);
    }
    assert.equal(results.length, adapterNames.length);
  });

  it('have tests of their own for more than twenty mistakes, each of which can be planted', () => {
    assert.ok(readMistakes().length >= 20);
  });
});
