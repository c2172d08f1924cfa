import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ambiguityOf } from '../../src/routes/ambiguous-path.ts';

describe('a path that servers read in different ways', () => {
  for (const path of [
    ...'//a /a//b /a// /\\a /a\\..\\b /a;b /a;jsessionid=1 /a/;/b /. /.. /a/. /a/.. /a/./b /a/../b'.split(
      ' ',
    ),
    ...'/% /%1 /%zz /a%2g /a%u002fb /%2f /%2F /a%2fb /%5c /a%5C.. /%2e /%2e%2e/a /.%2e/a /%3b /a%3bb'.split(
      ' ',
    ),
    ...'/%252f /%2541 /%25%34%31 /%25%32%66 /%2525 /%00 /a%00.png /%0a /%0d%0a /%1f /%7f'.split(' '),
    ...'/%c0%af /%c1%9c /%C0%AE%C0%AE/a /%e0%80%af /%f0%80%80%af /%f8%80%80%80%af /%fc%80%80%80%80%af /%ff'.split(
      ' ',
    ),
    ...'/a%3fb /a%3Fb=/../c /a%23b /a. /a./b /a%20 /a%20/b /a...'.split(' '),
    ...'/a%ef%bc%8fb /%ef%bc%8e%ef%bc%8e/a /a%ef%bc%bcb /a%ef%bc%9bb /a%e2%84%80b /a%e2%80%a6'.split(' '),
  ])
    test(`${path} is ambiguous`, () => {
      assert.equal(typeof ambiguityOf(path), 'string');
    });
});

describe('a path that all servers read alike', () => {
  for (const path of [
    ...'/ /a /a/ /a/b /v1/orders/1 /a.b /a..b /.well-known/x /~user /a-b_c /A/b /a%20b /caf%C3%A9'.split(' '),
    ...'/%E6%97%A5%E6%9C%AC /a+b /a,b /a=b /a:b /a@b /a!b /$metadata /a(1) /a|b /a{b} /%41 /%7e /100%25'.split(
      ' ',
    ),
  ])
    test(`${path} is not ambiguous`, () => {
      assert.equal(ambiguityOf(path), undefined);
    });
});
