import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { OpenApiFinding } from '../../src/routes/openapi-finding.ts';
import { type OpenApiOptions, routesOfOpenApi } from '../../src/routes/openapi-routes.ts';
import { RouteTable } from '../../src/routes/route-table.ts';

/** The routes of a document: method, path and permission; or its mistakes, each with its place. */
function routesOf(document: unknown, options: OpenApiOptions = {}): readonly string[] {
  const { rules, findings } = routesOfOpenApi(document, 'api', options);
  const mistakes = findings.filter(({ severity }) => severity === 'mistake');
  if (mistakes.length > 0) return mistakes.map(textOf);
  return rules.flatMap(({ rule: { methods, path, permission } }) => {
    const asked = permission?.kind === 'one' ? permission.permission : 'none';
    return methods!.length === 0 ? [] : `${methods!.join()} ${path} ${asked}`;
  });
}

function warningsOf(document: unknown, options: OpenApiOptions = {}): readonly string[] {
  const { findings } = routesOfOpenApi(document, 'api', options);
  return findings.filter(({ severity }) => severity === 'warning').map(textOf);
}

function textOf({ at, message }: OpenApiFinding): string {
  return `${at.join(' ')}: ${message}`;
}

/** A document with these paths; each has one operation to read. */
function documentOf(paths: readonly string[], more: object = {}): object {
  return {
    openapi: '3.1.0',
    paths: Object.fromEntries(paths.map((path) => [path, { get: { tags: ['X'] } }])),
    ...more,
  };
}

/** Parses as a file is parsed, so that `__proto__` is a name like any other. */
const json = (text: string): unknown => JSON.parse(text);

describe('an OpenAPI document', () => {
  test('gives each operation a route, with a permission from where one is named', () => {
    const paths = {
      '/orders': { get: { tags: ['Shop Orders'] }, post: {}, trace: {}, parameters: [] },
      '/orders/{id}': { 'x-permission': 'orders:manage', delete: {}, get: { 'x-permission': 'none' } },
      'x-internal': { owner: 'a team', get: 'x' },
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
      /is circular/,
    ],
    ['a reference to itself', { paths: { '/a': { $ref: '#/paths/~1a' } } }, /is circular/],
    ['a reference to a file', { paths: { '/a': { $ref: 'file:///etc/passwd' } } }, /points to another file/],
    [
      'a reference to a URL',
      { paths: { '/a': { $ref: 'http://evil.example/#/a' } } },
      /points to another file/,
    ],
    ['a reference that is no text', { paths: { '/a': { $ref: { a: 1 } } } }, /points to nothing/],
    [
      'a reference to a prototype',
      { paths: { '/a': { $ref: '#/__proto__/constructor' } } },
      /points to nothing/,
    ],
    ['a reference to a method', { paths: { '/a': { $ref: '#/paths/toString' } } }, /points to nothing/],
    ['an operation that is a reference', { paths: { '/a': { get: { $ref: '#/x' } } } }, /cannot be a \$ref/],
    [
      'references to other files',
      { paths: { '/a': { $ref: './a.yaml' }, '/b': { get: { $ref: 'b.yaml#/get' } } } },
      /^paths \/a \$ref: .*another file, like 1 more; bundle the document/,
    ],
    [
      'a permission that is no text',
      { paths: { '/a': { get: { 'x-permission': ['a:read'] } } } },
      /must be a string/,
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
    ['two parameters in a segment', { paths: { '/{a}{b}': { get: {} } } }, /text between them/],
    ['a wildcard within', { paths: { '/*/a': { get: {} } } }, /"\*"/],
    [
      'a path without a slash',
      { paths: { 'books/{id}': { get: {} }, '/books': { get: {} } } },
      /^paths books\/\{id\}: .*write \/books\/\{id\}/,
    ],
    ['a path that is a text', { paths: { '/a': 'get' } }, /a path must be an object/],
    ['an empty path', { paths: { '/a': null } }, /a path must be an object/],
    [
      'an operation that is a text',
      { paths: { '/a': { get: 'x' } } },
      /^paths \/a get: GET \/a: an operation must be an object/,
    ],
    ['an empty operation', { paths: { '/a': { get: null } } }, /an operation must be an object/],
    ['a method in upper case', { paths: { '/a': { GET: {} } } }, /must be written "get"/],
    ['a misspelled method', { paths: { '/a': { gett: {} } } }, /"gett" is neither an operation/],
    ['a method of its own', { paths: { '/a': { purge: {} } } }, /belong in additionalOperations/],
    ['quoted merge keys', { paths: { '/a': { '<<': {}, get: {} } } }, /"<<" merges only in YAML/],
    [
      'quoted merge keys in an operation',
      { paths: { '/a': { get: { '<<': {} } } } },
      /"<<" merges only in YAML/,
    ],
    [
      'quoted merge keys in the document',
      { '<<': {}, paths: { '/a': { get: {} } } },
      /"<<" merges only in YAML/,
    ],
    ['quoted merge keys in the paths', { paths: { '<<': {}, '/a': { get: {} } } }, /^paths <<: /],
    [
      'tags that are a text',
      { paths: { '/a': { get: { tags: 'Admin' } } } },
      /^paths \/a get tags: .*a list of strings/,
    ],
    ['tags that are numbers', { paths: { '/a': { get: { tags: [1] } } } }, /a list of strings/],
    [
      'tags under another name',
      { paths: { '/a': { get: { Tags: ['Admin'] } } } },
      /"Tags" must be written "tags"/,
    ],
    [
      'an empty permission',
      { paths: { '/a': { 'x-permission': 'a:read', get: { 'x-permission': null } } } },
      /must be a string/,
    ],
    [
      'an empty permission of a path',
      { paths: { '/a': { 'x-permission': null, get: {} } } },
      /must be a string/,
    ],
    [
      'a permission under another name',
      { paths: { '/a': { get: { 'x-permissions': 'a:admin' } } } },
      /"x-permissions" is not read; write x-permission/,
    ],
    [
      'a permission in other letters',
      { paths: { '/a': { 'X-Permission': 'a:admin', get: {} } } },
      /"X-Permission" is (not read|no operation)/,
    ],
    [
      'a permission without x-',
      { paths: { '/a': { get: { permission: 'a:admin' } } } },
      /"permission" is not read/,
    ],
    [
      'a permission of the document',
      { 'x-permission': 'a:admin', paths: { '/a': { get: {} } } },
      /only in a path or an operation/,
    ],
    [
      'a permission of all paths',
      { paths: { 'x-permission': 'a:admin', '/a': { get: {} } } },
      /only in a path or an operation/,
    ],
    [
      'a permission of a tag',
      { tags: [{ name: 'A', 'x-permission': 'a:admin' }], paths: { '/a': { get: { tags: ['A'] } } } },
      /^tags 0 x-permission: .*only in a path/,
    ],
    ['OpenAPI 4', { openapi: '4.0.0', paths: { '/a': { get: {} } } }, /version "4.0.0" is not supported/],
    ['Swagger 1.2', { swagger: '1.2', paths: { '/a': { get: {} } } }, /version "1.2" is not supported/],
    [
      'an operation here and beyond its reference',
      { paths: { '/a': { $ref: '#/paths/~1b', get: {} }, '/b': { get: {} } } },
      /"get" is both here and beside the \$ref/,
    ],
    [
      'a base path without a slash',
      { basePath: 'v1', paths: { '/a': { get: {} } } },
      /^basePath: basePath "v1" must start with "\/"$/,
    ],
  ] as const)
    test(`${name} is a mistake`, () => {
      assert.match(routesOf(document).join('\n'), mistake);
    });

  test('with __proto__ everywhere changes nothing but its own routes', () => {
    const text =
      '{"x-a":{"__proto__":{"x-permission":"none"}},"paths":{"/a":{"post":{"tags":["__proto__"]}},' +
      '"/__proto__":{"get":{}}},"servers":[{"url":"/{__proto__}/{constructor}","variables":' +
      '{"__proto__":{"default":"__proto__"},"constructor":{"default":"constructor"}}}]}';
    assert.deepEqual(routesOf(json(text)), [
      'POST /__proto__/constructor/a proto:write',
      'GET /__proto__/constructor/__proto__ proto:read',
    ]);
    const beside = '{"paths":{"/a":{"post":{"__proto__":{"x-permission":"none"}}}}}';
    assert.deepEqual(
      routesOf(json(beside)).map((mistake) => mistake.split(': ')[0]),
      ['paths /a post __proto__ x-permission', 'paths /a post __proto__'],
    );
    const wrong = '{"paths":{"/a":{"__proto__":{"get":{"x-permission":"none"}}},"__proto__":{"get":{}}}}';
    assert.deepEqual(
      routesOf(json(wrong)).map((mistake) => mistake.split(': ')[0]),
      ['paths /a __proto__ get x-permission', 'paths /a __proto__', 'paths __proto__'],
    );
    assert.match(routesOf({ servers: [{ url: '/{constructor}' }], paths: {} }).join(), /does not declare/);
    assert.equal(({} as Record<string, unknown>)['x-permission'], undefined);
    assert.equal(({} as Record<string, unknown>)['get'], undefined);
  });

  test('of 20,000 paths is read, and found', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`/p${index}/{id}`, { get: {} }]),
    );
    const found = routesOfOpenApi({ paths }, 'api');
    assert.deepEqual(
      found.findings.filter(({ severity }) => severity === 'mistake'),
      [],
    );
    const table = RouteTable.from(found.rules.map(({ rule }) => rule));
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
        for (const { rule } of found.rules)
          assert.ok(Object.keys(paths).some((name) => rule.path.endsWith(name)));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });
});

describe('a permission is told apart as its tag is', () => {
  const tagged = (tags: readonly string[], more: object = {}): object => ({
    openapi: '3.1.0',
    paths: Object.fromEntries(tags.map((tag, index) => [`/p${index}`, { get: { tags: [tag] } }])),
    ...more,
  });
  const permissions = (tags: readonly string[], options: OpenApiOptions = {}): readonly string[] =>
    routesOf(tagged(tags), options).map((route) => route.split(' ').at(-1)!);

  test('accents are left out, and a number gets a prefix', () => {
    const tags = [
      'Überweisungen',
      'créances',
      'Straße',
      'Łódź',
      '3D Secure',
      '2024',
      '💳 Payments',
      'Clients',
    ];
    assert.deepEqual(permissions(tags), [
      'uberweisungen:read',
      'creances:read',
      'strasse:read',
      'lodz:read',
      'api-3-d-secure:read',
      'api-2024:read',
      'api-payments:read',
      'api-clients:read',
    ]);
  });

  test('case, spaces and hyphens make no other permission', () => {
    const same = ['Shop Orders', 'shop-orders', 'ShopOrders', 'SHOP_ORDERS'];
    assert.deepEqual(new Set(permissions(same)), new Set(['shop-orders:read']));
  });

  for (const text of ['用户', '支付 API', 'お支払い', 'المدفوعات', 'Группа 7', '***', '💳', '']) {
    test(`${JSON.stringify(text)} has no name, and is refused with what to write`, () => {
      const [mistake = ''] = routesOf(tagged([text]));
      assert.match(
        mistake,
        /^paths \/p0 get: .*has no letters a-z to name a permission.*x-permission.*"tags": /,
      );
    });
  }

  const long = 'A very long name of a group of operations';
  for (const [left, right] of [
    ['C#', 'C++'],
    ['C', 'C#'],
    ['Über', 'Uber'],
    ['💳 Payments', 'Payments'],
    ['Users & Groups', 'Users / Groups'],
    [`${long} one`, `${long} two`],
    ['API Clients', 'Clients'],
    ['3D', 'API 3D'],
  ] as const)
    test(`${left} and ${right} are refused together, each is accepted alone`, () => {
      const mistakes = routesOf(tagged([left, right, left]));
      assert.equal(mistakes.length, 1);
      assert.match(mistakes[0]!, /would be one permission/);
      assert.equal(permissions([left, left]).length, 2);
      assert.equal(permissions([right]).length, 1);
    });

  test('path segments and tags are told apart too', () => {
    const paths = {
      '/C%23/{id}': { get: {} },
      '/x': { get: { tags: ['C++'] } },
      '/{id}': { get: {} },
      '/y': { get: { tags: ['API'] } },
    };
    const mistakes = routesOf({ openapi: '3.1.0', paths });
    assert.match(mistakes[0]!, /tag "C\+\+" and the path segment "C#" would be one permission, c:/);
    assert.match(mistakes[1]!, /tag "API" and a path without text would be one permission, api:/);
    assert.match(
      routesOf({ paths: { '/%E7%94%A8': { get: {} } } })[0]!,
      /path segment "用" has no letters a-z/,
    );
  });

  test('the operator names them', () => {
    const reading = { tags: { 'C#': 'c-sharp', 'C++': 'cpp', 用户: 'users' } };
    assert.deepEqual(permissions(['C#', 'C++', '用户'], { reading }), [
      'c-sharp:read',
      'cpp:read',
      'users:read',
    ]);
    const one = { tags: { 'C#': 'c' } };
    assert.match(routesOf(tagged(['C#', 'C']), { reading: one })[0]!, /would be one permission/);
    const both = { tags: { 'C#': 'c', C: 'c' } };
    assert.deepEqual(permissions(['C#', 'C'], { reading: both }), ['c:read', 'c:read']);
  });
});

describe('methods', () => {
  test('of OpenAPI 3.2 are routes', () => {
    const item = {
      get: {},
      query: {},
      additionalOperations: { COPY: {}, LINK: { 'x-permission': 'a:link' } },
    };
    assert.deepEqual(routesOf({ openapi: '3.2.0', paths: { '/a': item } }), [
      'GET /a a:read',
      'QUERY /a a:write',
      'COPY /a a:write',
      'LINK /a a:link',
    ]);
  });

  test('in additionalOperations that belong elsewhere, or are none, are mistakes', () => {
    const of = (operations: unknown): string =>
      routesOf({ paths: { '/a': { additionalOperations: operations } } }).join();
    assert.match(of({ POST: {} }), /"POST" in additionalOperations belongs in "post"/);
    assert.match(of({ 'a b': {} }), /is not a method/);
    assert.match(of([]), /must be an object of operations/);
    assert.match(of({ COPY: null }), /must be an object/);
  });

  test('that never arrive are reported', () => {
    const item = { trace: {}, additionalOperations: { CONNECT: {}, copy: {} } };
    assert.deepEqual(warningsOf({ openapi: '3.2.0', paths: { '/a': item } }), [
      'paths /a trace: TRACE /a: TRACE is never forwarded',
      'paths /a additionalOperations CONNECT: CONNECT /a: CONNECT is never forwarded',
      'paths /a additionalOperations copy: copy /a: requests with this method are always rejected, because Node.js does not know it',
    ]);
  });

  test('a path without any keeps its requests from a route for more paths', () => {
    const paths = { '/{page}': { get: {} }, '/admin': {}, '/trace': { trace: {} } };
    const { rules } = routesOfOpenApi({ openapi: '3.1.0', paths }, 'api');
    const table = RouteTable.from(rules.map(({ rule }) => rule));
    assert.ok(table instanceof RouteTable);
    assert.equal(table.find('GET', '/admin').kind, 'not found');
    assert.equal(table.find('GET', '/trace').kind, 'not found');
    assert.equal(table.find('GET', '/other').kind, 'route');
  });
});

describe('servers', () => {
  const url = (...urls: readonly string[]): object =>
    documentOf(['/a'], { servers: urls.map((one) => ({ url: one })) });

  for (const [written, path] of [
    ['.', '/a'],
    ['./', '/a'],
    ['/', '/a'],
    ['', '/a'],
    ['../v2', '/v2/a'],
    ['./v2/', '/v2/a'],
    ['v2', '/v2/a'],
    ['v1.0', '/v1.0/a'],
    ['//api.example.com/v1', '/v1/a'],
    ['HTTPS://api.example.com:8443/v1', '/v1/a'],
    ['{{baseUrl}}', '/a'],
    ['https://{tenant}.example.com/v1', '/v1/a'],
  ] as const)
    test(`${JSON.stringify(written)} has routes at ${path}`, () => {
      assert.deepEqual(routesOf(url(written)), [`GET ${path} x:read`]);
    });

  for (const [written, mistake] of [
    ['api.example.com/v1', /has no scheme: write https:\/\/api.example.com\/v1/],
    ['localhost:8080/v1', /must begin with https/],
    ['10.0.0.1/v1', /has no scheme/],
    ['{baseUrl}', /\{baseUrl\} in its path, which "variables" does not declare/],
    ['{baseUrl}/v1', /\{baseUrl\} in its path/],
    ['{{baseUrl}}/v1', /\{baseUrl\} in its path/],
    ['{scheme}://{host}/{version}', /\{version\} in its path/],
    ['https://api.example.com/v1/:tenant//x', /empty segment/],
    ['https://api.example.com/v1/../x', /dot segment/],
    ['ftp://api.example.com/v1', /must begin with https/],
    ['https://api.example.com/v 1', /visible ASCII/],
  ] as const)
    test(`${JSON.stringify(written)} is a mistake`, () => {
      assert.match(routesOf(url(written)).join(), mistake);
    });

  test('give routes for every value of a variable in the path', () => {
    const variables = {
      version: { default: 'v2', enum: ['v1', 'v2'] },
      region: { default: 'eu', enum: ['eu', 'us'] },
      port: { default: 8443, enum: [443, 8443] },
    };
    const servers = [{ url: 'https://{region}.example.com:{port}/{region}/{version}', variables }];
    assert.deepEqual(routesOf(documentOf(['/a'], { servers })), [
      'GET /eu/v2/a x:read',
      'GET /eu/v1/a x:read',
      'GET /us/v2/a x:read',
      'GET /us/v1/a x:read',
    ]);
  });

  test('say which values have no routes', () => {
    const servers = [{ url: '/{tenant}/v1', variables: { tenant: { default: 'acme' } } }];
    assert.deepEqual(routesOf(documentOf(['/a'], { servers })), ['GET /acme/v1/a x:read']);
    assert.match(
      warningsOf(documentOf(['/a'], { servers }))[0]!,
      /^servers 0 variables tenant: .*only its default "acme"/,
    );
  });

  for (const [name, variable] of [
    ['no default', {}],
    ['a default with braces', { default: '{x}' }],
    ['a default that is a fraction', { default: 1.5 }],
    ['a value that is a list', { default: 'v1', enum: [['v2']] }],
    ['no description', null],
  ] as const)
    test(`with a variable with ${name} are a mistake`, () => {
      const servers = [{ url: '/{v}', variables: { v: variable } }];
      assert.match(routesOf(documentOf(['/a'], { servers })).join(), /^servers 0 variables v: /);
    });

  test('that are no list, or have no URL, or too many, are mistakes', () => {
    assert.match(routesOf(documentOf(['/a'], { servers: { url: '/v1' } })).join(), /servers must be a list/);
    assert.match(routesOf(documentOf(['/a'], { servers: [{}] })).join(), /^servers 0: .*"url"/);
    const many = { default: '0', enum: Array.from({ length: 70 }, (_, index) => String(index)) };
    const servers = [{ url: '/{a}', variables: { a: many } }];
    assert.match(routesOf(documentOf(['/a'], { servers })).join(), /more than 64 combinations/);
    const urls = Array.from({ length: 65 }, (_, index) => `/v${index}`);
    assert.match(routesOf(url(...urls)).join(), /65 paths; the limit is 64/);
  });

  test('of a path or an operation count for it alone', () => {
    const servers = [{ url: 'https://api.example.com/v3' }];
    const paths = {
      '/pets': { get: { tags: ['X'] } },
      '/uploads': { servers: [{ url: 'https://upload.example.com/files/v2' }], post: { tags: ['X'] } },
      '/login': { get: { tags: ['X'], servers: [{ url: 'https://api.example.com' }] }, put: { tags: ['X'] } },
    };
    const document = { openapi: '3.1.0', servers, paths };
    assert.deepEqual(routesOf(document), [
      'GET /v3/pets x:read',
      'POST /files/v2/uploads x:write',
      'GET /login x:read',
      'PUT /v3/login x:write',
    ]);
    const [other = '', ...rest] = warningsOf(document);
    assert.match(other, /^paths \/uploads servers: .*upload.example.com has a different host/);
    assert.deepEqual(rest, []);
  });

  test('give way to the base path of the operator', () => {
    const options = { reading: { basePath: ['/{tenant}/api', '/'] } };
    assert.deepEqual(routesOf(url('{baseUrl}'), options), ['GET /{tenant}/api/a x:read', 'GET /a x:read']);
  });

  test('of the other version count for nothing, which is reported', () => {
    assert.match(warningsOf(documentOf(['/a'], { basePath: '/v1' })).join(), /^basePath: .*has no effect/);
    const swagger = { swagger: '2.0', servers: [{ url: '/v1' }], paths: { '/a': { get: {} } } };
    assert.match(warningsOf(swagger).join(), /^servers: .*has no effect/);
  });
});

describe('paths', () => {
  for (const [written, path] of [
    ['/tiles/{z}/{x}/{y}.{format}', '/tiles/{z}/{x}/{y}.{format}'],
    ['/compare/{base}...{head}', '/compare/{base}...{head}'],
    ['/files/{proxy+}', '/files/{proxy+}'],
    ['/files/{path*}/meta', '/files/{path+}/meta'],
    ['/files/{*path}', '/files/{path+}'],
    ['/files/{**slug}', '/files/{slug+}'],
    ['/files/{path...}', '/files/{path+}'],
    ['/files/{path:path}', '/files/{path+}'],
    ['/open/{fullpath:.*}', '/open/{fullpath+}'],
    ['/v1/{+name}', '/v1/{name+}'],
    ['/v1/{name=**}', '/v1/{name+}'],
    ['/v1/{name=projects/*/things/*}:run', '/v1/projects/{name}/things/{name_2}:run'],
    ['/v1/{name=files/**}', '/v1/files/{name+}'],
    ['/file{/path*}', '/file/{path+}'],
    ['/file{/id}', '/file/{id}'],
    ['/search{?q,limit}', '/search'],
    ['/search?type=user', '/search'],
    ['/pets#create', '/pets'],
    ['/pets/{id}?x#y', '/pets/{id}'],
    ['/a/{id}/b/{id}', '/a/{id}/b/{id_2}'],
    ['/a/{person-id}/{$x}/{a b}/{人}', '/a/{person-id}/{_x}/{a_b}/{_}'],
  ] as const)
    test(`${written} are ${path}`, () => {
      assert.deepEqual(routesOf(documentOf([written])), [`GET ${path} x:read`]);
    });

  for (const [written, mistake] of [
    ['/a/{id?}', /\{id\?\} is optional/],
    ['/a/{id:[0-9]+}', /limits what it matches.*openapiReading/],
    ['/a/{id:[0-9]{3}}', /limits what it matches/],
    ['/a/{id:int}', /limits what it matches/],
    ['/a{.format}', /is not an OpenAPI parameter/],
    ['/a{;x}', /is not an OpenAPI parameter/],
    ['/a/{x,y}', /is not an OpenAPI parameter/],
    ['/a/{}', /has no name/],
    ['/a/{id', /text between them/],
    ['/a/<id>', /parameters are written \{name\}/],
    ['/a/{path*}.json', /text between them/],
    ['/a/{x+}/{y+}', /only one part/],
    ['/a/{x}{y}', /text between them/],
    ['/a/*', /"\*"/],
    ['/用户', /visible ASCII/],
  ] as const)
    test(`${written} is refused`, () => {
      assert.match(routesOf(documentOf([written])).join(), mistake);
    });

  test('that match the same requests are one route if they need the same permission', () => {
    const twin = {
      '/users/{id}': { get: {} },
      '/users/{name}': { get: {}, put: {} },
      '/users/{x}#a': { get: {} },
    };
    assert.deepEqual(routesOf({ openapi: '3.1.0', paths: twin }), [
      'GET /users/{id} users:read',
      'PUT /users/{name} users:write',
    ]);
    assert.equal(warningsOf({ openapi: '3.1.0', paths: twin }).length, 3);
    const paths = { ...twin, '/users/{name}': { get: { 'x-permission': 'users:admin' } } };
    assert.match(
      routesOf({ openapi: '3.1.0', paths }).join('\n'),
      /^paths \/users\/\{name\} get: .*same requests as GET \/users\/\{id\}, and needs users:admin instead of users:read/,
    );
  });

  test('that can only be rejected are reported', () => {
    for (const path of ['/a//b', '/a/../b', '/a;x/b', '/a%2Fb', '/a./b'])
      assert.match(warningsOf(documentOf([path])).join(), /always rejected as ambiguous/, path);
    assert.match(warningsOf(documentOf(['/users/:id'])).join(), /:id is plain text and not a parameter/);
    assert.match(warningsOf(documentOf(['/users/[id]'])).join(), /are written \{id\}/);
    const paths = { '/a': { get: {}, 'x-amazon-apigateway-any-method': { responses: {} } } };
    assert.match(
      warningsOf({ openapi: '3.1.0', paths }).join(),
      /x-amazon-apigateway-any-method gets no routes/,
    );
  });
});

describe('references', () => {
  test('are percent-decoded', () => {
    const paths = {
      '/users/{id}': { get: {} },
      '/owners/{id}': { $ref: '#/paths/~1users~1%7Bid%7D' },
      '/people': { $ref: '#/components/pathItems/user%20list' },
      '/a%20b': { get: {} },
      '/c': { $ref: '#/paths/~1a%20b' },
    };
    const components = { pathItems: { 'user list': { get: {} } } };
    assert.deepEqual(routesOf({ openapi: '3.1.0', paths, components }).slice(1, 3), [
      'GET /owners/{id} owners:read',
      'GET /people people:read',
    ]);
    assert.equal(routesOf({ openapi: '3.1.0', paths, components }).length, 5);
    const pathItems = { 'a%20b': { get: {} }, 'a b': { post: {} } };
    const ambiguous = {
      paths: { '/a': { $ref: '#/components/pathItems/a%20b' } },
      components: { pathItems },
    };
    assert.match(routesOf(ambiguous).join(), /points to two places/);
  });

  test('keep what stands beside any of them', () => {
    const pathItems = {
      one: { $ref: '#/components/pathItems/two', 'x-permission': 'secret:read' },
      two: { get: {}, 'x-permission': 'secret:read' },
    };
    const paths = { '/a': { $ref: '#/components/pathItems/one', post: {} } };
    assert.deepEqual(routesOf({ openapi: '3.1.0', paths, components: { pathItems } }), [
      'GET /a secret:read',
      'POST /a secret:read',
    ]);
    pathItems.two['x-permission'] = 'open:read';
    assert.match(
      routesOf({ openapi: '3.1.0', paths, components: { pathItems } }).join(),
      /^components pathItems two x-permission: \/a: "x-permission" is both here and beside the \$ref/,
    );
    assert.deepEqual(
      routesOf(
        { openapi: '3.1.0', paths, components: { pathItems } },
        { reading: { paths: { '/a': { permission: 'a:admin' } } } },
      ),
      ['GET /a a:admin', 'POST /a a:admin'],
    );
  });
});

describe('what no route enforces is reported once', () => {
  const scoped = { tags: ['X', 'Y'], security: [{ oauth: ['admin'] }] };
  const document = {
    openapi: '3.1.0',
    paths: { '/a': { get: scoped, put: scoped }, '/b': { get: { tags: ['X'], security: [{ key: [] }] } } },
  };
  test('scopes and further tags', () => {
    const warnings = warningsOf(document);
    assert.equal(warnings.length, 2);
    assert.match(warnings[0]!, /^paths \/a get security: 2 operations have security scopes/);
    assert.match(warnings[1]!, /^paths \/a get tags: 2 operations have several tags/);
    assert.deepEqual(warningsOf(document, { reading: { ignore: ['scopes', 'furtherTags'] } }), []);
  });
});

test('unknown fields are mistakes, unless the operator decides what they could have been meant to', () => {
  const unknown = { openapi: '3.1.0', path: {}, paths: { '/a': { get: { tag: ['X'] } } } };
  const [root = '', operation = ''] = routesOf(unknown);
  assert.match(root, /^path: "path" is not a field of an OpenAPI document: .*set "basePath"/);
  assert.match(
    operation,
    /^paths \/a get tag: GET \/a: "tag" is not a field of an operation: .*"permission"/,
  );
  const reading = { basePath: ['/'], paths: { '/a': { permission: 'a:read' } } };
  assert.deepEqual(routesOf(unknown, { reading }), ['GET /a a:read']);
  assert.deepEqual(warningsOf(unknown, { reading }), [
    'path: "path" is not a field of an OpenAPI document',
    'paths /a get tag: GET /a: "tag" is not a field of an operation',
  ]);
});

describe('what the operator says beside the document', () => {
  test('makes routes of what cannot be read, or skips it', () => {
    const document = documentOf(['/a/{id:[0-9]+}', '/b/{x}{y}', '/c', '/d']);
    const paths = {
      '/a/{id:[0-9]+}': { path: '/a/{id}' },
      '/b/{x}{y}': { path: '/b/{xy}', permission: 'b:admin' },
      'GET /c': { permission: 'none' },
      '/d': { skip: true },
    };
    assert.deepEqual(routesOf(document, { reading: { paths } }), [
      'GET /a/{id} x:read',
      'GET /b/{xy} b:admin',
      'GET /c none',
    ]);
    assert.deepEqual(warningsOf(document, { reading: { paths } }), [
      'paths /d get: GET /d: skipped by the setting openapiReading',
    ]);
  });

  test('skips a path that cannot be read', () => {
    const document = documentOf(['/a/{id?}', '/b']);
    const reading = { paths: { '/a/{id?}': { skip: true } } };
    assert.deepEqual(routesOf(document, { reading }), ['GET /b x:read']);
    assert.match(warningsOf(document, { reading })[0]!, /^paths .*skipped; \{id\?\} is optional/);
  });

  test('is a mistake if the document has no such path', () => {
    const reading = { paths: { '/b': { skip: true }, 'PUT /a': { skip: true } } };
    assert.deepEqual(routesOf(documentOf(['/a']), { reading }), [
      'paths: openapiReading: the document has no "/b"',
      'paths: openapiReading: the document has no "PUT /a"',
    ]);
  });

  test('wins where a table has the route, also over mistakes', () => {
    const paths = {
      '/users/{id}': { get: {} },
      '/users/{name}': { get: { 'x-permission': 'users:admin' } },
      '/pets#create': { get: { tags: ['用户'] }, put: {} },
    };
    const decided = [
      { methods: ['GET'], path: '/users/{any}' },
      { methods: ['GET'], path: '/pets' },
    ];
    assert.deepEqual(routesOf({ openapi: '3.1.0', paths }, { decided }), ['PUT /pets pets:write']);
  });
});
