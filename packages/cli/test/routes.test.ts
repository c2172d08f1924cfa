import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { run } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-routes-'));
after(() => rmSync(folder, { recursive: true }));

const openapi = join(folder, 'openapi.yaml');
writeFileSync(
  openapi,
  `
openapi: 3.1.0
servers: [{ url: 'https://api.example.com/v2' }]
paths:
  /invoices:
    get: { tags: [Invoices] }
    post: { tags: [Invoices] }
  /invoices/{id}:
    delete: { x-permission: 'invoices:void' }
  /clients:
    get: {}
`,
);
const upstream = ['--upstream', 'http://127.0.0.1:3000'];
const described = [...upstream, '--openapi', openapi];

describe('countersign routes', () => {
  test('check tells all mistakes at once', async () => {
    const routes = JSON.stringify([
      { path: 'invoices', permission: 'clients:write' },
      { path: '/a/**/b', permission: 'none', upstream: 'other' },
    ]);
    const options = { folder, environment: { COUNTERSIGN_ROUTES: routes } };
    const { code, errors } = await run(['routes', 'check', ...upstream], options);
    assert.equal(code, 4);
    assert.match(errors, /The configuration has 4 mistakes:/);
    assert.match(errors, /1: "permission" must not name the resource clients/);
    assert.match(errors, /2: there is no upstream "other"; there is: api/);
  });

  test('without an API says how to name one', async () => {
    const { code, errors } = await run(['routes', 'list'], { folder });
    assert.equal(code, 4);
    assert.match(errors, /no API is protected: pass --upstream URL/);
  });

  test('check shows what no route enforces, with its place; --strict makes it a mistake', async () => {
    const file = join(folder, 'warnings.yaml');
    writeFileSync(file, 'openapi: 3.1.0\npaths:\n  /a?x=1:\n    get: {}\n    trace: {}\n');
    const check = ['routes', 'check', ...upstream, '--openapi', file];
    const { code, out } = await run(check, { folder });
    assert.equal(code, 0);
    const [query, trace, summary] = out.split('\n');
    assert.ok(query?.startsWith(`${file}:3:3: warning: /a?x=1: `));
    assert.equal(trace, `${file}:5:5: warning: TRACE /a?x=1: TRACE is never forwarded`);
    assert.equal(summary, 'The configuration is valid: 1 route, 1 upstream, 2 warnings.');
    const strict = await run([...check, '--strict'], { folder });
    assert.deepEqual([strict.code, strict.out], [4, '']);
    assert.match(strict.errors, /--strict allows no warning:\n.*:3:3: .*\n.*:5:5: /);
    const json = JSON.parse((await run([...check, '--json'], { folder })).out) as Record<string, unknown>;
    assert.equal((json['warnings'] as { place: { line: number } }[])[1]?.place.line, 5);
    const clean = await run(['routes', 'check', ...described, '--strict'], { folder });
    assert.deepEqual([clean.code, clean.out], [0, 'The configuration is valid: 4 routes, 1 upstream.\n']);
  });

  test('check tells the place of each mistake in a document, and refuses a URL', async () => {
    const file = join(folder, 'mistakes.yaml');
    writeFileSync(file, 'openapi: 3.1.0\npaths:\n  books: { get: {} }\n  /a: { get: { tags: [用户] } }\n');
    const { code, errors } = await run(['routes', 'check', ...upstream, '--openapi', file], { folder });
    assert.equal(code, 4);
    assert.match(
      errors,
      /mistakes\.yaml:3:3: books: .*write \/books\n.*mistakes\.yaml:4:9: the tag "用户" has no letters a-z/,
    );
    const url = await run(['routes', 'check', ...upstream, '--openapi', 'https://a.example/o.json'], {
      folder,
    });
    assert.match(url.errors, /https:\/\/a\.example\/o\.json: must be a file and not a URL/);
  });

  test('list shows each operation with its permission', async () => {
    const { code, out } = await run(['routes', 'list', ...described], { folder });
    assert.equal(code, 0);
    assert.deepEqual(
      out
        .split('\n')
        .slice(1, 5)
        .map((line) => line.split(/ {2,}/)),
      [
        ['GET', '/v2/invoices', 'invoices:read', 'api', 'enforce'],
        ['POST', '/v2/invoices', 'invoices:write', 'api', 'enforce'],
        ['DELETE', '/v2/invoices/{id}', 'invoices:void', 'api', 'enforce'],
        // A permission of the console must not come from a document.
        ['GET', '/v2/clients', 'api-clients:read', 'api', 'enforce'],
      ],
    );
  });

  test('list and test say which responses are signed, if any are', async () => {
    const routes = JSON.stringify([
      { path: '/plain', permission: 'none' },
      { path: '/signed', permission: 'none', signResponses: true },
    ]);
    const options = { folder, environment: { COUNTERSIGN_ROUTES: routes } };
    const { out } = await run(['routes', 'list', ...upstream], options);
    assert.deepEqual(
      out
        .split('\n')
        .slice(0, 3)
        .map((line) => line.split(/ {2,}/).slice(-2)),
      [
        ['MODE', 'RESPONSES'],
        ['enforce', 'unsigned'],
        ['enforce', 'signed'],
      ],
    );
    const tested = await run(['routes', 'test', 'GET', '/signed', ...upstream], options);
    assert.match(tested.out, /\n {2}responses +signed\n/);
    const json = await run(['routes', 'test', 'GET', '/plain', ...upstream, '--json'], options);
    const { route } = JSON.parse(json.out) as { route: { signsResponses: boolean } };
    assert.equal(route.signsResponses, false);
    const none = await run(['routes', 'list', ...upstream], { folder });
    assert.doesNotMatch(none.out, /RESPONSES|signed/);
  });

  test('list and test say which profiles a route accepts, if one names some', async () => {
    const routes = JSON.stringify([
      { path: '/orders', permission: 'none' },
      { path: '/pages', permission: 'none', mode: 'identify', profiles: ['countersign', 'curl-8.22'] },
    ]);
    const environment = { COUNTERSIGN_ROUTES: routes, COUNTERSIGN_PROFILES: 'curl-8.22' };
    const { out } = await run(['routes', 'list', ...upstream], { folder, environment });
    assert.deepEqual(
      out
        .split('\n')
        .slice(0, 3)
        .map((line) => line.split(/ {2,}/).slice(-2)),
      [
        ['MODE', 'PROFILES'],
        ['enforce', 'any'],
        ['identify', 'countersign, curl-8.22'],
      ],
    );
    const tested = await run(['routes', 'test', 'GET', '/pages', ...upstream], { folder, environment });
    assert.match(tested.out, /\n {2}mode +identify\n {2}profiles +countersign, curl-8\.22\n/);
    const none = await run(['routes', 'list', ...upstream], { folder });
    assert.doesNotMatch(none.out, /PROFILES/);
  });

  test('list and test say which profiles the base URLs accept, if one accepts only some', async () => {
    const routes = JSON.stringify([
      { path: '/orders', permission: 'none', baseUrl: 'https://agents.example' },
      { path: '/pages', permission: 'none', profiles: ['countersign', 'curl-8.22'] },
    ]);
    const environment = {
      COUNTERSIGN_ROUTES: routes,
      COUNTERSIGN_PROFILES: 'curl-8.22',
      COUNTERSIGN_API_BASE_URLS: 'https://agents.example,https://api.example',
      COUNTERSIGN_BASE_URL_PROFILES: 'https://agents.example=curl-8.22; http://localhost:8421=countersign',
    };
    const { out } = await run(['routes', 'list', ...upstream], { folder, environment });
    const rows = out.split('\n').map((line) => line.split(/ {2,}/).slice(-2));
    assert.deepEqual(rows.slice(0, 7), [
      ['MODE', 'PROFILES'],
      ['enforce', 'curl-8.22'],
      ['enforce', 'countersign, curl-8.22'],
      [''],
      ['BASE URL', 'PROFILES'],
      ['https://agents.example', 'curl-8.22'],
      ['http://localhost:8421', 'countersign'],
    ]);
    const at = async (url: string): Promise<string> =>
      (await run(['routes', 'test', 'GET', url, ...upstream], { folder, environment })).out;
    assert.match(await at('https://agents.example/pages'), /\n {2}profiles +curl-8\.22\n/);
    assert.match(await at('https://api.example/pages'), /\n {2}profiles +countersign, curl-8\.22\n/);
  });

  test('test says where a request goes, or why it is refused', async () => {
    const of = async (method: string, url: string): Promise<[number, unknown]> => {
      const ended = await run(['routes', 'test', method, url, ...described, '--json'], { folder });
      const { outcome, code, permission } = JSON.parse(ended.out) as Record<string, unknown>;
      return [ended.code, code ?? [outcome, permission]];
    };
    assert.deepEqual(await of('DELETE', '/v2/invoices/7?x=1'), [0, ['forwarded', 'invoices:void']]);
    assert.deepEqual(await of('GET', 'http://127.0.0.1:8422/v2/invoices'), [
      0,
      ['forwarded', 'invoices:read'],
    ]);
    assert.deepEqual(await of('PUT', '/v2/invoices/7'), [1, 'method_not_allowed']);
    assert.deepEqual(await of('GET', '/admin'), [1, 'not_found']);
    assert.deepEqual(await of('DELETE', '/v2/invoices/a%2Fb'), [1, 'path_ambiguous']);
    assert.deepEqual(await of('GET', 'https://other.example/'), [1, 'request_malformed']);
  });
});
