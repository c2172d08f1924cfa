import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { RouteTable } from '@countersign/gate';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';
import { ConfigurationError } from '../../src/configuration/load.ts';
import { rulesFor } from '../../src/configuration/routing-settings.ts';

/* An operator who provides a document expects its statements to be enforced. */

const folder = mkdtempSync(join(tmpdir(), 'countersign-enforced-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;

function load(content: string, openapiReading: object = {}): ReturnType<typeof loadConfiguration> {
  const file = join(folder, `${++files}.yaml`);
  const configuration = join(folder, `${files}.json`);
  writeFileSync(file, content);
  const settings = { upstream: 'http://127.0.0.1:3000', openapi: file, openapiReading };
  writeFileSync(configuration, JSON.stringify(settings));
  return loadConfiguration({ COUNTERSIGN_CONFIGURATION_FILE: configuration });
}

/** The mistakes of a document, one a line; a document without any is a mistake of the test. */
function mistakesOf(content: string, openapiReading?: object): string {
  try {
    load(content, openapiReading);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error));
    return error.mistakes.join('\n');
  }
  return assert.fail('the document was accepted');
}

/** Says which permission each of these requests needs, or how it ends. */
function asked(
  content: string,
  requests: readonly string[],
  openapiReading?: object,
): Readonly<Record<string, string>> {
  const table = RouteTable.from(rulesFor(load(content, openapiReading).routing!.routes, '', undefined));
  assert.ok(table instanceof RouteTable);
  const answers = requests.map((request) => {
    const [method = '', path = ''] = request.split(' ');
    const match = table.find(method, path);
    return [request, match.kind === 'route' ? (match.permission ?? 'none') : match.kind];
  });
  return Object.fromEntries(answers) as Record<string, string>;
}

const document = (paths: string): string => `openapi: 3.1.0\npaths:\n${paths}\n`;

describe('a permission in another spelling is a mistake', () => {
  for (const field of [
    ...'x-permissions x_permission xpermission X-PERMISSION permission perm permissions x-perm'.split(' '),
    ...'x-permission1 x-permissions-required x-required-permission x-permission-required'.split(' '),
    ...'x-permision x-permisson x-premission x-permissoin x-pemission x-persmission'.split(' '),
    'x-permission ',
    ' x-permission',
    'x-permission:',
    '"x-permission"',
    'x–permission',
    'x permission',
    'x-permi\u200bssion',
    '\u00a0x-permission',
    'ｘ-permission',
    '// x-permission',
    'x-a "x-permission"',
  ]) {
    test(`${JSON.stringify(field)} of an operation and of a path`, () => {
      const of = (item: object): string =>
        mistakesOf(JSON.stringify({ openapi: '3.1.0', paths: { '/a': item } }));
      assert.match(of({ get: { tags: ['A'], [field]: 'a:admin' } }), /is not read; write x-permission/);
      assert.match(
        of({ [field]: 'a:admin', get: { tags: ['A'] } }),
        /is not read; write x-permission|is neither an operation/,
      );
    });
  }

  test('a flow mapping that has no space behind the colon', () => {
    const flow = document('  /a:\n    delete: {tags: [public], x-permission:admin:all}');
    assert.match(mistakesOf(flow), /4:30: DELETE \/a: "x-permission:admin:all" is not read/);
  });

  test('but other extensions are not', () => {
    const fields = 'x-permalink x-premium x-impressions x-performance x-emission x-internal'.split(' ');
    const item = { get: { tags: ['A'], ...Object.fromEntries(fields.map((field) => [field, 'a'])) } };
    const content = JSON.stringify({ openapi: '3.1.0', paths: { '/permissions': item } });
    assert.deepEqual(asked(content, ['GET /permissions']), { 'GET /permissions': 'a:read' });
  });
});

describe('JSON with comments is refused', () => {
  const json = (operation: string, root = ''): string =>
    `{ "openapi": "3.1.0", ${root} "paths": { "/a": { "delete": { ${operation} } } } }`;
  for (const [name, content] of [
    ['before a permission', json('"tags": ["public"], // legacy\n "x-permission": "admin:all"')],
    ['in a block before a permission', json('"tags": ["public"], /* legacy */ "x-permission": "admin:all"')],
    ['before a name without quotes', json('"tags": ["public"], // legacy\n x-permission: "admin:all"')],
    ['before a name in single quotes', json(`"tags": ["public"], // legacy\n 'x-permission': "admin:all"`)],
    ['before tags', json('// legacy\n "tags": ["admin"]')],
    ['before a tag', json('"tags": [ // legacy\n "admin"]')],
    ['before servers', json('"tags": ["admin"]', '// legacy\n "servers": [{ "url": "/v2" }],')],
    ['before a value', json('"tags": ["a"], "x-permission": /* legacy */ "admin:all"')],
  ] as const)
    test(name, () => {
      assert.match(mistakesOf(content), /JSON has no comments/);
    });

  test('and so is a space that only looks like one', () => {
    const content = json('"tags": ["public"],\u00a0"x-permission": "admin:all"');
    assert.match(mistakesOf(content), /a member name in double quotes is missing here/);
    const yaml = document('  /a:\n    get:\n      tags: [public]\n      \u00a0x-permission: admin:all');
    assert.match(mistakesOf(yaml), /6:7: this begins or ends with a character that looks like a space/);
  });

  test('in a flow mapping of YAML too', () => {
    const flow = document('  /a: { get: { tags: [public], // legacy\n    "x-permission": admin:all } }');
    assert.match(mistakesOf(flow), /do not start comments/);
    const hidden = document('  /a: { get: { tags: [\u00a0"admin"] } }');
    assert.match(mistakesOf(hidden), /3:23: this begins or ends with a character that looks like a space/);
    const etag = `info: { x-etag: W/"33a64df5", title: 5" disks }\n${document('  /a: { get: {} }')}`;
    assert.deepEqual(asked(etag, ['GET /a']), { 'GET /a': 'a:read' });
    const fine = document('  /a: { get: { tags: [public], # legacy\n    "x-permission": admin:all } }');
    assert.deepEqual(asked(fine, ['GET /a']), { 'GET /a': 'admin:all' });
  });
});

describe('a field that nobody knows is refused', () => {
  for (const [place, content] of [
    ['an operation', document('  /a: { get: { tag: [admin] } }')],
    ['a path', document('  /a: { get: {}, security: [] }')],
    ['a document', `server: [{ url: /v2 }]\n${document('  /a: { get: {} }')}`],
    ['an operation, in an extension', document('  /a: { get: { x-a\n      tags: [admin] } }')],
    ['a document, in other letters', `Servers: [{ url: /v2 }]\n${document('  /a: { get: {} }')}`],
  ] as const)
    test(`in ${place}`, () => {
      assert.match(mistakesOf(content), /is (?:not a field|neither an operation)/);
    });
});

describe('a permission one level off is a mistake', () => {
  const operation = (fields: string): string => document(`  /a:\n    get: { tags: [public], ${fields} }`);
  for (const [place, content] of [
    ['responses', operation('responses: { x-permission: a:admin, 200: {} }')],
    ['a response', operation('responses: { 200: { x-permission: a:admin } }')],
    ['a response, without x-', operation('responses: { 200: { permission: a:admin } }')],
    ['a request body', operation('requestBody: { x-permissions: [a:admin] }')],
    ['a parameter', operation('parameters: [{ name: q, in: query, x-permission: a:admin }]')],
    ['a server', operation('servers: [{ url: /v1, x-permission: a:admin }]')],
    ['a security requirement', operation('security: [{ key: [], x-permission: a:admin }]')],
    ['an extension of an operation', operation('x-auth: { x-permission: a:admin }')],
    ['external documents', operation('externalDocs: { x-permission: a:admin }')],
    ['a callback', operation("callbacks: { done: { '{$url}': { post: { x-permission: a:admin } } } }")],
    ['a webhook', `${document('  /a: { get: {} }')}webhooks: { done: { post: { x-permission: a:admin } } }`],
    ['components', `${document('  /a: { get: {} }')}components: { x-permission: a:admin }`],
    ['a schema', `${document('  /a: { get: {} }')}components: { schemas: { A: { x-permission: a:admin } } }`],
    ['the information', `info: { x-permission: a:admin }\n${document('  /a: { get: {} }')}`],
  ] as const)
    test(`in ${place}`, () => {
      assert.match(mistakesOf(content), /is read only in a path or an operation/);
    });

  test('but data, names and extensions may have such names', () => {
    const content = `
openapi: 3.1.0
paths:
  /a:
    get:
      tags: [A]
      parameters: [{ name: x-permission, in: header, example: { x-permission: a } }]
      responses:
        200:
          headers: { X-Permission: { schema: { type: string } } }
          content: { a/b: { schema: { properties: { permissions: {}, x-permission: { default: a } } } } }
      security: [{ permission: [a] }]
  /b: { $ref: '#/components/pathItems/b' }
components:
  pathItems: { b: { x-permission: b:admin, get: {}, put: { x-permission: b:put } } }
  responses: { PermissionDenied: {} }
  schemas: { Permission: { enum: [{ x-permission: a }], permissions: a } }
  securitySchemes: { permission: { flows: { implicit: { scopes: { 'permissions:read': Read } } } } }
x-anything: { x-permission: c:d }
`;
    const requests = ['GET /a', 'GET /b', 'PUT /b'];
    assert.deepEqual(Object.values(asked(content, requests)), ['a:read', 'b:admin', 'b:put']);
  });

  test('aliases make no walk long', () => {
    const levels = Array.from(
      { length: 60 },
      (_, index) => `    S${index + 1}: &s${index + 1} { allOf: [*s${index}, *s${index}], not: *s${index} }`,
    );
    const schemas = `components:\n  schemas:\n    S0: &s0 { x-permission: a:admin }\n${levels.join('\n')}\n`;
    assert.equal(mistakesOf(`${document('  /a: { get: {} }')}${schemas}`).split('\n').length, 1);
  });
});

describe('what the operator says comes first', () => {
  const ledger = document(
    '  /ledger:\n    x-permission: path:read\n    get: { x-permission: own:read }\n    put: {}',
  );
  test('of an operation, then of its path, then the document of an operation, then of its path', () => {
    const permissions = (paths: object): unknown =>
      Object.values(asked(ledger, ['GET /ledger', 'PUT /ledger'], { paths }));
    const path = { '/ledger': { permission: 'ledger:admin' } };
    const operation = { 'GET /ledger': { permission: 'ledger:view' } };
    assert.deepEqual(permissions({}), ['own:read', 'path:read']);
    assert.deepEqual(permissions(path), ['ledger:admin', 'ledger:admin']);
    assert.deepEqual(permissions(operation), ['ledger:view', 'path:read']);
    assert.deepEqual(permissions({ ...path, ...operation }), ['ledger:view', 'ledger:admin']);
  });

  test('also over what is wrong with it', () => {
    const wrong = document('  /a:\n    get: { x-permission: [a], x-permissions: a }');
    const paths = { '/a': { permission: 'a:admin' } };
    assert.deepEqual(asked(wrong, ['GET /a'], { paths }), { 'GET /a': 'a:admin' });
  });
});

describe('a skipped or never forwarded operation falls to no wider route', () => {
  const wide = '  /{page}:\n    servers: [{ url: /v2 }]\n    get: { x-permission: public:read }';
  const own = 'servers: [{ url: /v2 }], x-permission: admin:all';
  for (const [name, paths, reading] of [
    ['an operation', `  /admin: { get: { ${own} } }`, { 'GET /admin': { skip: true } }],
    ['a path', `  /admin: { get: { ${own} } }`, { '/admin': { skip: true } }],
    ['TRACE', `  /admin: { trace: { ${own} } }`, {}],
    ['a path without operations', '  /admin: { servers: [{ url: /v2 }] }', {}],
    [
      'a path that is elsewhere',
      '  /admin: { $ref: other.yaml }',
      { '/admin': { skip: true, basePath: '/v2' } },
    ],
  ] as const)
    test(name, () => {
      const content = document(`${wide}\n${paths}`);
      assert.deepEqual(asked(content, ['GET /v2/admin', 'GET /v2/other'], { paths: reading }), {
        'GET /v2/admin': 'not found',
        'GET /v2/other': 'public:read',
      });
    });

  test('a path that cannot be read', () => {
    const public2 = '  /{a}/{b}: { get: { x-permission: public:read } }';
    for (const path of ['/internal/{id?}', '/internal/{id:[0-9]+}/x', '/internal/*', '/internal/{a}{b}']) {
      const content = document(`${public2}\n  '${path}': { get: { x-permission: admin:all } }`);
      const found = asked(content, ['GET /internal/1', 'GET /x/1'], { paths: { [path]: { skip: true } } });
      assert.deepEqual(Object.values(found), ['not found', 'public:read'], path);
    }
    for (const path of ['/{id?}', '/x/{id?}']) {
      const other = '  /x/{name}: { get: { x-permission: public:read } }';
      const content = document(`${other}\n  '${path}': { get: { x-permission: admin:all } }`);
      const skip = { [path]: { skip: true } };
      assert.match(mistakesOf(content, { paths: skip }), /to skip it, also give it a "path"/, path);
    }
    for (const item of ['{ servers: [{ url: /v2 }], get: {} }', '{ get: { servers: [{ url: /v2 }] } }']) {
      const wide2 = '  /{a}/{b}: { servers: [{ url: /v2 }], get: { x-permission: public:read } }';
      const paths = { '/in/{id?}': { skip: true } };
      const found = asked(document(`${wide2}\n  '/in/{id?}': ${item}`), ['GET /v2/in/1', 'GET /v2/x/1'], {
        paths,
      });
      assert.deepEqual(Object.values(found), ['not found', 'public:read'], item);
    }
    const content = document(`${public2}\n  '/{x}/{id?}': { get: { x-permission: admin:all } }`);
    const paths = { '/{x}/{id?}': { skip: true, path: '/in/{id}' } };
    assert.deepEqual(Object.values(asked(content, ['GET /in/1'], { paths })), ['not found']);
  });

  test('HEAD beside GET', () => {
    const content = document('  /a: { get: {}, head: {} }');
    const paths = { 'HEAD /a': { skip: true } };
    assert.deepEqual(Object.values(asked(content, ['GET /a', 'HEAD /a'], { paths })), [
      'a:read',
      'method not allowed',
    ]);
  });

  test('another path for the same requests forwards them, and the report says so', () => {
    const content = document('  /a/{x}: { get: {} }\n  /a/{y}: { get: {} }');
    const { warnings } = load(content, { paths: { '/a/{y}': { skip: true } } }).routing!;
    assert.match(warnings[0]!.message, /skipped .*; GET \/a\/\{x\} matches the same requests, and forwards/);
  });
});

describe('skip needs nothing of what it skips', () => {
  for (const [name, path, item] of [
    ['a path in another file', '/b', '{ $ref: b.yaml }'],
    ['an operation in another file', '/b', '{ get: { $ref: b.yaml } }'],
    ['a wildcard', '/files/*', '{ get: {} }'],
    ['a path that is not ASCII', '/café', '{ get: {} }'],
    ['paths below an extension', 'x-more', '{ /b: { get: {} } }'],
    ['a path that is a text', '/b', 'x'],
    ['a permission in another spelling', '/b', '{ get: { x-permissions: a }, x-permissions: b }'],
    ['tags that are a text', '/b', '{ get: { tags: a } }'],
    ['a permission one level off', '/b', '{ get: { responses: { x-permission: a } } }'],
    ['an extension that is a path', 'x-users', '{ get: {} }'],
  ] as const)
    test(name, () => {
      const content = document(`  /a: { get: {} }\n  ${path}: ${item}`);
      assert.notEqual(mistakesOf(content), '');
      const paths = { [path]: { skip: true } };
      assert.deepEqual(asked(content, ['GET /a'], { paths }), { 'GET /a': 'a:read' });
    });

  test('but its servers, unless its entry has a base path', () => {
    const content = document("  /a: { get: {} }\n  /b: { servers: [{ url: '{base}/v1' }], get: {} }");
    const skip = mistakesOf(content, { paths: { '/b': { skip: true } } });
    assert.match(skip, /set "basePath" for "\/b" in "paths" of the setting openapiReading/);
    const paths = { '/b': { skip: true, basePath: '/v1' } };
    assert.deepEqual(asked(content, ['GET /a'], { paths }), { 'GET /a': 'a:read' });
  });
});

describe('a base path', () => {
  test('in an entry replaces servers of a path or an operation', () => {
    const content = document(
      "  /a: { servers: [{ url: '{x}/v1' }], get: {} }\n  /b: { get: { servers: [{ url: '{x}/v1' }] } }",
    );
    const paths = { '/a': { basePath: ['/v1', '/v2'] }, 'GET /b': { basePath: '/v3' } };
    assert.match(mistakesOf(content, { basePath: '/' }), /set "basePath" for "\/a" in[^]*for "GET \/b" in/);
    assert.deepEqual(Object.values(asked(content, ['GET /v1/a', 'GET /v2/a', 'GET /v3/b'], { paths })), [
      'a:read',
      'a:read',
      'b:read',
    ]);
  });

  test('or an empty list of them, which may mean the root or those of the document', () => {
    const content = `servers: [{ url: /v1 }]\n${document('  /a: { servers: [], get: {} }')}`;
    assert.match(
      mistakesOf(content),
      /an empty list of servers has no path: leave it out, or set "basePath" for "\/a"/,
    );
    const paths = { '/a': { basePath: '/v1' } };
    assert.deepEqual(asked(content, ['GET /v1/a'], { paths }), { 'GET /v1/a': 'a:read' });
  });

  test('may name a parameter like a path does', () => {
    const content = document('  /u/{tenant}/{tenant_2}: { get: {} }');
    assert.deepEqual(asked(content, ['GET /acme/u/1/2'], { basePath: '/{tenant}' }), {
      'GET /acme/u/1/2': 'u:read',
    });
  });

  test('has each variable of a server once', () => {
    const values = Array.from({ length: 9 }, (_, index) => `r${index}`).join(', ');
    const server = `{ url: 'https://{region}.a.example/{region}', variables: { region: { default: r0, enum: [${values}] } } }`;
    const content = `servers: [${server}]\n${document('  /a: { get: {} }')}`;
    assert.deepEqual(asked(content, ['GET /r8/a']), { 'GET /r8/a': 'a:read' });
  });
});

describe('a path that is no pattern of ours is refused', () => {
  for (const path of ['/**', '/files/**', '/a*', '/*', '/a/*/b'])
    test(path, () => {
      const content = document(`  '${path}': { get: {} }`);
      assert.match(mistakesOf(content), /"\*", which is plain text in OpenAPI.*openapiReading.*"path"/);
      const paths = { [path]: { path: '/files/**' } };
      assert.deepEqual(asked(content, ['GET /files/a/b'], { paths }), { 'GET /files/a/b': 'files:read' });
    });
  for (const path of ['/a{?page}/b', '/a/{#f}/b', '/{&x}/b'])
    test(path, () => {
      assert.match(mistakesOf(document(`  '${path}': { get: {} }`)), /is not an OpenAPI parameter/);
    });
  test('without a slash, also where it begins like an extension', () => {
    for (const name of ['x-users', 'x-users/{id}', 'users'])
      assert.match(
        mistakesOf(document(`  /a: { get: {} }\n  ${name}: { get: {} }`)),
        /a path starts with "\/"/,
      );
  });
});

describe('x-ms-paths of Azure', () => {
  const content = (more: string): string =>
    `${document('  /x: { get: { x-permission: public:read } }')}x-ms-paths:\n  ${more}\n`;
  test('are paths, and those that only a query tells apart need one permission', () => {
    const other = content('/x?op=delete: { get: { x-permission: admin:all } }');
    assert.match(mistakesOf(other), /same requests as GET \/x, and needs admin:all instead of public:read/);
    const same = content(
      '/x?op=list: { get: { x-permission: public:read }, put: { x-permission: admin:all } }',
    );
    assert.deepEqual(Object.values(asked(same, ['GET /x', 'PUT /x'])), ['public:read', 'admin:all']);
  });
  test('that are no object are refused', () => {
    assert.match(mistakesOf(`${document('  /x: { get: {} }')}x-ms-paths: []`), /must be an object of paths/);
  });
});

describe('a permission beside a reference and beyond it', () => {
  const content = (beside: string, beyond: string): string =>
    `${document(`  /a: { $ref: '#/components/pathItems/a', ${beside} }`)}components: { pathItems: { a: { get: {}, ${beyond} } } }`;
  test('must be the same', () => {
    assert.match(
      mistakesOf(content('x-permission: public:read', 'x-permission: admin:all')),
      /"x-permission" is both here and beside the \$ref/,
    );
    const same = content('x-permission: a:all', 'x-permission: a:all');
    assert.deepEqual(asked(same, ['GET /a']), { 'GET /a': 'a:all' });
  });
  test('and so must servers', () => {
    const other = content('servers: [{ url: /v1 }]', 'servers: [{ url: /v2 }]');
    assert.match(mistakesOf(other), /"servers" is both here and beside the \$ref/);
  });
});
