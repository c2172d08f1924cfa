import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { honest, type HostileUpstream, openHostileUpstream, type WireRequest } from './hostile-upstream.ts';
import { type AskOptions, openRawGateway, type RawGateway } from './raw-gateway.ts';
import { framingNames, spellings, spoofedNames } from './spoofed-names.ts';
import type { WholeAnswer } from './whole-answer.ts';

let upstream: HostileUpstream;
let gateway: RawGateway;
let behindProxy: RawGateway;
let count = 0;

const closers: (() => unknown)[] = [];
before(async () => {
  const t = { after: (close: () => unknown) => void closers.push(close) };
  upstream = await openHostileUpstream(t);
  const upstreams = { api: { addresses: upstream.address } };
  const routes = [
    { path: '/public/**', upstream: 'api' },
    { path: '/admin/**', upstream: 'api', permission: 'admin' },
    { path: '/watched/**', upstream: 'api', mode: 'observe' as const, permission: 'admin' },
  ];
  gateway = await openRawGateway(t, { upstreams, routes });
  const environment = { COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1' };
  behindProxy = await openRawGateway(t, { upstreams, routes, environment });
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});
beforeEach(() => {
  upstream.forget();
  upstream.behave(honest);
});

/** Sends lines with a request that is accepted, and returns what reached the API. */
async function forwarded(lines: readonly string[], from = gateway): Promise<WireRequest> {
  const answer = await from.ask('GET', `/public/${++count}`, { lines });
  assert.equal(answer.status, 200, answer.body);
  assert.equal(upstream.requests.length, 1);
  return upstream.requests[0]!;
}

/** Sends a request that must be rejected before anything is forwarded. */
async function refused(method: string, target: string, options: AskOptions = {}): Promise<WholeAnswer> {
  const answer = await gateway.ask(method, target, options);
  assert.equal(upstream.requests.length + upstream.strays.length, 0);
  return answer;
}

/** The value that a spoofed field has, so that it can be found wherever it ends up. */
const evil = 'evil.example';

describe('a name that an upstream could believe', () => {
  const names = [...spoofedNames, ...framingNames];
  for (const name of names)
    test(`${name} does not pass, however it is written`, async () => {
      const request = await forwarded(spellings(name).map((spelling) => `${spelling}: ${evil}`));
      assert.equal(request.lines.join('\n').includes(evil), false, request.lines.join('\n'));
    });

  test('is not there twice: servers that fold names see each of ours once', async () => {
    const request = await forwarded(
      names.flatMap((name) => `${name.replaceAll('-', '_')}: ${evil}`).slice(0, 80),
    );
    const folded = request.lines.map((line) =>
      line.slice(0, line.indexOf(':')).toLowerCase().replaceAll('_', '-'),
    );
    assert.deepEqual(folded, [...new Set(folded)]);
  });

  test('with an underscore passes if nothing else has that name', async () => {
    const request = await forwarded(['X_Tenant: a', 'X_Both: b', 'X-Both: c']);
    assert.deepEqual(
      [request.values('x_tenant'), request.values('x_both'), request.values('x-both')],
      [['a'], [], ['c']],
    );
  });

  for (const name of [
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Content-Digest',
    'Signature',
    'Authorization',
  ])
    test(`an alias of ${name} does not stand beside it`, async () => {
      const plain = name === 'Authorization' || name === 'Content-Digest' ? [`${name}: x`] : [];
      const aliases = [name.replaceAll('-', '_'), name.replaceAll('-', '.'), `${name}_`.slice(0, -1)];
      const spoofed = aliases.filter((alias) => alias !== name).map((alias) => `${alias}: ${evil}`);
      const request = await forwarded([...plain, ...spoofed]);
      assert.equal(request.lines.join('\n').includes(evil), false);
    });
});

describe('Connection', () => {
  test('CVE-2024-45410, CVE-2025-48865: cannot have a field removed that the gateway writes', async () => {
    const named = 'close, X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto, X-Real-Ip, Via';
    const request = await forwarded([`Connection: ${named}`]);
    assert.deepEqual(request.values('x-forwarded-host'), ['shop.example.test']);
    assert.deepEqual(request.values('x-forwarded-proto'), ['https']);
    assert.deepEqual(request.values('x-forwarded-for'), ['127.0.0.1']);
    assert.deepEqual(request.values('via'), ['1.1 countersign']);
  });

  for (const name of [
    ...'Countersign-Client-Id countersign-roles COUNTERSIGN_KEY Countersign.Account'.split(' '),
    ...'Signature Signature-Input Content-Digest Date Host Content-Length Content-Type'.split(' '),
    ...'Authorization Cookie Idempotency-Key If-Match Range Accept'.split(' '),
  ])
    test(`that names ${name} is refused`, async () => {
      const answer = await refused('GET', `/public/${++count}`, {
        lines: [`Connection: keep-alive, ${name}`],
      });
      assert.deepEqual([answer.status, answer.code], [400, 'request_malformed']);
    });

  test('has only what it names removed, and never passes itself', async () => {
    const request = await forwarded(['Connection: X-One ,, x-two', 'X-One: a', 'X-Two: b', 'X-Three: c']);
    assert.deepEqual(
      [request.values('x-one'), request.values('x-two'), request.values('x-three')],
      [[], [], ['c']],
    );
    assert.deepEqual(request.values('connection'), ['keep-alive']);
  });
});

describe('published attacks on other gateways', () => {
  test('GHSA-5m6w-wvh7-57vm (Traefik): X_Forwarded_Proto', async () => {
    const request = await forwarded(['X_Forwarded_Proto: http', 'x_forwarded_Host: evil']);
    assert.deepEqual(request.values('x-forwarded-proto'), ['https']);
    assert.deepEqual([request.values('x_forwarded_proto'), request.values('x_forwarded_host')], [[], []]);
  });

  test('GHSA-6384-m2mw-rf54 (Traefik): X-Forwarded-Prefix', async () => {
    const request = await forwarded(['X-Forwarded-Prefix: /admin']);
    assert.deepEqual(request.values('x-forwarded-prefix'), []);
  });

  test('CVE-2026-33433 (Traefik): another case of an identity field', async () => {
    const request = await forwarded(['countersign-ROLES: admin', 'COUNTERSIGN-CLIENT-ID: somebody']);
    assert.deepEqual(request.values('countersign-roles'), ['payments-operator']);
    assert.equal(request.values('countersign-client-id').length, 1);
  });

  test('CVE-2025-64484 (oauth2-proxy): X_Forwarded_User', async () => {
    const request = await forwarded([
      'X-Forwarded-User: admin',
      'X_Forwarded_User: admin',
      'X-Forwarded_User: admin',
    ]);
    assert.equal(
      request.lines.some((line) => /user/i.test(line) && line.includes(': admin')),
      false,
    );
  });

  test('CVE-2026-40575 (oauth2-proxy): X-Forwarded-Uri does not choose the route', async () => {
    const lines = ['X-Forwarded-Uri: /public/1', 'X-Original-Uri: /public/1', 'X-Rewrite-Url: /public/1'];
    const answer = await refused('GET', `/admin/${++count}`, { lines });
    assert.equal(answer.code, 'permission_denied');
  });

  test('CVE-2018-14773 (Symfony): X-Original-Url does not reach the upstream', async () => {
    const request = await forwarded(['X-Original-Url: /admin', 'X-Rewrite-Url: /admin']);
    assert.equal(
      request.lines.some((line) => line.includes('/admin')),
      false,
    );
  });

  test('GHSA-7r4p-vjf4-gxv4 (Caddy): an identity that nobody proved, on a route that observes', async () => {
    const lines = [
      'Countersign-Client-Id: admin',
      'Countersign-Roles: admin',
      'Countersign-Account: a',
      'Countersign-Key: k',
    ];
    const answer = await gateway.ask('GET', `/watched/${++count}`, { lines });
    assert.equal(answer.status, 200);
    const [request] = upstream.requests;
    const names = request!.lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    assert.deepEqual(
      names.filter((name) => name.startsWith('countersign')),
      ['countersign-request-id'],
    );
  });

  test('GHSA-f59h-q822-g45g (Caddy): Remote_Groups', async () => {
    const request = await forwarded([
      'Remote_Groups: admin',
      'Remote-Groups: admin',
      'Countersign_Roles: admin',
    ]);
    assert.equal(
      request.lines.some((line) => line.endsWith(': admin')),
      false,
    );
  });

  for (const [id, target] of [
    ['GHSA-p224-6x5r-fjpm (Oathkeeper)', '/public/../admin/secrets'],
    ['CVE-2019-9901 (Envoy)', '/public/./../admin/secrets'],
    ['CVE-2026-42274 (Heimdall)', '/public/%2e%2e/admin/secrets'],
    ['CVE-2026-42274 (Heimdall), encoded slash', '/public/%2e%2e%2fadmin/secrets'],
    ['GHSA-6jwx-7vp4-9847 (Traefik)', '/public%2f..%2fadmin/secrets'],
    ['CVE-2021-29492 (Envoy)', '/public/..%5cadmin/secrets'],
    ['CVE-2020-1957 (Shiro)', '/public/;/admin/secrets'],
    ['CVE-2021-41773 (Apache)', '/public/.%2e/.%2e/admin/secrets'],
  ])
    test(`${id}: ${target}`, async () => {
      const answer = await refused('GET', target!);
      assert.equal([400, 404].includes(answer.status), true, `${answer.status} ${answer.code}`);
    });

  test('GHSA-vhr5-ggp3-qq85 (Oathkeeper): X-Forwarded-Proto is what the client called', async () => {
    const request = await forwarded([
      'X-Forwarded-Proto: http',
      'Forwarded: proto=http;host=evil;for=10.0.0.1',
    ]);
    assert.deepEqual(request.values('x-forwarded-proto'), ['https']);
    assert.deepEqual(request.values('forwarded'), []);
  });

  test('CVE-2025-29927 (Next.js): X-Middleware-Subrequest', async () => {
    const request = await forwarded(['X-Middleware-Subrequest: middleware:middleware:middleware']);
    assert.deepEqual(request.values('x-middleware-subrequest'), []);
  });

  test('CVE-2016-5385 (httpoxy): Proxy', async () => {
    const request = await forwarded(['Proxy: http://evil.example/', 'PROXY: http://evil.example/']);
    assert.deepEqual(request.values('proxy'), []);
  });

  for (const method of ['DELETE', 'OPTIONS', 'GET', 'POST', 'PUT', 'PATCH'])
    test(`CVE-2026-29057 (Next.js, http-proxy): a chunked ${method} leaves with its exact length`, async () => {
      const body = 'GET /admin HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const answer = await gateway.ask(method, `/public/${++count}`, { body, isChunked: true });
      assert.equal(answer.status, 200);
      const [request, ...others] = upstream.requests;
      assert.deepEqual([request!.method, request!.body, others], [method, body, []]);
      assert.deepEqual(request!.values('content-length'), [String(body.length)]);
      assert.deepEqual(request!.values('transfer-encoding'), []);
      assert.deepEqual(upstream.strays, []);
    });

  test('a method that a field overrides needs the permission of the real one', async () => {
    const lines = ['X-Http-Method-Override: GET', 'X-Method-Override: GET', 'X-HTTP-Method: GET'];
    const answer = await refused('DELETE', `/admin/${++count}`, { lines });
    assert.equal(answer.code, 'permission_denied');
  });
});

describe('the source address', () => {
  test('is the peer, whatever a stranger writes', async () => {
    const request = await forwarded([
      'X-Forwarded-For: 10.0.0.1',
      'X-Real-Ip: 10.0.0.2',
      'Forwarded: for=10.0.0.3',
    ]);
    assert.deepEqual(request.values('x-forwarded-for'), ['127.0.0.1']);
  });

  test('is one address behind a trusted proxy: the last one that is not a proxy', async () => {
    const lines = [
      'X-Forwarded-For: 10.0.0.1, 203.0.113.7',
      'X-Forwarded-For: 127.0.0.1',
      'X_Forwarded_For: 10.0.0.9',
    ];
    const request = await forwarded(lines, behindProxy);
    assert.deepEqual(request.values('x-forwarded-for'), ['203.0.113.7']);
    assert.deepEqual(request.values('x_forwarded_for'), []);
  });
});
