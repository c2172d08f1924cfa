import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { race } from './races.ts';

describe('threads that race for signatures', () => {
  for (const threads of [2, 8]) {
    test(`${threads} of them, some ended in the middle: none is accepted twice`, async (context) => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      const report = await race({ threads, operations: 100_000, seed, killEveryMs: 300 });
      context.diagnostic(`seed ${seed}: ${JSON.stringify(report)}`);
      assert.equal(report.doubles, 0, `seed ${seed}`);
    });
  }

  test('a guard that looks, and then inserts, is noticed', async () => {
    const report = await race({ threads: 4, operations: 10_000_000, seed: 1, isBroken: true });
    assert.ok(report.doubles > 0);
  });
});
