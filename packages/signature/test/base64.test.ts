import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeBase64, encodeBase64, encodePortably } from '../src/rfc9421/base64.ts';

describe('Base64', () => {
  const refused = [
    'A',
    'AA',
    'AAA',
    'AA=A',
    'A===',
    '====',
    '=',
    'AA==AA==',
    'AAA=AAA=',
    'AB==',
    'AAB=',
    'AA== ',
    ' AAAA',
    'AA\nAA',
    'AA-A',
    'AA_A',
    'AA\u0141A',
    'AAAÁ',
  ];
  for (const text of refused) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(decodeBase64(text), undefined);
    });
  }

  test('refuses every character outside the alphabet at every place of a group', () => {
    const alphabet = /[A-Za-z0-9+/]/;
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code);
      if (alphabet.test(character)) continue;
      for (const text of [
        `${character}AAAAAAA`,
        `AAAA${character}AAA`,
        `AAAAA${character}AA`,
        `AAAAAA${character}A`,
      ]) {
        if (decodeBase64(text)) assert.fail(`accepted ${JSON.stringify(text)}`);
      }
    }
  });

  // Around the length up to which one buffer serves all texts, and above it.
  for (const length of [2044, 2048, 2052, 4000]) {
    test(`refuses a bad character at every place of a text of ${length} characters`, () => {
      const text = 'A'.repeat(length);
      assert.equal(decodeBase64(text)?.length, (length / 4) * 3);
      for (let index = 0; index < text.length; index++) {
        for (const character of ['-', '\u00c1', '\u0141', '\ud800', '\u{1f600}']) {
          const changed = (text.slice(0, index) + character + text.slice(index + 1)).slice(0, length);
          // A good text before it, of which nothing may stay.
          decodeBase64(text);
          if (decodeBase64(changed)) assert.fail(`accepted ${JSON.stringify(character)} at ${index}`);
        }
      }
    });
  }

  test('reads nothing of a longer text that came before', () => {
    decodeBase64('A'.repeat(2000));
    for (const text of ['A', 'AA', 'A===', 'AAA\u0141', '\u0141', '\u0141AAA'])
      assert.equal(decodeBase64(text), undefined);
  });

  test('reads back what it wrote, and both implementations agree on it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000, size: 'max' }), (bytes) => {
        const text = encodeBase64(bytes);
        assert.equal(encodePortably(bytes), text);
        assert.equal(Buffer.from(bytes).toString('base64'), text);
        assert.deepEqual(new Uint8Array(decodeBase64(text)!), bytes);
      }),
    );
  });

  test('reads a text exactly if it is the one that its bytes have', () => {
    const near = fc
      .array(fc.constantFrom(...Array.from('AQgwBZaz09+/=-_ \n\u0141')), { maxLength: 24 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.oneof(near, fc.string(), fc.base64String()), (text) => {
        const lenient = Buffer.from(text, 'base64');
        const isCanonical = lenient.toString('base64') === text;
        assert.deepEqual(toArray(decodeBase64(text)), isCanonical ? toArray(lenient) : undefined);
      }),
      { numRuns: 5000 },
    );
  });
});

function toArray(bytes: Uint8Array | undefined): number[] | undefined {
  return bytes && [...bytes];
}
