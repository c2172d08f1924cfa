import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Batches, BatchWaitError } from '../../src/replay/guard-batches.ts';

const limits = { itemsMax: 10, batchesMax: 2, waitMsMax: 1000 };

describe('batches', () => {
  test('a batch that fails takes nothing with it but its own items', async () => {
    const batches = new Batches<string, string>(
      async (items) => {
        await sleep(5);
        if (items.includes('bad')) throw new Error('it failed');
        return items.map((item) => item.toUpperCase());
      },
      { ...limits, itemsMax: 2, batchesMax: 1 },
    );
    const results = await Promise.allSettled(['a', 'bad', 'b', 'c', 'd'].map((item) => batches.add(item)));
    const outcomes = results.map((result) =>
      result.status === 'fulfilled' ? result.value : String(result.reason),
    );
    assert.deepEqual(outcomes, ['A', 'Error: it failed', 'Error: it failed', 'C', 'D']);
  });

  test('what would come too late is refused and not sent', async () => {
    const sent: string[] = [];
    const batches = new Batches<string, string>(
      async (items) => {
        sent.push(...items);
        await sleep(60);
        return items;
      },
      { itemsMax: 10, batchesMax: 1, waitMsMax: 30 },
    );
    const first = batches.add('first');
    await assert.rejects(batches.add('late'), BatchWaitError);
    assert.equal(await first, 'first');
    assert.equal(await batches.add('next'), 'next');
    assert.deepEqual(sent, ['first', 'next']);
  });

  test('the first goes at once, and what comes meanwhile goes together', async () => {
    const sizes: number[] = [];
    let running = 0;
    const batches = new Batches<number, number>(async (items) => {
      sizes.push(items.length);
      running += 1;
      assert.ok(running <= 2);
      await sleep(5);
      running -= 1;
      return items.map((item) => -item);
    }, limits);
    const numbers = Array.from({ length: 35 }, (_, index) => index + 1);
    assert.deepEqual(
      await Promise.all(numbers.map((number) => batches.add(number))),
      numbers.map((number) => -number),
    );
    assert.deepEqual(sizes, [1, 1, 10, 10, 10, 3]);
  });
});
