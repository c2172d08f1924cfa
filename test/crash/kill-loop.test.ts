import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runKillLoop } from './kill-loop.ts';

describe('kill -9 in the middle of the work', () => {
  test('five rounds: nothing acknowledged is lost, nothing accepted is accepted again', async (context) => {
    const report = await runKillLoop({ rounds: 5, writeMsMax: 240 });
    assert.deepEqual(report.violations, []);
    // A run that wrote nothing, or replayed nothing, would prove nothing.
    assert.ok(report.payments > 20, `${report.payments} payments`);
    assert.ok(report.clients > 5, `${report.clients} clients`);
    assert.ok(
      (report.replays['signature_replayed'] ?? 0) > 0,
      'no signature was remembered over a clean stop',
    );
    assert.ok((report.replays['recently_restarted'] ?? 0) > 0, 'no signature was refused after a crash');
    assert.equal(report.replays['ACCEPTED'], undefined);
    context.diagnostic(
      `${report.payments} payments, ${report.clients} clients, replays ${JSON.stringify(report.replays)}`,
    );
  });
});
