import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { relativeTime } from '../src/components/time-words.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('times as people say them', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, 'now'],
    [-9 * second, 'now'],
    [9 * second, 'now'],
    [-10 * second, '10 seconds ago'],
    [-59.9 * second, '59 seconds ago'],
    [-minute, '1 minute ago'],
    [-59.9 * minute, '59 minutes ago'],
    [-hour, '1 hour ago'],
    [-35 * hour, '35 hours ago'],
    [-36 * hour, '1 day ago'],
    [2 * day, 'in 2 days'],
    [-59 * day, '59 days ago'],
    [-90 * day, '2 months ago'],
    [-600 * day, '1 year ago'],
    [-4000 * day, '10 years ago'],
  ];
  for (const [difference, words] of cases) {
    it(`says "${words}" for ${difference / second} s`, () => {
      assert.equal(relativeTime(nowMs + difference, nowMs, 'now'), words);
    });
  }

  it('never promises more time than there is', () => {
    assert.equal(relativeTime(nowMs + 2 * day - 1, nowMs, 'now'), 'in 1 day');
  });
});
