import assert from 'node:assert/strict';
import { it } from 'node:test';
import { differingLines } from '../src/explanation/differing-lines.ts';

it('two texts side by side: which lines differ, and where the first difference is', () => {
  const [expected, received] = ['"@method": POST\n"date": x\nend', '"@method": POST\n"date": y\nend\n'];
  const compared = differingLines(expected, received, expected.indexOf('x'));
  assert.equal(compared.line, 2);
  assert.equal(compared.column, 9);
  assert.deepEqual(
    compared.expected.map(({ differs }) => differs),
    [false, true, true],
  );
  assert.deepEqual(
    compared.received.map(({ text, differs }) => [text, differs]),
    [
      ['"@method": POST\n', false],
      ['"date": y\n', true],
      ['end\n', true],
      ['', true],
    ],
  );
  assert.equal(compared.expected[1]?.differenceAt, 8);
  assert.equal(compared.expected[0]?.differenceAt, undefined);
});

it('a text that begins the other ends at the difference', () => {
  const compared = differingLines('ab', 'abc', 2);
  assert.equal(compared.expected[0]?.differenceAt, 2);
  assert.equal(compared.column, 3);
});

it('a difference within a character begins before it', () => {
  const [expected, received] = ['a\u{1f600}', 'a\u{1f601}'];
  assert.equal(differingLines(expected, received, 2).expected[0]?.differenceAt, 1);
});
