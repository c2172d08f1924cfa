import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { freePort } from '@countersign/testing/free-port';
import type { Received } from '@countersign/testing/protected-api';
import { addParty, settingFor, signed } from '@countersign/testing/profiled-requests';
import { everyPath, openProxiedApi, type ProxiedApi } from '@countersign/testing/proxied-api';
import { cannotRun, type Recipe, recipes, startProxy } from '@countersign/testing/proxy-process';
import { apiBaseUrl, otherKeyPair } from '@countersign/testing/running-service';
import { spellings, spoofedNames } from '../proxy/spoofed-names.ts';

type RecipeName = keyof typeof recipes;

const all = Object.entries(recipes) as [RecipeName, Recipe][];
const keepsBodies = (name: string): boolean => name === 'nginx' || name === 'caddy';

const { curl822 } = messageProfiles;
/** Of clients with other profiles, and on routes that identify. */
const ofProfiles = ['Profile', 'Covered', 'Unproved', 'Claimed'];

/** Headers that could tell an API another URL, method or client. */
const rivals = [
  'X-Original-Uri',
  'X-Original-Url',
  'X-Original-Method',
  'X-Original-Body',
  'X-Forwarded-Uri',
  'X-Forwarded-Method',
  'X-Rewrite-Url',
  'X-Envoy-Original-Path',
];

for (const [name, recipe] of all) {
  describe(`the recipe for ${name}`, { skip: cannotRun(recipe) }, () => {
    let api: ProxiedApi;
    let earlier = 0;
    /** The requests that have reached the API in this test. */
    const received = (): readonly Received[] => api.received.slice(earlier);
    const closers: (() => unknown)[] = [];
    before(async () => {
      api = await openProxiedApi({ after: (close) => closers.unshift(close as () => unknown) }, recipe, {
        environment: {
          ...settingFor([curl822]),
          COUNTERSIGN_ROUTES: JSON.stringify([
            { path: '/pages/**', permission: 'none', mode: 'identify' },
            ...(JSON.parse(everyPath) as object[]),
          ]),
        },
      });
    });
    beforeEach(() => {
      earlier = api.received.length;
    });
    after(async () => {
      for (const close of closers) await close();
    });

    test('tells the API who called, under whatever names a client tries', async () => {
      const forged = ['Client-Id', 'Account', 'Roles', 'Key', 'Request-Id', 'Content-Digest', ...ofProfiles];
      const headers = forged.flatMap((one) =>
        [
          `Countersign-${one}`,
          `COUNTERSIGN_${one.replace('-', '_')}`,
          `countersign.${one}`,
          `Countersign_${one}`,
        ].map((spelling) => [spelling, 'somebody'] as const),
      );
      const answer = await api.ask('GET', '/orders/1?x=1', { headers });
      assert.equal(answer.text, "the API's own /orders/1?x=1");
      assertIdentity(api, received()[0]!);
    });

    test('tells it which profile a client has, and what its signature covers', async () => {
      const party = await addParty(api, curl822);
      const created = Math.floor(Date.now() / 1000);
      const url = `${apiBaseUrl}/orders/curl?x=1`;
      const { lines } = await signed(party, { url, lines: [], signature: { created } });
      const forged = ofProfiles.map((one) => [`Countersign-${one}`, 'somebody'] as const);
      const headers = [...lines, ...forged];
      const answer = await api.ask('GET', '/orders/curl?x=1', { headers, isSigned: false });
      assert.equal(answer.text, "the API's own /orders/curl?x=1");
      const told = ['client-id', ...ofProfiles].map((one) =>
        received()[0]!.values(`countersign-${one.toLowerCase()}`),
      );
      const covered = '"@method" "@authority" "@path" "@query"';
      assert.deepEqual(told, [[party.clientId], ['curl-8.22'], [covered], [], []]);
    });

    test('tells it that nothing was proved, on a route that identifies', async () => {
      const headers = ofProfiles.map((one) => [`Countersign-${one}`, 'somebody'] as const);
      for (const [path, isSigned] of [
        ['/pages/1', false],
        ['/pages/2', true],
      ] as const)
        await api.ask('GET', path, { headers, isSigned, ...(isSigned && { target: '/pages/3' }) });
      const told = received().map((one) =>
        ['client-id', ...ofProfiles].map((header) =>
          one.values(`countersign-${header.toLowerCase()}`).join(' and '),
        ),
      );
      assert.deepEqual(told, [
        ['', '', '', 'signature_missing', ''],
        ['', '', '', 'signature_invalid', api.clientId],
      ]);
    });

    test('keeps that from a client that has headers removed by Connection', async () => {
      const names = ['Countersign-Client-Id', 'Signature', 'X-Forwarded-Uri'];
      for (const named of names) {
        const headers = [['Connection', `close, ${named}`]] as const;
        await api.ask('GET', `/orders/${named}`, { headers, keepsConnection: true });
      }
      // Apache removes the headers that Connection names before the gateway sees them, so a request without
      // its signature is rejected.
      const reached = name === 'apache' ? [names[0], names[2]] : names;
      assert.deepEqual(
        received().map(({ target }) => target),
        reached.map((one) => `/orders/${one}`),
      );
      for (const one of received()) {
        assertIdentity(api, one);
        assert.doesNotMatch(one.values('connection').join(), /countersign|signature|uri/i);
      }
    });

    test('believes and forwards no URL or method that a client writes into a header', async () => {
      const headers = rivals.map((one) => [one, one.endsWith('Method') ? 'DELETE' : '/evil'] as const);
      const answer = await api.ask('GET', '/orders', { headers });
      assert.equal(answer.verdict, 'ok', answer.text);
      const [first] = received();
      assert.deepEqual([first!.method, first!.target], ['GET', '/orders']);
      assert.deepEqual(
        rivals.filter((one) => first!.values(one.toLowerCase()).length > 0),
        [],
      );
      const unsigned = await api.ask('GET', '/orders', { headers, isSigned: false });
      assert.equal(unsigned.verdict, 'signature_missing');
      assert.equal(received().length, 1);
    });

    test('forwards no header in which a client claims another sender, origin or request', async () => {
      const evil = 'evil.example';
      const verdicts = new Set<string>();
      for (const [index, spelling] of spoofedNames.flatMap(spellings).entries()) {
        const sentBefore = api.received.length;
        const { verdict } = await api.ask('GET', `/claims/${index}`, { headers: [[spelling, evil]] });
        verdicts.add(verdict);
        const forwarded = api.received.slice(sentBefore).flatMap(({ rawHeaders }) => rawHeaders);
        assert.equal(forwarded.includes(evil), false, `${spelling}: ${forwarded.join(' ')}`);
      }
      assert.deepEqual(
        [...verdicts].filter((one) => one !== 'ok' && one !== 'request_malformed'),
        [],
      );
      // Honest requests have these from proxies and networks on their way.
      for (const usual of [
        'Forwarded',
        'X-Real-IP',
        'X-Forwarded-Proto',
        'X-Forwarded-Port',
        'CF-Connecting-IP',
      ])
        assert.equal(
          (await api.ask('GET', `/usual/${usual}`, { headers: [[usual, '10.0.0.1']] })).verdict,
          'ok',
          usual,
        );
    });

    test('switches to no other protocol', async () => {
      for (const protocol of ['websocket', 'h2c', 'smtp']) {
        const headers = [
          ['Connection', 'Upgrade, HTTP2-Settings'],
          ['Upgrade', protocol],
          ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
        ] as const;
        await api.ask('GET', `/switch/${protocol}`, { headers, keepsConnection: true });
      }
      for (const one of received())
        assert.deepEqual([one.values('upgrade'), one.values('http2-settings')], [[], []]);
    });

    test('forwards the target as it was signed', async () => {
      const targets = ['/a/../b//c%2Fd/%7e?x=1&y=%7e;z', '/a?', "/a%20b'(x)?q=%7e", '/a|b{c}"d^?q={|}'];
      const verdicts: string[] = [];
      for (const target of targets) verdicts.push((await api.ask('GET', target)).verdict);
      // Caddy encodes these characters, so the received text is not the signed one.
      const last = name === 'caddy' ? 'signature_invalid' : 'ok';
      assert.deepEqual(verdicts, ['ok', 'ok', 'ok', last]);
      const passed = last === 'ok' ? targets : targets.slice(0, 3);
      assert.deepEqual(
        received().map(({ target }) => target),
        passed,
      );
    });

    test('forwards no absolute-form, and decides about the host that Host names', async () => {
      const base = 'https://shop.example.test';
      assert.equal((await api.ask('GET', '/abs', { target: `${base}/abs` })).verdict, 'ok');
      const foreign = await api.ask('GET', '/abs2', { target: 'http://evil.example/abs2' });
      await api.ask('GET', '/abs3', { headers: [['Host', 'evil.example']] });
      // nginx leaves the host of a URL to us, and we to Host, so that the same request is decided and forwarded.
      const isLeft = foreign.verdict === 'ok';
      assert.deepEqual(
        received().map(({ target }) => target),
        isLeft ? ['/abs', '/abs2'] : ['/abs'],
      );
      for (const one of received()) assert.deepEqual(one.values('host'), ['shop.example.test']);
    });

    test('forwards no body that was not verified, whatever the method', async () => {
      const chunks = '1\r\nx\r\n0\r\n\r\n';
      const long = 'x'.repeat(200_000);
      const chunked = [['Transfer-Encoding', 'chunked']] as const;
      for (const method of ['GET', 'POST', 'DELETE']) {
        const path = (number: number): string => `/${method}/${number}`;
        const verdicts = [
          await api.ask(method, path(1), { headers: [['Content-Length', '1']], sentBody: 'x' }),
          await api.ask(method, path(2), { headers: chunked, sentBody: chunks }),
          await api.ask(method, path(3), { headers: chunked, sentBody: `30D40\r\n${long}\r\n0\r\n\r\n` }),
          await api.ask(method, path(4), { body: 'a', sentBody: 'b', headers: [['Content-Length', '1']] }),
          await api.ask(method, path(5), {
            body: 'a',
            sentBody: '1\r\na\r\n1\r\nb\r\n0\r\n\r\n',
            headers: chunked,
          }),
        ].map(({ verdict }) => verdict);
        assert.equal(verdicts.includes('ok'), false, String(verdicts));
      }
      assert.deepEqual(received(), []);
    });

    test(`${keepsBodies(name) ? 'refuses' : 'verifies and forwards'} bodies of any bytes`, async () => {
      const bytes = Buffer.from(Array.from({ length: 1024 }, (_, index) => (index * 7) % 256));
      for (const method of ['POST', 'PATCH', 'PUT', 'GET']) await api.ask(method, '/bytes', { body: bytes });
      assert.equal((await api.ask('POST', '/empty', { headers: [['Content-Length', '0']] })).verdict, 'ok');
      const bodies = received()
        .slice(0, -1)
        .map(({ method, body }) => `${method} ${body === bytes.toString('latin1')}`);
      const forwarded = ['POST true', 'PATCH true', 'PUT true', 'GET true'];
      assert.deepEqual(bodies, keepsBodies(name) ? [] : forwarded);
    });

    test('shows the client our problem document, with its headers', async (t) => {
      const routes = [
        { path: '/orders/**', methods: ['GET'], permission: 'api' },
        { path: '/admin', permission: 'api' },
      ];
      const routed = await openProxiedApi(t, recipe, {
        client: { roles: ['api-reader'] },
        environment: {
          COUNTERSIGN_ROUTES: JSON.stringify(routes),
          COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '60',
          COUNTERSIGN_CLIENT_REQUESTS_BURST_MAX: '4',
        },
      });
      const answers = [
        await routed.ask('GET', '/orders/1', { isSigned: false }),
        await routed.ask('POST', '/admin'),
        await routed.ask('GET', '/nowhere'),
        await routed.ask('DELETE', '/orders/1'),
        await routed.ask('GET', '/orders/a%2Fb'),
        await routed.ask('GET', '/orders/2', { headers: [['Host', 'evil.example']] }),
      ];
      for (let index = 3; index < 8; index++) answers.push(await routed.ask('GET', `/orders/${index}`));
      const limited = answers.find(({ status }) => status === 429)!;
      assert.deepEqual(
        [...answers.slice(0, 5), limited].map(({ status, verdict }) => `${status} ${verdict}`),
        [
          '401 signature_missing',
          '403 permission_denied',
          '404 not_found',
          '405 method_not_allowed',
          '400 path_ambiguous',
          '429 rate_limited',
        ],
      );
      for (const { headers, text } of [...answers.slice(0, 5), limited]) {
        const document = JSON.parse(text) as Record<string, unknown>;
        assert.equal(headers['content-type'], 'application/problem+json');
        assert.equal(headers['request-id'], document['requestId']);
        assert.match(String(document['type']), /\/docs\/errors#/);
        assert.deepEqual(
          Object.keys(headers).filter((one) => one.startsWith('countersign-')),
          [],
        );
      }
      assert.equal(answers[0]!.headers['www-authenticate'], 'Signature error="signature_missing"');
      assert.match(answers[0]!.headers['accept-signature']!, /^sig=\("@method" "@target-uri"/);
      assert.equal(answers[3]!.headers['allow'], 'GET, HEAD');
      assert.match(limited.headers['retry-after']!, /^\d+$/);
    });

    test("holds the client's own address against the network whitelist, whatever it claims", async () => {
      const client = { keyPair: otherKeyPair, network: ['127.0.0.2'], roles: ['api-user'] };
      const { signer } = await api.running.addClient(client);
      const headers = [
        ['X-Forwarded-For', '127.0.0.2'],
        ['X-Real-IP', '127.0.0.2'],
        ['Forwarded', 'for=127.0.0.2'],
      ] as const;
      const elsewhere = await api.ask('GET', '/orders/1', { headers, signer, localAddress: '127.0.0.3' });
      assert.equal(elsewhere.verdict, 'network_not_allowed');
      assert.match(elsewhere.text, /the source address is 127\.0\.0\.3/);
      assert.equal((await api.ask('GET', '/orders/2', { signer })).verdict, 'ok');
      assert.deepEqual(received()[0]!.values('x-forwarded-for'), ['127.0.0.2']);
    });

    test('lets nothing through while Countersign is away', async (t) => {
      const away = await freePort();
      const proxy = await startProxy(recipe, {
        3000: Number(new URL(api.address).port),
        8422: away,
        8423: away,
      });
      t.after(() => proxy.stop());
      const answer = await api.ask('GET', '/orders/1', { port: proxy.port });
      assert.ok(answer.status >= 500, String(answer.status));
      assert.deepEqual(received(), []);
    });
  });
}

/** Fails unless a request names its sender once, and correctly. */
function assertIdentity(api: ProxiedApi, received: Received): void {
  const ours = received.rawHeaders.flatMap((name, index) => {
    const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
    return index % 2 === 0 && plain.startsWith('countersign')
      ? [`${plain}: ${received.rawHeaders[index + 1]}`]
      : [];
  });
  const withoutIds = ours.map((line) => line.replace(/_[0-9a-z]{26}$/, '')).toSorted();
  assert.deepEqual(withoutIds, [
    'countersign-account: account',
    'countersign-client-id: client',
    'countersign-key: key',
    'countersign-request-id: request',
    'countersign-roles: api-user',
  ]);
  assert.ok(ours.includes(`countersign-client-id: ${api.clientId}`));
}
