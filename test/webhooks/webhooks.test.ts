import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresSkip } from '@countersign/testing/postgres-server';
import { runHard } from './hard-run.ts';
import { runKills } from './kill-run.ts';

const times = { attemptMsMax: 700, leaseMs: 2000, slowMs: 300, retryScale: 1 / 50_000 };

describe('webhooks with hostile receivers and killed nodes', { skip: postgresSkip }, () => {
  test('each event is delivered or in the log as given up, in order, and nothing else is connected to', async (context) => {
    const report = await runHard({
      events: 150,
      seconds: 60,
      settleSeconds: 60,
      killEveryMs: 3000,
      quietMs: 300,
      times,
    });
    assert.deepEqual(report.violations, []);
    assert.equal(report.events, 150);
    assert.deepEqual([report.isProvokedCounted, report.forbiddenConnections], [true, 0]);
    assert.ok(report.trustedConnections > 0, 'the webhook to the internal server was delivered');
    assert.ok(report.kills > 0 && report.acknowledged > 0 && report.failed > 0, JSON.stringify(report));
    assert.ok(report.memory.most < 500 * 2 ** 20, `${report.memory.most} bytes`);
    context.diagnostic(JSON.stringify(report));
  });

  test('a node that is killed at any step loses no event, and gives none a second ID', async (context) => {
    const report = await runKills({ kills: 3, seconds: 120, settleSeconds: 60, times });
    assert.deepEqual(report.violations, []);
    const done = Object.values(report.kills).filter((count) => count === 1).length;
    assert.deepEqual([done, report.late], [3, 0]);
    assert.ok(report.acknowledged >= 3 && report.delivered > 0, JSON.stringify(report));
    context.diagnostic(JSON.stringify(report));
  });
});
