import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopAtMoments } from './stops.ts';

/* `npm run test:stops` does the same at 200 moments. */

test('SIGTERM at any moment of a start ends it cleanly', async () => {
  const { failures } = await stopAtMoments({ moments: 6, lanes: 1 });
  assert.deepEqual(failures, []);
});
