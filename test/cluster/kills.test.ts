import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { runKills } from './kills.ts';

describe(
  'kill -9 of nodes and of their database while the registry is written',
  { skip: postgresSkip },
  () => {
    test('nothing acknowledged is lost, and each change has its audit event', async (context) => {
      const report = await runKills({ rounds: 3 });
      assert.deepEqual(report.violations, []);
      // A run that wrote nothing, or was never interrupted, would prove nothing.
      assert.ok(report.acknowledged > 20, `${report.acknowledged} changes`);
      assert.ok(report.inDoubt + report.refused > 0, 'no request was interrupted');
      assert.ok(report.events >= report.acknowledged, `${report.events} events`);
      assert.deepEqual([report.nodes, report.databases], [2, 2]);
      context.diagnostic(`${report.acknowledged} changes, ${report.inDoubt} of them in doubt for a while`);
    });
  },
);
