import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { kinds } from './mix.ts';
import { runSoak } from './soak.ts';

const skip = existsSync('/proc/self/fd') ? false : 'needs /proc, to count the descriptors of a process';

describe('a mix of everything', { skip }, () => {
  test('gets the right answers, and leaves no descriptor open', async (context) => {
    const report = await runSoak({ seconds: 8, share: 0.7 });
    assert.deepEqual(report.unexpected, []);
    for (const { name } of kinds)
      assert.ok(report.counts[name]! > 0, `nothing of this kind was sent: ${name}`);
    const { before, after } = report.descriptorsAtRest;
    assert.ok(after <= before, `${before} descriptors before, ${after} after`);
    context.diagnostic(`${report.perSecond.toFixed(0)} requests a second, ${JSON.stringify(report.counts)}`);
  });
});
