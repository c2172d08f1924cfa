import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redisIsMissing } from '../../packages/server/test/replay/redis.ts';
import { outageKinds } from './redis-outage-kinds.ts';
import { runOutageRound } from './redis-outages.ts';

describe('three nodes in use, with their guard in Redis', { skip: redisIsMissing }, () => {
  for (const kind of outageKinds.filter(({ name }) => /lost|lagging/.test(name))) {
    test(`${kind.name}: no replay passes, all is refused with Retry-After, and they recover`, async (context) => {
      const round = await runOutageRound(kind);
      assert.equal(round.replaysPassed, 0);
      assert.deepEqual(round.unexpected, []);
      assert.ok(round.accepted > 100 && round.replaysTried > 100 && round.refusedForgotten > 0);
      context.diagnostic(`recovered after ${round.recoveryMs.toFixed(0)} ms`);
    });
  }
});
