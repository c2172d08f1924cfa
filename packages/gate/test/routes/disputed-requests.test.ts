import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { routesOfOpenApi } from '../../src/routes/openapi-routes.ts';
import { readPathPattern } from '../../src/routes/path-pattern.ts';
import { includesPattern } from '../../src/routes/pattern-comparison.ts';
import { PatternTree } from '../../src/routes/pattern-tree.ts';
import { ordinaryRoute, type RouteRule, RouteTable } from '../../src/routes/route-table.ts';

function rule(path: string, permission: string, changes: Partial<RouteRule> = {}): RouteRule {
  return {
    ...ordinaryRoute,
    path,
    methods: undefined,
    upstream: 'api',
    permission: { kind: 'one', permission: permission as never },
    ...changes,
  };
}

/** The outcome of a request: the permission that it needs, or the reason for its rejection. */
function outcome(rules: readonly RouteRule[], path: string, method = 'GET'): string | undefined {
  const table = RouteTable.from(rules);
  assert.ok(table instanceof RouteTable);
  const match = table.find(method, path);
  return match.kind === 'route' ? match.permission : match.kind;
}

describe('two patterns for a request, neither of which includes the other', () => {
  for (const [open, closed, path] of [
    ['/{x}-{y}', '/{z}.{w}', '/a-b.c'],
    ['/{name}.json', '/adm-{x}', '/adm-secret.json'],
    ['/adm-{x}', '/{name}.json', '/adm-secret.json'],
    ['/images/{id}/{x}', '/images/{n+}/tags', '/images/a/tags'],
    ['/a/{x}', '/{y}/b', '/a/b'],
    ['/a/{x}/c', '/a/b/**', '/a/b/c'],
    ['/{x}/**', '/{n+}/admin', '/a/admin'],
    ['/{n+}/a/{x}', '/{n+}/{y}/b', '/1/a/b'],
    ['/a-{x}', '/{y}-B', '/a-b'],
  ] as const)
    test(`${open} and ${closed} are refused if they need different permissions`, () => {
      assert.equal(outcome([rule(open, 'open:read'), rule(closed, 'closed:read')], path), 'ambiguous');
      assert.equal(outcome([rule(closed, 'closed:read'), rule(open, 'open:read')], path), 'ambiguous');
      assert.equal(outcome([rule(open, 'same:read'), rule(closed, 'same:read')], path), 'same:read');
    });

  test('are refused if their modes differ, or if one of them is reserved', () => {
    const first = rule('/a/{x}', 'same:read');
    assert.equal(outcome([first, rule('/{y}/b', 'same:read', { mode: 'observe' })], '/a/b'), 'ambiguous');
    const reserved = rule('/{y}/b', 'same:read', { methods: [] });
    assert.equal(outcome([first, reserved], '/a/b'), 'ambiguous');
    const others = [
      rule('/{y}/b', 'same:read', { methods: ['PUT'] }),
      { ...reserved, reservedMethods: ['GET'] },
    ];
    assert.equal(outcome([first, ...others], '/a/b'), 'ambiguous');
    assert.equal(outcome([first, ...others], '/a/b', 'HEAD'), 'ambiguous');
    assert.equal(outcome([first, ...others], '/a/b', 'POST'), 'same:read');
  });

  test('are refused on a route that allows ambiguous paths too: that is about spellings, not about routes', () => {
    const first = rule('/a/{x}', 'open:read', { allowsAmbiguousPaths: true });
    assert.equal(outcome([first, rule('/{y}/b', 'closed:read')], '/a/b'), 'ambiguous');
    assert.equal(outcome([first, rule('/{y}/b', 'closed:read')], '/a/c'), 'open:read');
  });

  test('are no problem where only one of them has the method', () => {
    const rules = [
      rule('/a/{x}', 'open:read', { methods: ['GET'] }),
      rule('/{y}/b', 'closed:read', { methods: ['PUT'] }),
    ];
    assert.equal(outcome(rules, '/a/b'), 'open:read');
  });

  test('are observed if both are, for any reading', () => {
    const table = RouteTable.from([
      rule('/a/{x}', 'a:read', { mode: 'observe' }),
      rule('/{y}/b', 'b:read', { mode: 'observe' }),
    ]);
    assert.ok(table instanceof RouteTable);
    const match = table.find('GET', '/a/b');
    assert.equal(match.kind === 'ambiguous' && match.observing?.path, '/a/{x}');
  });
});

describe('the narrower pattern applies', () => {
  for (const [narrow, wide, path] of [
    ['/a/b', '/a/{x}', '/a/b'],
    ['/{x}.tar.gz', '/{x}.gz', '/a.tar.gz'],
    ['/a-{x}.json', '/{x}.json', '/a-b.json'],
    ['/{x}-{y}-{z}', '/{x}-{y}', '/a-b-c'],
    ['/a/{x}', '/a/{n+}', '/a/b'],
    ['/a/{n+}/tags', '/a/{n+}', '/a/b/c/tags'],
    ['/a/{x}/b/{y}', '/a/**', '/a/1/b/2'],
    ['/a/{n+}', '/**', '/a/1/2'],
    ['/a/b/**', '/{x}/{n+}', '/a/b/c'],
  ] as const)
    test(`${narrow} before ${wide}`, () => {
      assert.equal(outcome([rule(wide, 'wide:read'), rule(narrow, 'narrow:read')], path), 'narrow:read');
    });
});

const segment = fc.constantFrom('a', 'b', 'a-b', '{x}', 'a{x}', '{x}b', '{x}-{y}', '{x}-{y}-{z}', '{x+}', '');
const pattern = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '', '/**'))
  .map(
    ([parts, end]) =>
      `/${parts.map((part, index) => part.replace(/[xyz]/g, (name) => `${name}${index}`)).join('/')}${end}`,
  );
const path = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'a-b', 'c-a-b', 'a--b', '-', ''), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join('/')}`);

test('a pattern includes another one exactly if it matches all of its paths', () => {
  const matches = (text: string, asked: string): boolean => {
    const tree = new PatternTree<true>('exact');
    const read = readPathPattern(text);
    if (typeof read !== 'string') tree.add(read, true);
    return tree.find(asked).length > 0;
  };
  fc.assert(
    fc.property(pattern, pattern, fc.array(path, { minLength: 30, maxLength: 30 }), (wide, narrow, paths) => {
      const [left, right] = [readPathPattern(wide), readPathPattern(narrow)];
      if (typeof left === 'string' || typeof right === 'string') return;
      if (!includesPattern(left, right, 'exact')) return;
      for (const asked of paths)
        if (matches(narrow, asked)) assert.ok(matches(wide, asked), `${asked}: ${narrow} but not ${wide}`);
    }),
    { numRuns: 2000, seed: 1 },
  );
});

describe('a document with such patterns', () => {
  const documentOf = (paths: Readonly<Record<string, string>>): object => ({
    openapi: '3.1.0',
    paths: Object.fromEntries(
      Object.entries(paths).map(([name, permission]) => [name, { get: { 'x-permission': permission } }]),
    ),
  });
  const findingsOf = (document: object): readonly string[] =>
    routesOfOpenApi(document, 'api').findings.map(({ severity, message }) => `${severity}: ${message}`);

  test('is told about them, with a request that is refused', () => {
    const pairs = { '/a/{x}': 'open:read', '/{y}/b': 'closed:read', '/{s}-{t}': 'open:read' };
    assert.deepEqual(findingsOf(documentOf({ ...pairs, '/{u}.{v}': 'closed:read', '/{z}/c': 'open:read' })), [
      'warning: GET /{y}/b: requests such as /a/b also match GET /a/{x}, which needs open:read instead of closed:read; they are rejected as ambiguous',
      'warning: GET /{u}.{v}: requests such as /x-x.x also match GET /{s}-{t}, which needs open:read instead of closed:read; they are rejected as ambiguous',
    ]);
  });

  test('is told nothing where the narrower one applies', () => {
    const paths = { '/a/{x}': 'a:read', '/a/b': 'b:read', '/{x}.gz': 'c:read', '/{x}.tar.gz': 'd:read' };
    assert.deepEqual(findingsOf(documentOf(paths)), []);
  });

  test('is told about twenty of very many', () => {
    const paths = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? [`/a${index}/{x}`, 'open:read'] : [`/{y}/b${index}`, 'closed:read'],
    );
    const findings = findingsOf(documentOf(Object.fromEntries(paths) as Record<string, string>));
    assert.equal(findings.length, 21);
    assert.equal(findings.at(-1), 'warning: 880 more pairs of routes match the same requests');
  });
});
