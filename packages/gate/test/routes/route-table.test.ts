import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ambiguityOf } from '../../src/routes/ambiguous-path.ts';
import { folded, readPathPattern, withoutFinalSlash } from '../../src/routes/path-pattern.ts';
import { PatternTree } from '../../src/routes/pattern-tree.ts';
import { ordinaryRoute, type RouteMatch, type RouteRule, RouteTable } from '../../src/routes/route-table.ts';

const rule = (path: string, changes: Partial<RouteRule> = {}): RouteRule => ({
  ...ordinaryRoute,
  path,
  methods: undefined,
  upstream: 'api',
  permission: { kind: 'one', permission: `p${path.replace(/[^a-z0-9]/gi, '')}:read` as never },
  ...changes,
});

function tableOf(...rules: readonly RouteRule[]): RouteTable {
  const table = RouteTable.from(rules);
  assert.ok(table instanceof RouteTable);
  return table;
}

function mistakesOf(...rules: readonly RouteRule[]): string {
  const table = RouteTable.from(rules);
  return table instanceof RouteTable ? '' : table.join('\n');
}

function pathOf(match: RouteMatch): string {
  return match.kind === 'route' ? match.rule.path : match.kind;
}

describe('the most specific route', () => {
  const table = tableOf(
    ...'/ /a /a/b /a/{x} /a/{x}/c /a/b/** /{x}/b /{x}.json /files/** /files/{x}.tar.{y}'
      .split(' ')
      .slice(0, -1)
      .map((path) => rule(path)),
    rule('/files/{x}.gz'),
    rule('/files/{x}.tar.gz'),
  );
  for (const [path, expected] of [
    ['/', '/'],
    ['/a', '/a'],
    ['/a/b', '/a/b'],
    ['/a/q', '/a/{x}'],
    // Servers may choose /a/{x}/c or /a/b/**.
    ['/a/b/c', 'ambiguous'],
    ['/a/b/d', '/a/b/**'],
    ['/a/b/d/e', '/a/b/**'],
    ['/q/b', '/{x}/b'],
    ['/q.json', '/{x}.json'],
    ['/.json', 'not found'],
    ['/files', '/files/**'],
    ['/files/a/b', '/files/**'],
    ['/files/a.gz', '/files/{x}.gz'],
    ['/files/a.tar.gz', '/files/{x}.tar.gz'],
    ['/q', 'not found'],
    ['', 'not found'],
  ] as const)
    test(`of ${path || 'nothing'} is ${expected}`, () => {
      const found = pathOf(table.find('GET', path));
      assert.equal(found, path === '' ? '/' : expected);
    });
});

describe('parameters', () => {
  const table = tableOf(
    ...'/c/{a}...{b} /c/{a}..{b} /c/all...{b} /t/{y}.{f} /t/{y}.min.{f} /m/{a}-{b}-{c} /m/{a}'
      .split(' ')
      .map((path) => rule(path)),
    ...'/v2/{n+}/tags /v2/{n+}/manifests/{r} /v2/{n} /o/{p+} /o/{p+}/acl /o/x/{y} /f/{p+}/a/{q} /f/{p+}/a'
      .split(' ')
      .map((path) => rule(path)),
  );
  for (const [path, expected] of [
    ['/c/main...dev', '/c/{a}...{b}'],
    ['/c/v1.0...v1.1', '/c/{a}...{b}'],
    ['/c/main..dev', '/c/{a}..{b}'],
    ['/c/all...dev', '/c/all...{b}'],
    ['/c/...dev', '/c/{a}..{b}'],
    ['/c/..dev', 'not found'],
    ['/c/main...', 'ambiguous'],
    ['/t/7.png', '/t/{y}.{f}'],
    ['/t/7.min.png', '/t/{y}.min.{f}'],
    ['/t/.png', 'not found'],
    ['/t/png', 'not found'],
    ['/m/a-b-c', '/m/{a}-{b}-{c}'],
    ['/m/a-b', '/m/{a}'],
    ['/m/a--b', '/m/{a}'],
    ['/m/a---b', '/m/{a}-{b}-{c}'],
    ['/v2/nginx/tags', '/v2/{n+}/tags'],
    ['/v2/library/nginx/tags', '/v2/{n+}/tags'],
    ['/v2/a/b/manifests/latest', '/v2/{n+}/manifests/{r}'],
    ['/v2/tags', '/v2/{n}'],
    ['/v2/a/b', 'not found'],
    ['/o/a/b/c', '/o/{p+}'],
    ['/o/a/b/acl', '/o/{p+}/acl'],
    ['/o/acl', '/o/{p+}'],
    ['/o/x/b', '/o/x/{y}'],
    ['/o/x/b/c', '/o/{p+}'],
    ['/o', 'not found'],
    ['/o/', 'not found'],
    // One server may take the first a for the end of {p+}, and another one the second.
    ['/f/1/a/a', 'ambiguous'],
    ['/f/1/2/a/c', '/f/{p+}/a/{q}'],
  ] as const)
    test(`${path} is ${expected}`, () => {
      assert.equal(pathOf(table.find('GET', path)), expected);
    });
});

describe('methods', () => {
  const table = tableOf(
    rule('/a', { methods: ['GET', 'POST'] }),
    rule('/b'),
    rule('/b', { methods: ['PUT'] }),
  );
  test('a route for one wins over a route for all', () => {
    const match = table.find('PUT', '/b');
    assert.deepEqual(match.kind === 'route' && match.rule.methods, ['PUT']);
  });
  test('that no rule has are not allowed', () => {
    assert.deepEqual(table.find('DELETE', '/a'), {
      kind: 'method not allowed',
      allow: ['GET', 'HEAD', 'POST'],
    });
    assert.equal(table.find('get', '/a').kind, 'method not allowed');
  });
  test('HEAD follows GET, unless a rule has it', () => {
    const admin = { permission: { kind: 'one', permission: 'p:admin' } } as const;
    const free = { permission: undefined } as const;
    const heads = tableOf(
      rule('/a', { methods: ['GET'], ...admin }),
      rule('/b', { methods: ['GET'], ...admin }),
      rule('/b', { methods: ['HEAD'], ...free }),
      rule('/c', { methods: ['GET'], ...admin }),
      rule('/c', free),
      rule('/d', { methods: ['POST'] }),
      rule('/e', { methods: ['GET'], permission: { kind: 'by method', resource: 'p' } }),
      rule('/**', free),
    );
    const asked = (path: string): unknown => {
      const match = heads.find('HEAD', path);
      return match.kind === 'route' ? match.permission : match.kind;
    };
    assert.deepEqual(['/a', '/b', '/c', '/d', '/e'].map(asked), [
      'p:admin',
      undefined,
      'p:admin',
      'method not allowed',
      'p:read',
    ]);
    assert.match(
      mistakesOf(rule('/a', { methods: ['GET'], ...admin }), rule('/A', { methods: ['HEAD'], ...free })),
      /same permission and mode/,
    );
  });
  test('none reserves a path: it is not found, and falls to no other rule', () => {
    const reserved = tableOf(rule('/a/{x}'), rule('/a/b', { methods: [] }));
    assert.equal(reserved.find('GET', '/a/b').kind, 'not found');
    assert.equal(reserved.find('GET', '/a/c').kind, 'route');
  });
  test('added to a path later count too when a tolerant server takes it for another', () => {
    assert.match(
      mistakesOf(
        rule('/a', { methods: ['POST'] }),
        rule('/A', { methods: ['GET'] }),
        rule('/A', { methods: ['POST'], permission: undefined }),
      ),
      /same permission and mode/,
    );
  });
  test('TRACE and CONNECT are never allowed', () => {
    for (const method of ['TRACE', 'CONNECT'])
      assert.equal(table.find(method, '/b').kind, 'method not allowed');
  });
});

describe('a tolerant server', () => {
  const table = tableOf(
    rule('/**'),
    rule('/admin'),
    rule('/admin/{id}'),
    rule('/Reports/{x}.csv'),
    rule('/stra%C3%9Fe'),
  );
  for (const path of [
    ...'/Admin /ADMIN /admin/ /%61dmin /%41DMIN /adm%C4%B1n /adm%C4%B0n /Admin/1 /admin/1/ /reports/a.CSV'.split(
      ' ',
    ),
    ...'/stra%C3%9FE /STRASSE /%EF%BC%A1dmin /reports/a.csv'.split(' '),
  ])
    test(`would have another route for ${path}: it is refused`, () => {
      assert.equal(table.find('GET', path).kind, 'ambiguous');
    });
  test('has the same route for paths that differ elsewhere', () => {
    for (const path of ['/Other', '/admin/ABC', '/Reports/ABC.csv', '/other/', '/caf%C3%A9'])
      assert.equal(table.find('GET', path).kind, 'route', path);
  });
  test('takes two routes for one: they must ask the same', () => {
    for (const [left, right] of [
      ['/a', '/A'],
      ['/a', '/a/'],
      ['/a', '/%61'],
      ['/k', '/%E2%84%AA'],
      ['/a/{x}', '/A/{y}'],
    ] as const) {
      assert.match(
        mistakesOf(rule(left), rule(right, { permission: undefined })),
        /same permission and mode/,
      );
      assert.match(
        mistakesOf(rule(left), rule(right, { permission: rule(left).permission, mode: 'observe' })),
        /same permission and mode/,
      );
      assert.ok(
        RouteTable.from([rule(left), rule(right, { permission: rule(left).permission })]) instanceof
          RouteTable,
      );
      assert.ok(
        RouteTable.from([
          rule(left, { methods: ['GET'] }),
          rule(right, { methods: ['PUT'], permission: undefined }),
        ]) instanceof RouteTable,
      );
    }
  });
});

/** Short texts of few characters, so that patterns and paths meet often, in every spelling that servers may fold. */
const segment = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('a', 'A', 'b', 'aB', 'k', '%61', '%41', '%6B', '%E2%84%AA', '%C5%BF', 's', ''),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('..', '.', '%2e', 'a%2fb', 'a;b', 'a.', '%2541', 'a%20', '\\', '%ef%bc%8f'),
  },
);
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const patternSegment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'A', 'b', 'k', 's', '%61', 'aB') },
  { weight: 1, arbitrary: fc.constantFrom('{x}', 'a{x}', '{x}b', 'A{x}', '{x+}', '{x}a{yx}') },
);
const pattern = fc
  .tuple(fc.array(patternSegment, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '', '/', '/**'))
  .map(([parts, end]) => `/${parts.map((part, index) => part.replace('x', `x${index}`)).join('/')}${end}`);

/** The ways in which servers change a path before they look for its route, one by one and together. */
const tolerances: readonly ((text: string) => string)[] = [
  (text) => text.toLowerCase(),
  (text) => decodeURIComponent(text),
  withoutFinalSlash,
  (text) => withoutFinalSlash(text.toLowerCase()),
  (text) => decodeURIComponent(text).toLowerCase(),
  (text) => withoutFinalSlash(decodeURIComponent(text)),
  (text) => withoutFinalSlash(folded(text)),
];

test('no server that folds paths has another route than the gateway, unless the gateway refuses', () => {
  fc.assert(
    fc.property(fc.uniqueArray(pattern, { minLength: 1, maxLength: 6 }), path, (patterns, asked) => {
      const table = RouteTable.from(patterns.map((one) => rule(one)));
      if (!(table instanceof RouteTable)) return;
      const match = table.find('GET', asked);
      if (match.kind !== 'route') return;
      assert.equal(ambiguityOf(asked), undefined);
      for (const fold of tolerances) {
        const server = new PatternTree<string>('exact');
        for (const one of patterns) {
          const read = readPathPattern(fold(one));
          if (typeof read !== 'string') server.add(read, one);
        }
        const asks = (text: string): unknown => rule(text).permission;
        const [behind] = server.find(fold(asked));
        if (behind !== undefined)
          assert.deepEqual(
            asks(behind.leaf),
            asks(match.rule.path),
            `${asked} is ${behind.leaf} behind, with ${fold.toString()}`,
          );
      }
    }),
    { numRuns: 3000, seed: 1 },
  );
});

test('whatever the path and the method are, nothing is thrown', () => {
  const table = tableOf(rule('/**'), rule('/a/{x}'), rule('/{x}.json'));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (asked, method) => {
      assert.equal(typeof table.find(method, `/${asked}`).kind, 'string');
    }),
    { numRuns: 1000, seed: 1 },
  );
});

test('a look-up below {name+} takes no more steps than the tree has nodes, for each segment', () => {
  const table = tableOf(rule('/{x+}/a/{y}/a/{z}/end'), rule('/{x+}/{y}/a/a/stop'), rule('/{x+}/b'));
  assert.equal(table.find('GET', `/${'a/'.repeat(5000)}none`).kind, 'not found');
  assert.equal(table.find('GET', `/${'a/'.repeat(5000)}b`).kind, 'route');
});

test('a look-up takes time in proportion to the tree, not to the ways through it', () => {
  const deep = Array.from({ length: 12 }, (_, index) => `/${'a/'.repeat(index)}{x${index}}/end${index}`);
  const table = tableOf(...deep.map((one) => rule(one)));
  assert.equal(table.find('GET', `/${'a/'.repeat(5000)}none`).kind, 'not found');
});
