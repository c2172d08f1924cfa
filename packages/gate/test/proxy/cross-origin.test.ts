import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { loadConfiguration } from '@countersign/server';
import { openProtectedApi, type ProtectedApi } from '@countersign/testing/protected-api';
import { type Answer, apiBaseUrl } from '@countersign/testing/running-service';

const page = 'https://app.example.test';
const routes = JSON.stringify([{ path: '/orders', methods: ['GET', 'POST'], permission: 'shop' }]);

function open(t: TestContext, environment: Record<string, string>): Promise<ProtectedApi> {
  return openProtectedApi(t, {
    environment: { COUNTERSIGN_ROUTES: routes, ...environment },
    answer: (request, response) => {
      if (request.url === '/orders?own')
        response.setHeader('Access-Control-Allow-Origin', 'https://other.test');
      response.end('from the API');
    },
  });
}

interface Preflight {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function preflight(
  api: ProtectedApi,
  { path = '/orders', method = 'OPTIONS', headers = {}, body }: Preflight = {},
): Promise<Answer> {
  const asked = {
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'signature, date',
  };
  const all = { Origin: page, ...asked, ...headers };
  return api.running.send({ method, url: apiBaseUrl + path, headers: all, body });
}

const allowed = ({ headers }: Answer): unknown => headers['access-control-allow-origin'];

describe('pages of other origins', () => {
  test('may not call without a setting: a preflight is a request without a signature', async (t) => {
    const api = await open(t, {});
    const answer = await preflight(api);
    assert.deepEqual(
      [answer.status, answer.json()['code'], allowed(answer)],
      [401, 'signature_missing', undefined],
    );
  });

  test('get preflights answered alike for every path, if their origin is listed', async (t) => {
    const api = await open(t, { COUNTERSIGN_CORS_ORIGINS: page });
    for (const path of ['/orders', '/nowhere']) {
      const { status, headers } = await preflight(api, { path });
      assert.equal(status, 204);
      assert.deepEqual(
        ['origin', 'methods', 'headers', 'credentials'].map(
          (name) => headers[`access-control-allow-${name}`],
        ),
        [page, 'POST', 'signature, date', undefined],
      );
      assert.match(String(headers['vary']), /Origin/);
    }
    const refused: readonly Preflight[] = [
      { headers: { Origin: 'https://evil.example' } },
      { headers: { Origin: `${page}.evil.example` } },
      { headers: { Origin: 'null' } },
      { headers: { 'Access-Control-Request-Method': 'GET\tPOST' } },
      { headers: { 'Signature-Input': 'sig=()' } },
      { method: 'GET' },
      { body: 'x', headers: { 'Content-Length': '1' } },
    ];
    for (const one of refused) assert.equal((await preflight(api, one)).status, 401, JSON.stringify(one));
    assert.deepEqual(api.received, []);
  });

  test('can read rejections, and answers that the API says nothing about', async (t) => {
    const api = await open(t, { COUNTERSIGN_CORS_ORIGINS: `https://first.example.test,${page}` });
    const url = `${apiBaseUrl}/orders`;
    const unsigned = await api.running.send({ method: 'POST', url, headers: { Origin: page } });
    assert.deepEqual([unsigned.status, allowed(unsigned), unsigned.headers['vary']], [401, page, 'Origin']);
    assert.match(String(unsigned.headers['access-control-expose-headers']), /WWW-Authenticate/);
    const stranger = await api.running.send({
      method: 'POST',
      url,
      headers: { Origin: 'https://evil.example' },
    });
    assert.equal(allowed(stranger), undefined);
    const headers = { Origin: page };
    assert.equal(allowed(await api.call('GET', '/nowhere', { headers })), page);
    assert.equal(allowed(await api.call('GET', '/orders?1', { headers })), page);
    assert.equal(allowed(await api.call('GET', '/orders?own', { headers })), 'https://other.test');
    assert.equal(allowed(await api.call('GET', '/orders?2')), undefined);
  });

  test('get preflights forwarded by a setting, without an identity and only to routes', async (t) => {
    const api = await open(t, { COUNTERSIGN_CORS_ORIGINS: '*', COUNTERSIGN_CORS_PREFLIGHTS: 'forward' });
    const headers = { 'Countersign-Client-Id': 'somebody', 'X-Forwarded-User': 'somebody' };
    const answer = await preflight(api, { headers });
    assert.deepEqual([answer.status, answer.text, allowed(answer)], [200, 'from the API', undefined]);
    const [received] = api.received;
    assert.deepEqual([received!.method, received!.values('countersign-client-id')], ['OPTIONS', []]);
    assert.deepEqual(received!.values('x-forwarded-user'), []);
    for (const one of [
      { path: '/nowhere' },
      { path: '/Orders' },
      { headers: { 'Access-Control-Request-Method': 'DELETE' } },
      { body: 'x', headers: { 'Content-Length': '1' } },
      { headers: { Connection: 'close, Content-Type' } },
    ])
      assert.notEqual((await preflight(api, one)).status, 200, JSON.stringify(one));
    assert.equal(api.received.length, 1);
    // The API decides who may read its own responses.
    assert.equal(allowed(await api.call('GET', '/orders', { headers: { Origin: page } })), undefined);
    const unsigned = await api.running.send({
      method: 'POST',
      url: `${apiBaseUrl}/orders`,
      headers: { Origin: page },
    });
    assert.deepEqual([unsigned.status, allowed(unsigned)], [401, '*']);
  });

  test('are listed as browsers write origins', () => {
    for (const text of [
      'app.example.test',
      'https://app.example.test/',
      'https://App.example.test',
      'ftp://x',
    ])
      assert.throws(
        () => loadConfiguration({ COUNTERSIGN_CORS_ORIGINS: text }),
        /COUNTERSIGN_CORS_ORIGINS: .*origin/,
      );
  });
});
