import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { runChanges } from './changes.ts';
import { type Cluster, guardKinds, startCluster, whyMissing } from './cluster.ts';
import { runEqualRequests } from './equal-requests.ts';
import { outageKinds } from './outage-kinds.ts';
import { outageViolations } from './outage-report.ts';
import { Outages } from './outages.ts';

/* The short forms of the campaigns; npm run test:cluster and test:outages are the long ones. */

for (const guard of guardKinds) {
  describe(`three nodes with their guard in ${guard}`, { skip: whyMissing(guard) }, () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await startCluster(guard);
    });
    after(() => cluster.close());

    test('accept one of 50 equal requests, and every request that is new', async (context) => {
      const result = await runEqualRequests(cluster, { rounds: 5, copies: 50, distinct: 200 });
      assert.deepEqual(result.badRounds, []);
      assert.equal(result.goodRounds, 5);
      assert.deepEqual(result.distinctRefused, {});
      assert.equal(result.distinctAccepted, 200);
      context.diagnostic(
        `${result.equalPerSecond.toFixed(0)} equal and ${result.distinctPerSecond.toFixed(0)} new requests a second`,
      );
    });

    test('what a client loses counts at once on the node of the change, and within a second on all', async (context) => {
      const result = await runChanges(cluster, { trials: 11, atOnce: 4 });
      assert.deepEqual(result.unexpected, []);
      assert.equal(result.lateHere, 0);
      assert.equal(result.lateElsewhere, 0);
      assert.equal(result.trials, 11);
      const slowestMs = Math.max(...result.figures.map((figure) => figure.slowestMs));
      context.diagnostic(
        `the last acceptance on another node was ${slowestMs.toFixed(0)} ms after the change`,
      );
    });

    const kinds = outageKinds[guard].filter(({ name }) =>
      /^(?:killed|killed, file lost|lagging.*)$/.test(name),
    );
    for (const kind of kinds) {
      test(`${kind.name}: no replay passes, all is refused with Retry-After and not done, and they recover`, async (context) => {
        const round = await (await Outages.prepare(cluster)).run(kind);
        // Times belong to the long form: other tests may be using the machine here.
        const violations = outageViolations(kind, { ...round, slowestRefusalMs: 0, recoveryMs: 0 });
        assert.deepEqual(violations, []);
        context.diagnostic(`recovered after ${round.recoveryMs.toFixed(0)} ms`);
      });
    }
  });
}
