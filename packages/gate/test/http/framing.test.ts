import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BaseUrls } from '../../src/http/base-urls.ts';
import { readFrame } from '../../src/http/framing.ts';

/*
 * Inputs that the parser of this version of Node rejects by itself. Framing must not rely on it: the
 * signature base would contain these characters, and a line end in it is a second line.
 */

const baseUrls = new BaseUrls([{ baseUrls: ['https://api.example.test'], door: undefined }]);

function codeFor(target: string, httpVersion = '1.1'): string {
  const request = { method: 'GET', url: target, rawHeaders: ['Host', 'api.example.test'], httpVersion };
  const frame = readFrame(request, baseUrls);
  return frame.ok ? frame.targetUri : frame.code;
}

describe('framing by itself', () => {
  for (const [name, character] of [
    ['NUL', '\u0000'],
    ['a tab', '\t'],
    ['a line feed', '\n'],
    ['a carriage return', '\r'],
    ['a space', ' '],
    ['DEL', '\u007f'],
    ['a byte beyond ASCII', '\u00e9'],
    ['a character beyond bytes', '\u2028'],
  ] as const) {
    test(`refuses a target with ${name}`, () => {
      for (const target of [
        `/a${character}b`,
        `/a?${character}`,
        `/${character}`,
        `https://api.example.test/${character}`,
      ]) {
        assert.equal(codeFor(target), 'request_malformed');
      }
    });
  }
  test('refuses other versions of HTTP', () => {
    for (const version of ['0.9', '1.2', '2.0', '3.0', ''])
      assert.equal(codeFor('/a', version), 'request_malformed');
  });
  test('keeps every visible character as it came', () => {
    const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index)).replace(
      '#',
      '',
    );
    assert.equal(codeFor(`/${visible}`), `https://api.example.test/${visible}`);
  });
});
