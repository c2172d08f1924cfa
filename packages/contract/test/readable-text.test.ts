import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isReadableName } from '@countersign/contract';

describe('a readable name', () => {
  for (const [what, name] of [
    ['nothing', ''],
    ['space alone', '  '],
    ['space around it', ' shop'],
    ['a line end', 'two\nlines'],
    ['a line separator', 'two\u2028lines'],
    ['a direction', 'invoice \u202egpj.exe'],
    ['an Arabic letter mark', 'shop\u061c'],
    ['a zero width space', 'Web\u200bshop'],
    ['a byte order mark', '\ufeffshop'],
    ['a soft hyphen', 'sh\u00adop'],
    ['a letter that is shown as nothing', '\u3164'],
    ['tags, which hide a text', 'shop\u{e0068}\u{e0069}'],
    ['joiners alone', '\u200d\u200c'],
    ['half a character', '\ud83d'],
    ['101 characters', 'x'.repeat(101)],
  ] as const) {
    it(`is not one with ${what}`, () => assert.equal(isReadableName(name), false));
  }

  for (const name of [
    'Web shop',
    'Ödön Őry (中文) №7',
    '<b>&amp;</b>',
    'שלום',
    'می‌خواهم',
    '👩‍💻 team ❤️',
    '😀'.repeat(100),
    '?',
  ]) {
    it(`is ${name.slice(0, 30)}`, () => assert.equal(isReadableName(name), true));
  }
});
