import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  absoluteTime,
  clockTime,
  dayInYear,
  dayOf,
  exactTime,
  localTimeText,
  readLocalTime,
  relativeTime,
  shortTime,
  timeSpan,
} from '../src/components/time-words.ts';
import { chooseTimeForm, type TimeForm } from '../src/session/time-form.ts';

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

describe('times in the form that a person chose', () => {
  const at = '2026-11-29T23:05:07Z';
  const atMs = Date.parse(at);
  const written = (form: Partial<TimeForm>): readonly string[] => {
    chooseTimeForm({ zone: 'UTC', date: 'language', clock: 'language', ...form });
    return [dayOf(at), clockTime(at)];
  };

  const cases: readonly (readonly [Partial<TimeForm>, string, string])[] = [
    [{}, '29 Nov 2026', '23:05'],
    [{ zone: 'Asia/Kolkata' }, '30 Nov 2026', '04:35'],
    [{ zone: 'America/Los_Angeles', clock: '12' }, '29 Nov 2026', '3:05 pm'],
    [{ date: 'iso' }, '2026-11-29', '23:05'],
    [{ date: 'words' }, '29 Nov 2026', '23:05'],
    [{ date: 'slashes', clock: '24' }, '29/11/2026', '23:05'],
    [{ date: 'month-first', clock: '12' }, '11/29/2026', '11:05 pm'],
    [{ date: 'dots' }, '29.11.2026', '23:05'],
  ];
  for (const [form, writtenDay, clock] of cases) {
    it(`are written as ${JSON.stringify(form)}`, () => {
      assert.deepEqual(
        written(form).map((text) => text.replace(/\u202f/g, ' ').replace(/^0(?=\d:\d\d .m)/, '')),
        [writtenDay, clock],
      );
    });
  }

  it('name their zone unless it is that of the browser', () => {
    written({ zone: 'Asia/Kolkata', date: 'iso' });
    assert.equal(absoluteTime(at), '2026-11-30, 04:35:07 GMT+5:30');
    assert.equal(shortTime(at), '2026-11-30, 04:35 GMT+5:30');
    assert.equal(exactTime(at), '2026-11-30, 04:35:07 GMT+5:30');
    written({ zone: 'browser', date: 'iso' });
    assert.doesNotMatch(absoluteTime(at), /GMT|UTC|[A-Z]/);
  });

  it('are written without their year on an axis, and once where a stretch ends on the same day', () => {
    written({ date: 'month-first' });
    assert.equal(dayInYear(at), '11/29');
    assert.equal(timeSpan(atMs, atMs), '11/29, 23:05');
    assert.equal(timeSpan(atMs - 3_600_000, atMs), '11/29, 22:05 – 23:05');
    assert.equal(timeSpan(atMs, atMs + 3_600_000), '11/29, 23:05 – 11/30, 00:05');
    written({ date: 'iso' });
    assert.equal(dayInYear(at), '11-29');
  });

  it('are read from fields as they are written there, in every zone and on both sides of a change of clocks', () => {
    for (const zone of ['UTC', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Kiritimati', 'Europe/Berlin']) {
      written({ zone, date: 'dots', clock: '12' });
      for (let month = 0; month < 12; month++) {
        const timeMs = Date.UTC(2026, month, 29, 1, 30);
        assert.equal(
          readLocalTime(localTimeText(timeMs)),
          timeMs,
          `${zone} ${new Date(timeMs).toISOString()}`,
        );
      }
    }
    assert.ok(Number.isNaN(readLocalTime('')));
    assert.ok(Number.isNaN(readLocalTime('tomorrow')));
  });
});
