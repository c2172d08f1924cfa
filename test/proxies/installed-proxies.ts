import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import type { Signer } from '@countersign/signature/node';
import { openProxiedApi, type ProxiedApi, type ProxiedApiOptions } from '@countersign/testing/proxied-api';
import { cannotRun, installedRecipes as recipes } from '@countersign/testing/proxy-process';
import { apiBaseUrl, otherKeyPair } from '@countersign/testing/running-service';

/** Proxies that `npm run test:proxies` installs. */
const names = ['envoy-grpc', 'envoy', 'traefik', 'caddy-current'] as const;
type Name = (typeof names)[number];

/** Opens a scene that ends with its suite. */
async function openFor(
  name: Name,
  options: ProxiedApiOptions = {},
): Promise<[ProxiedApi, () => Promise<void>]> {
  const closers: (() => Promise<unknown>)[] = [];
  const t = { after: (close: () => Promise<unknown>) => void closers.push(close) };
  const api = await openProxiedApi(t, recipes[name], options);
  return [
    api,
    async () => {
      for (const close of closers.toReversed()) await close();
    },
  ];
}

for (const name of names) {
  describe(`behind ${name}`, { skip: cannotRun(recipes[name]) }, () => {
    let api: ProxiedApi;
    let close: () => Promise<void>;
    let restricted: Signer;
    before(async () => {
      [api, close] = await openFor(name, {
        environment: {
          COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
          COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
        },
      });
      const elsewhere = { network: ['198.51.100.0/24'], roles: ['api-user'] };
      restricted = (await api.running.addClient({ ...elsewhere, keyPair: otherKeyPair })).signer;
    });
    after(() => close());

    /** Sends the callback's requests, and returns what reached the API meanwhile. */
    const reached = async <Value>(send: () => Promise<Value>): Promise<[Value, ProxiedApi['received']]> => {
      const count = api.received.length;
      const value = await send();
      return [value, api.received.slice(count)];
    };

    test('an accepted request reaches the API as it was sent, and says who sent it', async () => {
      const [answer, [seen]] = await reached(() => api.ask('GET', '/orders/a%20b?x=1&y=%7E'));
      assert.equal(answer.verdict, 'ok', answer.text);
      assert.deepEqual([seen!.method, seen!.target], ['GET', '/orders/a%20b?x=1&y=%7E']);
      assert.deepEqual(seen!.values('countersign-client-id'), [api.clientId]);
      assert.match(seen!.values('countersign-account').join(), /^account_/);
      assert.deepEqual(seen!.values('countersign-roles'), ['api-user']);
      assert.match(seen!.values('countersign-key').join(), /^key_/);
      assert.match(seen!.values('countersign-request-id').join(), /^request_/);
    });

    test('a body reaches the API byte for byte', { skip: name === 'caddy-current' }, async () => {
      const body = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
      const [answer, [seen]] = await reached(() => api.ask('POST', '/orders', { body }));
      assert.equal(answer.verdict, 'ok', answer.text);
      assert.equal(seen!.body, body.toString('latin1'));
    });

    test('a refusal is our problem document, without an identity', async () => {
      const [answer, seen] = await reached(() => api.ask('GET', '/orders', { isSigned: false }));
      assert.deepEqual([answer.status, answer.verdict, seen], [401, 'signature_missing', []]);
      assert.equal(answer.headers['content-type'], 'application/problem+json');
      assert.equal((JSON.parse(answer.text) as { code: string }).code, 'signature_missing');
      assert.deepEqual(
        Object.keys(answer.headers).filter((header) => header.startsWith('countersign-')),
        [],
      );
    });

    test('no spelling of our names reaches the API from a client', async () => {
      const spellings = [
        'Countersign-Client-Id',
        'countersign_client_id',
        'COUNTERSIGN_CLIENT-ID',
        'Countersign.Client.Id',
        'Countersign-Roles',
        'Countersign_Roles',
        'Countersign-Content-Digest',
      ];
      const headers = spellings.map((spelling) => [spelling, 'evil'] as const);
      const [answer, [seen]] = await reached(() => api.ask('GET', '/orders', { headers }));
      assert.equal(answer.verdict, 'ok', answer.text);
      const ours = seen!.rawHeaders.filter((_, index, all) => /^countersign/i.test(all[index & ~1]!));
      assert.equal(ours.includes('evil'), false, ours.join());
      assert.deepEqual(seen!.values('countersign-client-id'), [api.clientId]);
    });

    test('Connection removes neither what is signed nor what we add', async () => {
      for (const connection of [
        'close, Countersign-Client-Id',
        'Countersign-Roles',
        'close, X-Forwarded-For',
      ]) {
        const headers = [['Connection', connection]] as const;
        const [answer, seen] = await reached(() =>
          api.ask('GET', '/orders', { headers, keepsConnection: true }),
        );
        if (seen.length === 0) assert.equal(answer.status, 400);
        else {
          assert.deepEqual(seen[0]!.values('countersign-client-id'), [api.clientId], connection);
          assert.deepEqual(seen[0]!.values('countersign-roles'), ['api-user'], connection);
        }
      }
      for (const connection of ['close, Signature', 'Date', 'Content-Digest, Signature-Input']) {
        const headers = [['Connection', connection]] as const;
        const [answer, seen] = await reached(() =>
          api.ask('GET', '/orders', { headers, keepsConnection: true }),
        );
        const isStripped = name === 'caddy-current' && answer.verdict === 'ok';
        // Caddy's recipe drops Connection before it removes any header named there.
        if (!isStripped) assert.deepEqual([answer.verdict === 'ok', seen], [false, []], connection);
        else assert.notDeepEqual(seen[0]!.values('signature'), []);
      }
    });

    test('a target, method or host in another header does not count', async () => {
      const rivals = [
        ['X-Forwarded-Uri', '/orders/1'],
        ['X-Original-Uri', '/orders/1'],
        ['X-Original-Url', '/orders/1'],
        ['X-Rewrite-Url', '/orders/1'],
        ['X-Envoy-Original-Path', '/orders/1'],
        ['X-Envoy-Original-Url', '/orders/1'],
        ['X-Forwarded-Prefix', '/orders/1'],
        ['X-Forwarded_Uri', '/orders/1'],
      ] as const;
      for (const rival of rivals) {
        const options = { target: '/orders/2', headers: [rival] };
        const [answer, seen] = await reached(() => api.ask('GET', '/orders/1', options));
        assert.deepEqual([answer.verdict === 'ok', seen], [false, []], rival[0]);
      }
      for (const header of ['X-Forwarded-Method', 'X-Original-Method', 'X-HTTP-Method-Override']) {
        const { headers } = api.signer.sign({ method: 'GET', url: `${apiBaseUrl}/orders/1` });
        const all = [...Object.entries(headers), [header, 'GET']] as [string, string][];
        const [answer, seen] = await reached(() =>
          api.ask('DELETE', '/orders/1', { isSigned: false, headers: all }),
        );
        assert.deepEqual([answer.verdict === 'ok', seen], [false, []], header);
      }
    });

    test('an address that the client claims does not count', async () => {
      const claims = ['X-Forwarded-For', 'X-Real-Ip', 'Forwarded', 'X-Envoy-External-Address', 'X-Client-Ip'];
      for (const claim of claims) {
        const value = claim === 'Forwarded' ? 'for=198.51.100.7' : '198.51.100.7';
        const headers = [[claim, value]] as const;
        const [answer, seen] = await reached(() =>
          api.ask('GET', '/orders', { signer: restricted, headers }),
        );
        assert.deepEqual([answer.verdict, seen], ['network_not_allowed', []], claim);
      }
    });

    test('a body that is not signed never reaches the API', async () => {
      const framings = [
        { headers: [['Transfer-Encoding', 'chunked']] as const, sentBody: '3\r\nabc\r\n0\r\n\r\n' },
        { headers: [['Content-Length', '3']] as const, sentBody: 'abc' },
      ];
      for (const method of ['GET', 'POST', 'DELETE']) {
        for (const framing of framings) {
          const [answer, seen] = await reached(() => api.ask(method, '/orders', framing));
          assert.deepEqual(
            [answer.verdict === 'ok', seen],
            [false, []],
            `${method} ${framing.headers[0][0]}`,
          );
        }
      }
    });

    test('a body that was changed, or is longer than the limit, never reaches the API', async () => {
      const headers = [['Content-Length', '3']] as const;
      const [changed, seen] = await reached(() =>
        api.ask('POST', '/orders', { body: 'abc', sentBody: 'abd', headers }),
      );
      assert.deepEqual([changed.verdict === 'ok', seen], [false, []]);
      const body = Buffer.alloc(1_048_577);
      const [long, reachedByLong] = await reached(() => api.ask('POST', '/orders', { body }));
      assert.deepEqual([long.verdict === 'ok', reachedByLong], [false, []]);
    });

    test('what reaches the API is what was signed, however the path is written', async () => {
      const paths = [
        '/a/../b',
        '/a/./b',
        '//b',
        '/a//b',
        '/%61',
        '/a%2Fb',
        '/a%2fb',
        '/%2e%2e/b',
        '/a;x=1?y;z',
        '/a?x=%7e&y=;',
        '/a|b',
        '/a\\b',
        '/a"b',
        '/a?',
        '/a?x=%zz',
        '/a%00b',
        '/a+b?c+d',
      ];
      let forwarded = 0;
      for (const target of paths) {
        const normalised = new URL(target.replace(/^\/\//, '/'), apiBaseUrl);
        for (const signed of new Set([target, normalised.pathname + normalised.search, '/b'])) {
          const [answer, seen] = await reached(() => api.ask('GET', signed, { target }));
          if (answer.verdict === 'ok') forwarded += 1;
          assert.deepEqual(
            seen.map((request) => request.target),
            answer.verdict === 'ok' ? [signed] : [],
            `signed ${signed}, sent ${target}`,
          );
        }
      }
      assert.ok(forwarded >= 5, `${forwarded} forwarded`);
    });

    test('repeated lines of what is signed are refused', async () => {
      for (const header of ['Date', 'Signature', 'Signature-Input', 'Host']) {
        const value = header === 'Host' ? 'evil.example' : 'x';
        const [answer, seen] = await reached(() => api.ask('GET', '/orders', { headers: [[header, value]] }));
        assert.deepEqual([answer.verdict === 'ok', seen], [false, []], header);
      }
    });

    test('a signature passes once', async () => {
      const { headers } = api.signer.sign({ method: 'DELETE', url: `${apiBaseUrl}/orders/1` });
      const all = Object.entries(headers);
      const ask = (): ReturnType<ProxiedApi['ask']> =>
        api.ask('DELETE', '/orders/1', { isSigned: false, headers: all });
      const [[first, second], seen] = await reached(async () => [await ask(), await ask()] as const);
      assert.deepEqual([first.verdict, second.verdict, seen.length], ['ok', 'signature_replayed', 1]);
    });

    test(
      'over HTTP/2, a body without a length is refused as well',
      { skip: !name.startsWith('envoy') },
      async () => {
        const { headers } = api.signer.sign({ method: 'POST', url: `${apiBaseUrl}/orders` });
        const send = (body: string): Promise<number> => {
          const session = connect(`http://127.0.0.1:${api.proxy.port}`);
          const host = { ':authority': new URL(apiBaseUrl).host, ':path': '/orders', ':method': 'POST' };
          const lowerCase = Object.fromEntries(
            Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]),
          );
          const stream = session.request({ ...host, ...lowerCase });
          return new Promise((resolve, reject) => {
            stream.once('response', ({ ':status': status }) => resolve(Number(status)));
            stream.once('error', reject);
            stream.once('close', () => session.close());
            stream.resume().end(body);
          });
        };
        const [hidden, seen] = await reached(() => send('abc'));
        assert.deepEqual([hidden, seen], [401, []]);
        const [open, [request]] = await reached(() => send(''));
        assert.deepEqual([open, request!.target, request!.body], [200, '/orders', '']);
      },
    );

    test('nothing passes while nobody decides', async () => {
      const [lonely, closeLonely] = await openFor(name);
      try {
        assert.equal((await lonely.ask('GET', '/orders')).verdict, 'ok');
        await lonely.running.service.stop();
        const answer = await lonely.ask('GET', '/orders');
        assert.ok(answer.status >= 500, `status ${answer.status}`);
        assert.equal(lonely.received.length, 1);
      } finally {
        await closeLonely();
      }
    });
  });
}

describe('a recipe that was changed', () => {
  const cases: readonly (readonly [
    Name,
    string,
    readonly [string | RegExp, string],
    'GET' | 'POST',
    RegExp,
  ])[] = [
    [
      'envoy-grpc',
      'hides repeated headers',
      ['encode_raw_headers: true', 'encode_raw_headers: false'],
      'GET',
      /^status 503$/,
    ],
    [
      'envoy-grpc',
      'sends bodies as text',
      ['pack_as_bytes: true', 'pack_as_bytes: false'],
      'POST',
      /^status 503$/,
    ],
    [
      'envoy-grpc',
      'hands over parts of bodies',
      [
        /max_request_bytes: \d+\s+allow_partial_message: false/,
        `max_request_bytes: 2\n${' '.repeat(24)}allow_partial_message: true`,
      ],
      'POST',
      /^body_unseen$/,
    ],
    [
      'envoy-grpc',
      'does not say that it hands over bodies',
      [/initial_metadata:\s+- \{.*\}/, ''],
      'GET',
      /^body_unseen$/,
    ],
    [
      'envoy',
      'hands over parts of bodies',
      [
        /max_request_bytes: \d+\s+allow_partial_message: false/,
        `max_request_bytes: 2\n${' '.repeat(24)}allow_partial_message: true`,
      ],
      'POST',
      /^body_unseen$/,
    ],
    [
      'envoy',
      'does not say that it hands over bodies',
      [/- \{ key: x-original-body, .*\}/, ''],
      'GET',
      /^body_unseen$/,
    ],
    [
      'traefik',
      'does not say that it hands over bodies',
      ['traefik?body=whole', 'traefik'],
      'GET',
      /^body_unseen$/,
    ],
    ['traefik', 'keeps bodies', ['forwardBody: true', 'forwardBody: false'], 'POST', /^components_invalid$/],
  ];
  for (const [name, what, [from, to], method, verdict] of cases) {
    test(`${name} that ${what} is refused`, { skip: cannotRun(recipes[name]) }, async (t) => {
      const api = await openProxiedApi(t, recipes[name], {
        change: (text) => text.replace(from, to),
      });
      const answer = await api.ask(method, '/orders', method === 'POST' ? { body: 'abcd' } : {});
      assert.match(answer.verdict, verdict);
      assert.deepEqual(api.received, []);
    });
  }

  test(
    'envoy-grpc that normalises paths forwards what it had verified',
    { skip: cannotRun(recipes.envoy) },
    async (t) => {
      const api = await openProxiedApi(t, recipes['envoy-grpc'], {
        change: (text) =>
          text
            .replace('normalize_path: false', 'normalize_path: true')
            .replace('merge_slashes: false', 'merge_slashes: true')
            .replace('KEEP_UNCHANGED', 'UNESCAPE_AND_FORWARD'),
      });
      const raw = await api.ask('GET', '/a/../b//c%2Fd');
      assert.equal(raw.verdict, 'signature_invalid');
      const normalised = await api.ask('GET', '/b/c/d', { target: '/a/../b//c%2Fd' });
      assert.equal(normalised.verdict, 'ok');
      assert.deepEqual(
        api.received.map(({ target }) => target),
        ['/b/c/d'],
      );
    },
  );

  test(
    'traefik that trusts what clients forward believes no other target',
    { skip: cannotRun(recipes.traefik) },
    async (t) => {
      const api = await openProxiedApi(t, recipes.traefik, {
        change: (text) => text.replace('trustForwardHeader: false', 'trustForwardHeader: true'),
      });
      const headers = [['X-Forwarded-Uri', '/orders/1']] as const;
      const answer = await api.ask('GET', '/orders/1', { target: '/orders/2', headers });
      assert.deepEqual([answer.verdict, api.received], ['signature_invalid', []]);
    },
  );
});
