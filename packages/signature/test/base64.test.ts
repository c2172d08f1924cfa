import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeBase64, decodePortably, encodeBase64, encodePortably } from '../src/rfc9421/base64.ts';

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
      assert.equal(decodePortably(text), undefined);
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
        if (decodeBase64(text) || decodePortably(text)) assert.fail(`accepted ${JSON.stringify(text)}`);
      }
    }
  });

  test('reads back what it wrote, and both implementations agree on it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const text = encodeBase64(bytes);
        assert.equal(encodePortably(bytes), text);
        assert.equal(Buffer.from(bytes).toString('base64'), text);
        assert.deepEqual(new Uint8Array(decodeBase64(text)!), bytes);
        assert.deepEqual(decodePortably(text), bytes);
      }),
    );
  });

  test('both implementations agree on any text', () => {
    const near = fc
      .array(fc.constantFrom(...Array.from('AQgwBZaz09+/=-_ \n\u0141')), { maxLength: 24 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.oneof(near, fc.string(), fc.base64String()), (text) => {
        const native = decodeBase64(text);
        const portable = decodePortably(text);
        assert.deepEqual(native && [...native], portable && [...portable]);
        if (portable) assert.equal(encodePortably(portable), text);
      }),
      { numRuns: 5000 },
    );
  });
});
