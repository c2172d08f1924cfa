import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { guardKinds, whyMissing } from './cluster.ts';
import { runEqualRequests } from './equal-requests.ts';

for (const guard of guardKinds) {
  describe(`three nodes with their guard in ${guard}`, { skip: whyMissing(guard) }, () => {
    test('accept one of 50 equal requests, and every request that is new', async (context) => {
      const result = await runEqualRequests(guard, { rounds: 20, copies: 50, distinct: 500 });
      assert.deepEqual(result.badRounds, []);
      assert.equal(result.goodRounds, 20);
      assert.deepEqual(result.distinctRefused, {});
      assert.equal(result.distinctAccepted, 500);
      context.diagnostic(
        `${result.equalPerSecond.toFixed(0)} equal and ${result.distinctPerSecond.toFixed(0)} new requests a second`,
      );
    });
  });
}
