import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatHttpDate, readHttpDate } from '../src/node.ts';

describe('HTTP dates', () => {
  // The first call of the process: nothing was read before that it could be taken for.
  it('an empty text is none', () => assert.equal(readHttpDate(''), undefined));

  const others = {
    'an obsolete format': 'Tuesday, 20-Apr-21 02:07:55 GMT',
    'another zone': 'Tue, 20 Apr 2021 02:07:55 UTC',
    'the wrong day of the week': 'Wed, 20 Apr 2021 02:07:55 GMT',
    'a day that the month does not have': 'Wed, 31 Feb 2021 02:07:55 GMT',
    'a leap second': 'Sat, 31 Dec 2016 23:59:60 GMT',
    'another case': 'tue, 20 Apr 2021 02:07:55 GMT',
    'a space after it': 'Tue, 20 Apr 2021 02:07:55 GMT ',
  };
  for (const [name, text] of Object.entries(others))
    it(`${name} is none, before and after a date was read`, () => {
      assert.equal(readHttpDate(text), undefined);
      assert.equal(readHttpDate('Tue, 20 Apr 2021 02:07:55 GMT'), 1_618_884_475);
      assert.equal(readHttpDate(text), undefined);
      assert.equal(readHttpDate(''), undefined);
    });

  it('what is written can be read, to the second and in any order', () => {
    for (const seconds of [0, 1_618_884_475, 1_618_884_476, 0, 253_402_300_799, 951_782_400])
      assert.equal(readHttpDate(formatHttpDate(seconds)), seconds);
  });
});
