import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPathPattern } from '../../src/routes/path-pattern.ts';

describe('a path pattern', () => {
  for (const text of '/ /a /a/ /a/{id} /a/{id}.csv /{a}/{b} /v1.0/a-b_c~d /a%20b /a/** /** /{id}:cancel'.split(
    ' ',
  ))
    test(`${text} is read`, () => {
      const pattern = readPathPattern(text);
      assert.equal(typeof pattern === 'string' ? pattern : pattern.text, text);
    });

  for (const text of [
    ...'a ** /* /a*b /**/a /a**  /{a}{b} /{a}-{b} /{} /{1a} /{a /a} /{{a}} /{a}/{a} /a?b /a#b'.split(' '),
    '',
    '/a b',
    '/é',
    '/a\n',
    '/a\0',
  ])
    test(`${JSON.stringify(text)} is refused`, () => {
      assert.equal(typeof readPathPattern(text), 'string');
    });
});
