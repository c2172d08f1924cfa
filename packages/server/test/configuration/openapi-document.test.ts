import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';
import { ConfigurationError } from '../../src/configuration/load.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-openapi-'));
after(() => rmSync(folder, { recursive: true }));

let files = 0;

function load(content: string | Uint8Array): ReturnType<typeof loadConfiguration> {
  const file = join(folder, `${++files}.yaml`);
  writeFileSync(file, content);
  return loadConfiguration({ COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:3000', COUNTERSIGN_OPENAPI: file });
}

/** The routes of a document: methods, path and permission. */
function routesOf(content: string | Uint8Array): readonly string[] {
  return load(content).routing!.routes.map(({ rule: { methods, path, permission } }) => {
    const asked = permission?.kind === 'one' ? permission.permission : 'none';
    return `${methods!.join()} ${path} ${asked}`;
  });
}

/** The mistakes of a document, without the setting and the file. */
function mistakesOf(content: string | Uint8Array): readonly string[] {
  try {
    load(content);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error));
    return error.mistakes.map((mistake) => mistake.replace(/^COUNTERSIGN_OPENAPI: .*?\d+\.yaml:? ?/, ''));
  }
  return [];
}

describe('a document that cannot be read says where and why', () => {
  const before = 'openapi: 3.1.0\npaths:\n  /a:\n    get: {}\n';
  const latin1 = Buffer.from('openapi: 3.1.0\npaths:\n  /a: { get: { tags: [caf\xe9] } }\n', 'latin1');
  for (const [name, content, mistake] of [
    ['a key twice', `${before}  /a:\n    post: {}\n`, '5:3: the key "/a" occurs twice'],
    ['a key twice in two spellings', 'paths: { 1: {}, "1": {} }', '1:17: the key "1" occurs twice'],
    ['a tab', 'paths:\n  /a:\n\tget: {}\n', '3:1: a tab is used as indentation; YAML needs spaces'],
    ['a missing space', `${before}    summary:x\n    y: 1\n`, /^5:5: YAML: /],
    [
      'a second document',
      `${before}---\na: 1\n`,
      '5:1: a second YAML document begins here; only one is read',
    ],
    ['an unknown tag', `${before}    post: !include post.yaml\n`, /^5:11: YAML: Unresolved tag: !include/],
    ['an alias without an anchor', 'paths: *a\n', '1:8: there is no anchor &a before this'],
    ['an alias in its anchor', 'paths: &a\n  /a: *a\n', '2:7: *a is inside its own anchor'],
    ['a merge of a text', 'paths:\n  <<: /a\n', '2:3: "<<" can merge only a mapping or a list of mappings'],
    [
      'two merges',
      'a: &a {}\nb:\n  <<: *a\n  <<: *a\n',
      '4:3: "<<" occurs twice; write one with a list of aliases',
    ],
    [
      'UTF-16',
      Buffer.from(`\ufeff${before}`, 'utf16le'),
      'it is encoded in UTF-16 or UTF-32; save it as UTF-8',
    ],
    [
      'UTF-16 without a mark',
      Buffer.from(before, 'utf16le'),
      'it is encoded in UTF-16 or UTF-32; save it as UTF-8',
    ],
    ['Latin-1', latin1, '3:26: this is not UTF-8; save the document as UTF-8'],
    ['a member twice', '{\n  "paths": {},\n  "p\\u0061ths": {}\n}', '3:3: the member "paths" occurs twice'],
    ['JSON without an end', '{\n  "paths": {', '2:13: a member name in double quotes is missing here'],
    ['JSON with a stray word', '{\n  "paths": {},\n  "a": nul\n}}', '3:8: a JSON value is missing here'],
    ['JSON that goes on', '{"paths":{}}\n{"a": 1}', '2:1: nothing may follow the JSON value'],
    [
      'JSON too deep',
      `{"paths":${'['.repeat(600)}${']'.repeat(600)}}`,
      '1:510: it is nested deeper than the limit of 500 levels',
    ],
    [
      'YAML too deep',
      `paths: ${'['.repeat(600)}${']'.repeat(600)}`,
      /^1:\d+: it is nested deeper than the limit of 500 levels$/,
    ],
  ] as const)
    test(name, () => {
      const [first = ''] = mistakesOf(content);
      if (typeof mistake === 'string') assert.equal(first, mistake);
      else assert.match(first, mistake);
    });

  test('merge keys that make a small file large', () => {
    const wide = Array.from({ length: 1100 }, (_, index) => `  k${index}: 1`).join('\n');
    const uses = Array.from({ length: 200 }, (_, index) => `b${index}: { <<: *a }`).join('\n');
    assert.deepEqual(mistakesOf(`a: &a\n${wide}\n${uses}\n${before}`), [
      '1:1: its merge keys copy more members than the limit of 200000',
    ]);
  });
});

describe('merge keys give what they name', () => {
  const shared = `
openapi: 3.0.3
x-shared:
  admin: &admin { x-permission: 'ledger:admin', tags: [Ledger] }
  only: &only { x-permission: 'ledger:admin' }
  other: &other { x-permission: 'ledger:other', deprecated: true }
  item: &item
    get: { tags: [Reports] }
    delete: { tags: [Reports] }
`;
  test('a permission of an operation and of a path, also from a list', () => {
    const paths = `
paths:
  /one: { get: { <<: *admin } }
  /two: { <<: *only, post: { tags: [Ledger] } }
  /three: { put: { <<: [*admin, *other] } }
  /four: { get: { <<: *admin, x-permission: 'ledger:own' } }
  /five: { get: { x-permission: 'ledger:own', <<: *admin } }
`;
    assert.deepEqual(routesOf(`${shared}${paths}`), [
      'GET /one ledger:admin',
      'POST /two ledger:admin',
      'PUT /three ledger:admin',
      'GET /four ledger:own',
      'GET /five ledger:own',
    ]);
  });

  test('operations of a path, and paths', () => {
    const paths = `
x-more: &more { /more: { <<: *item } }
paths:
  <<: *more
  /reports/{id}: { <<: *item, post: { tags: [Reports] } }
`;
    assert.deepEqual(routesOf(`${shared}${paths}`), [
      'GET /more reports:read',
      'DELETE /more reports:write',
      'GET /reports/{id} reports:read',
      'POST /reports/{id} reports:write',
      'DELETE /reports/{id} reports:write',
    ]);
  });

  test('a list of very many', () => {
    const list = Array.from({ length: 150_000 }, () => '*only').join(', ');
    assert.deepEqual(routesOf(`${shared}paths:\n  /a: { get: { <<: [${list}] } }\n`), [
      'GET /a ledger:admin',
    ]);
  });

  test('many aliases are not a problem', () => {
    const items = Array.from({ length: 3000 }, (_, index) => `  /p${index}: *item`).join('\n');
    assert.equal(routesOf(`${shared}paths:\n${items}\n`).length, 6000);
  });
});

describe('JSON', () => {
  test('may begin with a byte order mark', () => {
    const document = `\ufeff${JSON.stringify({ openapi: '3.1.0', paths: { '/a': { get: {} } } })}`;
    assert.deepEqual(routesOf(document), ['GET /a a:read']);
  });

  test('may have a very long text', () => {
    const info = { description: `${'x'.repeat(12_000_000)}"\\ \u00e9` };
    const document = JSON.stringify({ openapi: '3.1.0', info, paths: { '/a': { get: {} } } });
    assert.deepEqual(routesOf(document), ['GET /a a:read']);
    assert.match(mistakesOf(`${document.slice(0, -1)}, "x": "\\q"}`).join(), /this string does not end, or/);
  });

  test('with what only YAML allows is read as YAML', () => {
    const document = `{ openapi: 3.1.0, # a comment\n paths: { '/a': { get: {} }, } }`;
    assert.deepEqual(routesOf(document), ['GET /a a:read']);
  });
});

describe('a table beside a document', () => {
  const document =
    'openapi: 3.1.0\npaths:\n  /users/{id}: { get: {} }\n  /{page}: { get: { x-permission: pages:read } }\n';
  const load2 = (
    settings: Record<string, unknown>,
    content = document,
  ): ReturnType<typeof loadConfiguration> => {
    const file = join(folder, `${++files}.yaml`);
    const configuration = join(folder, `${files}.json`);
    writeFileSync(file, content);
    writeFileSync(
      configuration,
      JSON.stringify({ upstream: 'http://127.0.0.1:3000', openapi: file, ...settings }),
    );
    return loadConfiguration({ COUNTERSIGN_CONFIGURATION_FILE: configuration });
  };
  const shown = (loaded: ReturnType<typeof loadConfiguration>): readonly string[] =>
    loaded.routing!.routes.map(
      ({ baseUrl = '', rule: { methods, path, permission } }) =>
        `${methods?.join() ?? 'any'} ${baseUrl}${path} ${permission?.kind === 'one' ? permission.permission : 'none'}`,
    );

  test('wins whatever it calls its parameters', () => {
    const routes = [{ methods: 'GET', path: '/users/{user}', permission: 'users:admin' }];
    assert.deepEqual(shown(load2({ routes })), [
      'GET /users/{user} users:admin',
      'GET /{page} pages:read',
      // The path stays reserved: the table may have fewer methods than the document.
      ' /users/{id} none',
    ]);
  });

  test('for one base URL leaves the route of the document on the others', () => {
    const apiBaseUrls = ['https://a.example', 'https://b.example'];
    const routes = [
      { baseUrl: apiBaseUrls[0], methods: 'GET', path: '/users/{id}', permission: 'users:admin' },
    ];
    assert.deepEqual(shown(load2({ apiBaseUrls, routes })), [
      'GET https://a.example/users/{id} users:admin',
      'GET https://b.example/users/{id} users:read',
      'GET /{page} pages:read',
    ]);
  });

  test('says how to read what cannot be read', () => {
    const openapiReading = {
      basePath: '/v1',
      paths: { '/a/{id:int}': { path: '/a/{id}' } },
      tags: { 用户: 'users' },
    };
    const content = 'openapi: 3.1.0\npaths:\n  /a/{id:int}: { get: { tags: [用户] } }\n';
    assert.deepEqual(shown(load2({ openapiReading }, content)), ['GET /v1/a/{id} users:read']);
  });

  const mistakesOf2 = (settings: Record<string, unknown>, content?: string): readonly string[] => {
    try {
      load2(settings, content);
    } catch (error) {
      assert.ok(error instanceof ConfigurationError, String(error));
      return error.mistakes;
    }
    return [];
  };

  for (const [name, openapiReading, mistake] of [
    ['an unknown member', { path: {} }, /Unrecognized key/],
    ['an unreadable path', { paths: { '/a': { path: 'a' } } }, /paths \/a path: a path starts with/],
    ['a path for one method', { paths: { 'GET /a': { path: '/a' } } }, /"path" belongs to a whole path/],
    [
      'a permission of the console',
      { paths: { '/a': { permission: 'clients:read' } } },
      /must not name the resource/,
    ],
    ['a tag without a name', { tags: { A: 'A' } }, /tags A: must be resource:action/],
    ['a base path without a slash', { basePath: 'v1' }, /basePath 1: a path starts with/],
    ['something else to ignore', { ignore: ['all'] }, /must be scopes or furtherTags/],
  ] as const)
    test(`with ${name} is a mistake`, () => {
      assert.match(mistakesOf2({ openapiReading }).join('\n'), mistake);
    });

  test('without a document is a mistake', () => {
    assert.match(
      mistakesOf2({ openapi: undefined, openapiReading: { basePath: '/' } }).join(),
      /it needs COUNTERSIGN_OPENAPI/,
    );
  });

  test('with a bad row hides no mistake of the document, nor of other rows', () => {
    const routes = [
      { path: '/a', permission: 'a:read', colour: 'red' },
      { path: 'b', permission: 'b:read' },
      { methods: 'GET', path: '/c/{any}', permission: 'c:read' },
    ];
    const content =
      'openapi: 3.1.0\npaths:\n  /a: { gett: {} }\n  /c/{x}: { get: { tags: 1 } }\n  d: { get: {} }\n';
    const mistakes = mistakesOf2({ routes }, content);
    assert.deepEqual(
      mistakes.map((one) => /colour|a path starts with|"gett"/.exec(one)?.[0]),
      ['colour', 'a path starts with', 'a path starts with', '"gett"'].toSorted(
        (left, right) =>
          mistakes.findIndex((one) => one.includes(left)) - mistakes.findIndex((one) => one.includes(right)),
      ),
    );
    assert.equal(mistakes.length, 4);
    const upstreams = { shop: { addresses: 'http://127.0.0.1:1', colour: 'red' } };
    assert.match(mistakesOf2({ upstreams }, content).join('\n'), /colour[^]*:3:9: [^]*:5:3: /);
  });

  test('that a tolerant server would mix up with it is named with its place', () => {
    const routes = [{ path: '/Users/{id}', permission: 'none' }];
    assert.match(
      mistakesOf2({ routes }).join('\n'),
      /^"openapi" in the configuration file: .*\.yaml:3:18: GET \/users\/\{id\}: servers that ignore case.* treat it as any method \/Users\/\{id\}, so both/,
    );
  });
});

test('a URL in the place of the file is refused as one', () => {
  const url = 'https://api.example.com/openapi.json';
  const environment = { COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:3000', COUNTERSIGN_OPENAPI: url };
  assert.throws(() => loadConfiguration(environment), /must be a file and not a URL/);
});
