import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runChanges } from './changes.ts';
import { guardKinds, whyMissing } from './cluster.ts';

for (const guard of guardKinds) {
  describe(`three nodes in use, with their guard in ${guard}`, { skip: whyMissing(guard) }, () => {
    test('what a client loses counts at once on the node of the change, and within a second on all', async (context) => {
      const result = await runChanges(guard, { trials: 15, atOnce: 4 });
      assert.deepEqual(result.unexpected, []);
      assert.equal(result.lateHere, 0);
      assert.equal(result.lateElsewhere, 0);
      assert.equal(result.trials, 15);
      const slowestMs = Math.max(...result.figures.map((figure) => figure.slowestMs));
      context.diagnostic(
        `the last acceptance on another node was ${slowestMs.toFixed(0)} ms after the change`,
      );
    });
  });
}
