import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { routesOfOpenApi } from '../../src/routes/openapi-routes.ts';
import { RouteTable } from '../../src/routes/route-table.ts';

/** The routes of a document: method, path and permission. */
function routesOf(document: unknown): readonly string[] {
  const found = routesOfOpenApi(document, 'api');
  if (!('rules' in found)) return found;
  return found.rules.map(({ methods, path, permission }) => {
    const asked = permission?.kind === 'one' ? permission.permission : 'none';
    return `${methods!.join()} ${path} ${asked}`;
  });
}

/** Parses as a file is parsed, so that `__proto__` is a name like any other. */
const json = (text: string): unknown => JSON.parse(text);

describe('an OpenAPI document', () => {
  test('gives each operation a route, with a permission from where one is named', () => {
    const paths = {
      '/orders': { get: { tags: ['Shop Orders'] }, post: {}, trace: {}, parameters: [] },
      '/orders/{id}': { 'x-permission': 'orders:manage', delete: {}, get: { 'x-permission': 'none' } },
      'x-internal': { get: {} },
    };
    assert.deepEqual(routesOf({ openapi: '3.1.0', paths }), [
      'GET /orders shop-orders:read',
      'POST /orders orders:write',
      'GET /orders/{id} none',
      'DELETE /orders/{id} orders:manage',
    ]);
  });

  test('gives a route below each server’s path', () => {
    const servers = [
      { url: 'https://a.example/v1/' },
      { url: '/v2' },
      { url: 'https://{host}/{base}', variables: { base: { default: 'v3' } } },
    ];
    assert.deepEqual(routesOf({ servers, paths: { '/a': { get: {} } } }), [
      'GET /v1/a a:read',
      'GET /v2/a a:read',
      'GET /v3/a a:read',
    ]);
    assert.deepEqual(routesOf({ swagger: '2.0', basePath: '/api/', paths: { '/a': { get: {} } } }), [
      'GET /api/a a:read',
    ]);
  });

  test('may refer to path items, and what stands beside a reference counts', () => {
    const components = { pathItems: { one: { get: {} }, two: { $ref: '#/components/pathItems/one' } } };
    const paths = {
      '/a': { $ref: '#/components/pathItems/two' },
      '/b': { $ref: '#/components/pathItems/one', 'x-permission': 'secret:read' },
      '/c': { $ref: '#/paths/~1a' },
    };
    assert.deepEqual(routesOf({ components, paths }), [
      'GET /a a:read',
      'GET /b secret:read',
      'GET /c c:read',
    ]);
  });
});

describe('a hostile document', () => {
  for (const [name, document, mistake] of [
    ['nothing', undefined, /not an OpenAPI document/],
    ['a list', [], /not an OpenAPI document/],
    ['paths that are a list', { paths: [] }, /not an OpenAPI document/],
    ['no operation', { paths: { '/a': {} } }, /no operations/],
    [
      'a reference in a circle',
      { paths: { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' } } },
      /leads nowhere/,
    ],
    ['a reference to itself', { paths: { '/a': { $ref: '#/paths/~1a' } } }, /leads nowhere/],
    ['a reference to a file', { paths: { '/a': { $ref: 'file:///etc/passwd' } } }, /leads nowhere/],
    ['a reference to a URL', { paths: { '/a': { $ref: 'http://evil.example/#/a' } } }, /leads nowhere/],
    ['a reference that is no text', { paths: { '/a': { $ref: { a: 1 } } } }, /leads nowhere/],
    ['a reference to a prototype', { paths: { '/a': { $ref: '#/__proto__/constructor' } } }, /leads nowhere/],
    ['a reference to a method', { paths: { '/a': { $ref: '#/paths/toString' } } }, /leads nowhere/],
    ['an operation that is a reference', { paths: { '/a': { get: { $ref: '#/x' } } } }, /cannot be a \$ref/],
    [
      'a permission that is no text',
      { paths: { '/a': { get: { 'x-permission': ['a:read'] } } } },
      /must be a text/,
    ],
    [
      'a permission of the console',
      { paths: { '/a': { get: { 'x-permission': 'clients:write' } } } },
      /x-permission/,
    ],
    [
      'a permission named like a prototype',
      { paths: { '/a': { get: { 'x-permission': '__proto__' } } } },
      /x-permission/,
    ],
    ['two parameters in a segment', { paths: { '/{a}{b}': { get: {} } } }, /one \{parameter\}/],
    ['a wildcard within', { paths: { '/*/a': { get: {} } } }, /"\*"/],
    ['a base path without a slash', { basePath: 'v1', paths: { '/a': { get: {} } } }, /starts with/],
  ] as const)
    test(`${name} is a mistake`, () => {
      assert.match(routesOf(document).join('\n'), mistake);
    });

  test('with __proto__ everywhere changes nothing but its own routes', () => {
    const text =
      '{"paths":{"/a":{"__proto__":{"get":{"x-permission":"none"}},"post":{"__proto__":{"x-permission":"none"},"tags":["__proto__"]}},' +
      '"__proto__":{"get":{}},"/__proto__":{"get":{}}},"servers":[{"url":"/{__proto__}/{constructor}","variables":{}}]}';
    const document = json(text);
    assert.deepEqual(routesOf(document), [
      'POST /__proto__/constructor/a proto:write',
      'GET /__proto__/constructor/__proto__ proto:read',
    ]);
    assert.equal(({} as Record<string, unknown>)['x-permission'], undefined);
    assert.equal(({} as Record<string, unknown>)['get'], undefined);
  });

  test('of 20,000 paths is read, and found', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`/p${index}/{id}`, { get: {} }]),
    );
    const found = routesOfOpenApi({ paths }, 'api');
    assert.ok('rules' in found);
    const table = RouteTable.from(found.rules);
    assert.ok(table instanceof RouteTable);
    const match = table.find('GET', '/p19999/1');
    assert.equal(match.kind === 'route' && match.permission, 'p19999:read');
  });

  test('of any shape never throws, and never opens a path that it does not name', () => {
    const word = fc.constantFrom(
      '/a',
      '/b/{x}',
      'get',
      'post',
      '$ref',
      'x-permission',
      'tags',
      '__proto__',
      'servers',
      'url',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', maxDepth: 6 },
        fc.constantFrom('none', '#/paths/~1a', '/v1', 'a:read', '', null, true, 1),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(word, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(word, value, { maxKeys: 4 }), value, (paths, servers) => {
        const found = routesOfOpenApi({ paths, servers }, 'api');
        if ('rules' in found)
          for (const { path } of found.rules)
            assert.ok(Object.keys(paths).some((name) => path.endsWith(name)));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });
});
