import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPathPattern, shapeOf } from '../../src/routes/path-pattern.ts';

describe('a path pattern', () => {
  for (const text of [
    ...'/ /a /a/ /a/{id} /a/{id}.csv /{a}/{b} /v1.0/a-b_c~d /a%20b /a/** /** /{id}:cancel'.split(' '),
    ...'/{a}-{b} /{a}...{b} /x{a}.{b}_{c}y /{a+} /a/{b+}/c /{a}/{b+}/{c}.{d}'.split(' '),
  ])
    test(`${text} is read`, () => {
      const pattern = readPathPattern(text);
      assert.equal(typeof pattern === 'string' ? pattern : pattern.text, text);
    });

  for (const text of [
    ...'a ** /* /a*b /**/a /a**  /{a}{b} /{a}-{b}{c} /{} /{1a} /{a /a} /{{a}} /{a}/{a} /a?b /a#b'.split(' '),
    ...'/{a}-{a} /x{a+} /{a+}x /{a+}{b} /{a+}/{b+} /{a+}/** /{a+}/{a} /{+} /{a++} /{a}-{b+}'.split(' '),
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

test('patterns that match the same paths have the same shape, and no others have', () => {
  const shape = (text: string): string => {
    const pattern = readPathPattern(text);
    assert.ok(typeof pattern !== 'string');
    return shapeOf(pattern);
  };
  const shapes = '/ /a /a/ /{x} /{x+} /{x}.{y} /{x}.json /a/** /** /a/{x} /a/{x+}'.split(' ').map(shape);
  assert.equal(new Set(shapes).size, shapes.length);
  for (const [left, right] of [
    ['/{x}', '/{name}'],
    ['/a/{x}.{y}', '/a/{b}.{c}'],
    ['/a/{x+}/b', '/a/{rest+}/b'],
  ] as const)
    assert.equal(shape(left), shape(right));
});
