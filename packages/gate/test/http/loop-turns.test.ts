import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LongWork, nextLoopTurn } from '../../src/http/loop-turns.ts';

describe('the steps of long work', () => {
  test('run one in each turn of the event loop, whoever asks', async () => {
    const turns = countTurns();
    const ranIn: number[] = [];
    const work = async (kind: LongWork, steps: number): Promise<void> => {
      for (let step = 0; step < steps; step += 1) {
        await nextLoopTurn(kind);
        ranIn.push(turns.count);
      }
    };
    await Promise.all([work('bodies', 20), work('bodies', 20), work('keys', 20), work('transactions', 20)]);
    turns.stop();
    assert.equal(ranIn.length, 80);
    assert.equal(new Set(ranIn).size, 80, 'two steps ran in one turn');
  });

  test('of one kind do not wait for many of another kind, and continue in the order of asking', async () => {
    const order: string[] = [];
    const steps = Array.from({ length: 50 }, async (_, index) => {
      await nextLoopTurn('bodies');
      order.push(`body ${index}`);
    });
    await nextLoopTurn('keys');
    order.push('key');
    await Promise.all(steps);
    assert.ok(order.indexOf('key') <= 1, `the key came after ${order.indexOf('key')} bodies`);
    assert.deepEqual(
      order.filter((step) => step !== 'key'),
      Array.from({ length: 50 }, (_, index) => `body ${index}`),
    );
  });

  test('end without leaving anything that keeps the process alive', async () => {
    await nextLoopTurn('rows');
    // The test runner has immediates too, but not in every turn.
    for (let turn = 0; immediates() > 0; turn += 1) {
      assert.ok(turn < 1000, 'there is an immediate in every turn');
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});

function immediates(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Immediate').length;
}

/** Counts the turns of the event loop: an immediate runs once in each. */
function countTurns(): { readonly count: number; stop(): void } {
  const turns = { count: 0, stop: (): void => clearImmediate(immediate) };
  let immediate = setImmediate(function look() {
    turns.count += 1;
    immediate = setImmediate(look);
  });
  return turns;
}
