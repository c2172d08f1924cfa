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
