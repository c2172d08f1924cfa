import assert from 'node:assert/strict';
import { it } from 'node:test';
import { periodsWithin } from '../src/lists/period.ts';

const cases: readonly (readonly [days: number, offered: readonly string[]])[] = [
  [0, ['1h', '24h', '7d', '30d', 'custom']],
  [365, ['1h', '24h', '7d', '30d', 'custom']],
  [8, ['1h', '24h', '7d', '30d', 'custom']],
  [7, ['1h', '24h', '7d', 'custom']],
  [2, ['1h', '24h', '7d', 'custom']],
  [1, ['1h', '24h', 'custom']],
];

for (const [days, offered] of cases) {
  it(`offers ${offered.join(', ')} if requests are kept for ${days} days`, () => {
    assert.deepEqual(periodsWithin(days), offered);
  });
}
