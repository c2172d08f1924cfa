import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runStrangers } from './strangers.ts';

test('among idle connections and forged requests no honest request is refused, and no limit is passed', async () => {
  const { alone, arriving, among, strangers, after } = await runStrangers({
    idleCount: 1500,
    reopenedPerSecond: 500,
    forgedPerSecond: 200,
    seconds: 2,
    honestPerSecond: 50,
    processes: 2,
    settings: { COUNTERSIGN_CONNECTIONS_MAX: '600' },
  });
  assert.deepEqual([alone.failures, arriving.failures, among.failures], [{}, {}, {}]);
  assert.ok(arriving.sentCount > 0);
  assert.ok(among.sentCount > 0);
  assert.ok(strangers.sentCount > 0);
  assert.deepEqual(Object.keys(strangers.answeredByStatus), ['401']);
  assert.ok(after.connections <= 600, `${after.connections} connections`);
});
