import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClockText } from '../../src/telemetry/clock-text.ts';

describe('the time of a line in the log', () => {
  it('is what Date says, whichever way the clock goes', () => {
    const clockText = createClockText();
    const start = Date.UTC(2028, 1, 28, 23, 59, 58, 997);
    const steps = [0, 1, 2, 3, 2, 1003, 2003, -1, -997, -998, 86_400_000, 7, 8, 0];
    for (const moment of [0, 999, 1000, ...steps.map((ms) => start + ms)])
      assert.equal(clockText(moment), new Date(moment).toISOString());
  });
});
