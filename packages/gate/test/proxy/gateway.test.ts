import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { describe, test } from 'node:test';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import { openProtectedApi } from '@countersign/testing/protected-api';
import { apiBaseUrl, runService } from '@countersign/testing/running-service';

describe('a request that is accepted', () => {
  test('reaches the API as it was verified: method, raw target and body', async (t) => {
    const api = await openProtectedApi(t);
    const body = '{"amount": 1, "name": "café"}';
    const answer = await api.call('POST', "/orders/a%20b'(x)?q=%7e&r=|{}", { body });
    assert.deepEqual([answer.status, answer.text], [200, "the API's own /orders/a%20b'(x)?q=%7e&r=|{}"]);
    const [seen] = api.received;
    assert.deepEqual(
      [seen!.method, seen!.target, Buffer.from(seen!.body, 'latin1').toString('utf8')],
      ['POST', "/orders/a%20b'(x)?q=%7e&r=|{}", body],
    );
    assert.deepEqual(seen!.values('content-length'), [String(Buffer.byteLength(body))]);
    assert.deepEqual(seen!.values('host'), ['shop.example.test']);
    assert.deepEqual(seen!.values('transfer-encoding'), []);
  });

  test('tells the API who called', async (t) => {
    const api = await openProtectedApi(t);
    const answer = await api.call('GET', '/orders');
    const [seen] = api.received;
    assert.deepEqual(seen!.values('countersign-client-id'), [api.clientId]);
    assert.match(seen!.values('countersign-account').join(), /^account_[0-9a-z]{26}$/);
    assert.deepEqual(seen!.values('countersign-roles'), ['api-user']);
    assert.match(seen!.values('countersign-key').join(), /^key_[0-9a-z]{26}$/);
    assert.deepEqual(seen!.values('countersign-request-id'), [answer.headers['countersign-request-id']]);
    assert.deepEqual(seen!.values('x-forwarded-for'), ['127.0.0.1']);
    assert.deepEqual(seen!.values('x-forwarded-host'), ['shop.example.test']);
    assert.deepEqual(seen!.values('x-forwarded-proto'), ['https']);
  });

  test('gets the answer of the API, unchanged but for the ID of the request', async (t) => {
    const api = await openProtectedApi(t, {
      answer: (_, response) => {
        const headers = 'Set-Cookie|a=1|X-Own|one|Set-Cookie|b=2|Cache-Control|max-age=60|Content-Length|5';
        const ours = 'Keep-Alive|timeout=1|Countersign-Client-Id|somebody';
        response.writeHead(418, 'Short and stout', `${headers}|${ours}`.split('|'));
        response.end('a pot');
      },
    });
    const { status, headers, text } = await api.call('GET', '/tea');
    assert.deepEqual([status, text], [418, 'a pot']);
    assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2']);
    assert.equal(headers['cache-control'], 'max-age=60');
    assert.equal(headers['x-content-type-options'], undefined);
    assert.equal(headers['countersign-client-id'], undefined);
    assert.equal(headers['keep-alive'], undefined);
    assert.match(String(headers['countersign-request-id']), /^request_/);
  });
});

describe('a request that is refused', () => {
  test('never reaches the API', async (t) => {
    const api = await openProtectedApi(t);
    const url = `${apiBaseUrl}/orders`;
    const { headers } = api.signer.sign({ method: 'GET', url });
    const codes = await Promise.all([
      api.running.send({ method: 'GET', url }),
      api.running.send({ method: 'DELETE', url, headers: { ...headers } }),
      api.running.send({ method: 'GET', url: `${url}?`, headers: { ...headers } }),
      api.running.send({ method: 'GET', url, body: 'x', headers: { ...headers } }),
    ]);
    assert.deepEqual(
      codes.map((answer) => answer.json()['code']),
      ['signature_missing', 'signature_invalid', 'signature_invalid', 'components_invalid'],
    );
    assert.deepEqual(api.received, []);
  });

  test('needs api:read to read and api:write to change, unless routes say otherwise', async (t) => {
    const api = await openProtectedApi(t, { client: { roles: ['api-reader'] } });
    assert.equal((await api.call('GET', '/orders')).status, 200);
    const refused = await api.call('POST', '/orders', { body: '{}' });
    assert.equal(refused.json()['code'], 'permission_denied');
    assert.match(String(refused.json()['reason']), /needs the permission api:write/);
    assert.equal(api.received.length, 1);
  });
});

test('the console and the API have doors of their own: neither answers for the other', async (t) => {
  const api = await openProtectedApi(t);
  assert.equal((await api.call('GET', '/v1/whoami')).text, "the API's own /v1/whoami");
  assert.equal((await api.call('GET', '/portal/')).text, "the API's own /portal/");
  const { hostname, port } = new URL(api.running.service.apiAddress!);
  const foreign = await fetch(`http://${hostname}:${port}/v1/whoami`);
  assert.equal(((await foreign.json()) as { code: string }).code, 'request_malformed');
});

describe('an API that is away', () => {
  test('is upstream_unavailable, and the request was not sent', async (t) => {
    const port = await freeAddress();
    const api = await openProtectedApi(t, { environment: { COUNTERSIGN_UPSTREAM: port } });
    const answer = await api.call('POST', '/orders', { body: '{}' });
    assert.deepEqual([answer.status, answer.json()['code']], [502, 'upstream_unavailable']);
    assert.equal(answer.text.includes(port), false, 'no address of an upstream is told');
  });

  test('is not asked while another address of it answers', async (t) => {
    const away = await freeAddress();
    const server = createServer((_, response) => response.end('here'));
    const here = await listenOn(server);
    t.after(() => closeServer(server));
    const api = await openProtectedApi(t, { environment: { COUNTERSIGN_UPSTREAM: `${away},${here}` } });
    const texts: string[] = [];
    for (let index = 0; index < 10; index++)
      texts.push((await api.call('POST', `/${index}`, { body: 'x' })).text);
    assert.deepEqual(new Set(texts), new Set(['here']));
  });
});

test('a service without an upstream has no door for an API', async (t) => {
  const running = await runService();
  t.after(() => running.close());
  assert.equal(running.service.apiAddress, undefined);
});

/** An address at which nothing listens. */
async function freeAddress(): Promise<string> {
  const server: Server = createServer();
  const address = await listenOn(server);
  await closeServer(server);
  return address;
}
