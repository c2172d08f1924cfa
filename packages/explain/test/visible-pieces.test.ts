import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { visiblePieces } from '../src/index.ts';

/** Returns the pieces as one text, with invisible characters in angle brackets. */
function shown(text: string): string {
  return visiblePieces(text)
    .map((piece) => (piece.kind === 'mark' ? `<${piece.label}>` : piece.text))
    .join('');
}

describe('characters that nobody can see', () => {
  const cases: readonly (readonly [text: string, expected: string])[] = [
    ['', ''],
    ['plain text', 'plain text'],
    ['a\r\nb\n', 'a<CR><LF>b<LF>'],
    ['a\tb', 'a<TAB>b'],
    ['end \nnext', 'end<SP><LF>next'],
    ['end ', 'end<SP>'],
    [' start', '<SP>start'],
    ['two  spaces', 'two<SP><SP>spaces'],
    ['no\u00a0break', 'no<NBSP>break'],
    ['zero\u200bwidth\u200d\u2060', 'zero<ZWSP>width<ZWJ><WJ>'],
    ['\ufeffbom', '<BOM>bom'],
    ['turn\u202eed', 'turn<U+202E>ed'],
    ['nul\u0000', 'nul<NUL>'],
    ['soft\u00adhyphen', 'soft<SHY>hyphen'],
    ['lone\ud800', 'lone<U+D800>'],
    ['größe €', 'größe €'],
    ['cafe\u0301', 'cafe<U+0301>'],
  ];
  for (const [text, expected] of cases) {
    it(JSON.stringify(text), () => assert.equal(shown(text), expected));
  }

  it('every piece says where it starts, and together they are the text', () => {
    const text = 'a \r\n\u00a0b  c\u200b\n';
    const pieces = visiblePieces(text);
    for (const [index, piece] of pieces.entries()) {
      const end = piece.start + (piece.kind === 'mark' ? piece.length : piece.text.length);
      assert.equal(end, pieces[index + 1]?.start ?? text.length);
    }
  });
});
