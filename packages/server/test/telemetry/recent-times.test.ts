import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentTimes } from '../../src/telemetry/recent-times.ts';

/* What the last minutes' times come to. */

test('nothing measured is nothing, not zero', () => {
  const figures = new RecentTimes(() => 0).figures();
  assert.deepEqual(figures, { count: 0, failedCount: 0, p50Ms: undefined, p99Ms: undefined });
});

test('the slowest of a hundred is seen, and failures are counted', () => {
  const times = new RecentTimes(() => 0);
  for (let index = 1; index <= 100; index += 1) times.note(index, index % 10 === 0);
  assert.deepEqual(times.figures(), { count: 100, failedCount: 10, p50Ms: 50, p99Ms: 99 });
});

test('what is older than five minutes is forgotten, also when nothing came since', () => {
  let nowMs = 0;
  const times = new RecentTimes(() => nowMs);
  times.note(900, true);
  nowMs = 4 * 60_000;
  times.note(1);
  assert.equal(times.figures().p99Ms, 900);
  nowMs = 5 * 60_000;
  assert.deepEqual(times.figures(), { count: 1, failedCount: 0, p50Ms: 1, p99Ms: 1 });
  nowMs = 60 * 60_000;
  assert.equal(times.figures().count, 0);
});

test('a busy minute counts for more than a quiet one, however few of its times are kept', () => {
  let nowMs = 0;
  const times = new RecentTimes(() => nowMs);
  for (let index = 0; index < 50_000; index += 1) times.note(2);
  nowMs = 60_000;
  for (let index = 0; index < 100; index += 1) times.note(500);
  const { count, p50Ms, p99Ms } = times.figures();
  assert.deepEqual([count, p50Ms, p99Ms], [50_100, 2, 2]);
});
