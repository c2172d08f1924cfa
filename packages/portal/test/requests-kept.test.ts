import assert from 'node:assert/strict';
import { it } from 'node:test';
import { requestsKept } from '#messages/requests.ts';

const cases: readonly (readonly [days: number, max: number, text: string])[] = [
  [30, 1_000_000, 'Requests are kept for 30 days, up to 1,000,000.'],
  [1, 0, 'Requests are kept for 1 day.'],
  [0, 5000, 'The newest 5,000 requests are kept.'],
  [0, 0, 'Requests are kept forever.'],
];

for (const [days, max, text] of cases) {
  it(`says of ${days} days and ${max} requests: ${text}`, () => {
    assert.equal(requestsKept({ days, max }), text);
  });
}
