import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NetworkWhitelist } from '@countersign/contract/network';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Authorizer, HandedOver, Verdict } from '../../src/authorizers/authorizer.ts';
import { type CheckServer, createCheckServer } from '../../src/envoy-grpc/check-server.ts';
import { encodeCheck, envelope, EnvoyDouble, field, wholeBodies } from './envoy-double.ts';

describe('a check', () => {
  test('hands over the request as Envoy received it', async (t) => {
    const { envoy, handedOver } = await open(t);
    const body = Buffer.from([0, 0xff, 0x41]);
    await envoy.check({
      method: 'POST',
      path: '/a/../b//c%2Fd?x=%7e&y',
      host: 'shop.example.test',
      lines: [
        ['date', 'one'],
        ['date', 'two'],
        ['x-name', 'caf\xe9'],
      ],
      rawBody: body,
      sourceAddress: '::ffff:192.0.2.9',
    });
    const [seen] = handedOver;
    assert.deepEqual(seen!.head, {
      method: 'POST',
      url: '/a/../b//c%2Fd?x=%7e&y',
      httpVersion: '1.1',
      rawHeaders: ['Host', 'shop.example.test', 'date', 'one', 'date', 'two', 'x-name', 'caf\xe9'],
    });
    assert.equal(seen!.source.text, '192.0.2.9');
    assert.deepEqual(Buffer.from(seen!.body as Uint8Array), body);
  });

  test('keeps a second Host line, so that framing refuses it', async (t) => {
    const { envoy, handedOver } = await open(t);
    await envoy.check({ host: 'a.example.test', lines: [['host', 'b.example.test']] });
    assert.deepEqual(handedOver[0]!.head.rawHeaders, ['Host', 'a.example.test', 'host', 'b.example.test']);
  });

  test('knows HTTP/1.0; Envoy has undone the framing of all other versions', async (t) => {
    const { envoy, handedOver } = await open(t);
    for (const protocol of ['HTTP/1.0', 'HTTP/2', 'HTTP/3']) await envoy.check({ protocol, lines: [] });
    assert.deepEqual(
      handedOver.map(({ head }) => head.httpVersion),
      ['1.0', '1.1', '1.1'],
    );
  });

  test('has no source address when Envoy tells none', async (t) => {
    const { envoy, handedOver } = await open(t);
    await envoy.check({ lines: [], sourceAddress: '@/run/envoy.sock' });
    assert.deepEqual(handedOver[0]!.source, { address: undefined, text: '' });
  });
});

describe('a body', () => {
  const cases: readonly (readonly [string, Parameters<EnvoyDouble['check']>, HandedOver['body']])[] = [
    ['is none when settings declare that bodies are handed over', [{ lines: [] }, wholeBodies], 'none'],
    ['is unseen when they do not', [{ lines: [] }, {}], 'unseen'],
    [
      'is unseen when they declare something else',
      [{ lines: [] }, { 'countersign-request-body': 'yes' }],
      'unseen',
    ],
    [
      'is unseen when Envoy hands over a part',
      [{ lines: [['x-envoy-auth-partial-body', 'true']], rawBody: Buffer.from('ab') }],
      'unseen',
    ],
    [
      'is unseen when a client adds that it is whole',
      [
        {
          lines: [
            ['x-envoy-auth-partial-body', 'false'],
            ['X-Envoy-Auth-Partial-Body', 'true'],
          ],
          rawBody: Buffer.from('ab'),
        },
      ],
      'unseen',
    ],
  ];
  for (const [name, check, body] of cases) {
    test(name, async (t) => {
      const { envoy, handedOver } = await open(t);
      await envoy.check(...check);
      assert.deepEqual(handedOver[0]!.body, body);
    });
  }
});

describe('an allowed request', () => {
  const allowed: Verdict = {
    allowed: true,
    headers: [
      ['Countersign-Client-Id', 'client_1'],
      ['Countersign-Request-Id', 'request_1'],
    ],
    answerHeaders: [['RateLimit', '"client";r=9']],
  };

  test('gets our headers in place of those that the client sent', async (t) => {
    const { envoy } = await open(t, async () => allowed);
    const { status, ok } = await envoy.check({ lines: [], sourceAddress: '192.0.2.7' });
    assert.equal(status, 0);
    assert.deepEqual(ok!.headers, [
      ['countersign-client-id', 'client_1', 2],
      ['countersign-request-id', 'request_1', 2],
      ['x-forwarded-for', '192.0.2.7', 2],
    ]);
    assert.deepEqual(ok!.answerHeaders, [['ratelimit', '"client";r=9', 2]]);
  });

  test('loses every name that could pass for one of ours, and what Envoy would believe', async (t) => {
    const { envoy } = await open(t, async () => allowed);
    const { ok } = await envoy.check({
      lines: [
        ['countersign-client-id', 'evil'],
        ['countersign_client_id', 'evil'],
        ['countersign.client.id', 'evil'],
        ['countersign-roles', 'evil'],
        ['x-forwarded-for', '6.6.6.6'],
        ['x-forwarded-uri', '/evil'],
        ['x-forwarded-proto', 'https'],
        ['x-original-url', '/evil'],
        ['x-envoy-original-path', '/evil'],
        ['x-envoy-auth-partial-body', 'false'],
        ['x-http-method-override', 'DELETE'],
        ['remote_user', 'root'],
        ['content_type', 'text/evil'],
        ['content-type', 'text/plain'],
        ['content-length', '0'],
        ['x_own_name', 'kept'],
        ['authorization', 'kept'],
      ],
    });
    assert.deepEqual(ok!.remove.toSorted(), [
      'content_type',
      'countersign-roles',
      'countersign.client.id',
      'countersign_client_id',
      'remote_user',
      'x-envoy-auth-partial-body',
      'x-envoy-original-path',
      'x-forwarded-uri',
      'x-http-method-override',
      'x-original-url',
    ]);
  });
});

test('a refused request gets our problem document', async (t) => {
  const { envoy } = await open(t, async () => ({
    allowed: false,
    status: 401,
    headers: [['WWW-Authenticate', 'Signature error="x"']],
    body: Buffer.from('{"title":"é"}'),
  }));
  const { status, denied, ok } = await envoy.check({ lines: [] });
  assert.equal(ok, undefined);
  assert.notEqual(status, 0);
  assert.deepEqual(denied, {
    status: 401,
    headers: [['www-authenticate', 'Signature error="x"', 2]],
    body: '{"title":"é"}',
  });
});

describe('settings of Envoy that hide something end the call with an error', () => {
  const cases = [
    ['joined headers', encodeCheck({ joined: [['date', 'one,two']] }), /encode_raw_headers: true/],
    [
      'headers of both kinds',
      encodeCheck({ lines: [], joined: [['date', 'x']] }),
      /encode_raw_headers: true/,
    ],
    ['no headers', encodeCheck({}), /encode_raw_headers: true/],
    ['a body as text', encodeCheck({ lines: [], textBody: 'ab' }), /pack_as_bytes: true/],
    ['a connection', field(1, field(1, '')), /HTTP filter/],
    ['nothing', Buffer.alloc(0), /HTTP filter/],
  ] as const;
  for (const [name, message, advice] of cases) {
    test(name, async (t) => {
      const { envoy, handedOver, mistakes } = await open(t);
      const { grpcStatus, grpcMessage, ok } = await envoy.send(envelope(message), wholeBodies);
      assert.deepEqual([grpcStatus, ok, handedOver.length], [9, undefined, 0]);
      assert.match(grpcMessage, advice);
      assert.match(mistakes[0]!, advice);
    });
  }
});

describe('bytes that are no check', () => {
  const big = envelope(encodeCheck({ lines: [], rawBody: Buffer.alloc(3 * 1024 * 1024) }));
  const compressed = envelope(encodeCheck({ lines: [] }));
  compressed[0] = 1;
  const cases: readonly (readonly [string, Uint8Array, Record<string, string>?])[] = [
    ['a message that is not protobuf', envelope(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]))],
    ['a field that ends too early', envelope(encodeCheck({ lines: [] }).subarray(0, 20))],
    ['groups within groups', envelope(Buffer.alloc(5000, 0x0b))],
    ['half a prefix', Buffer.from([0, 0])],
    ['a prefix without a message', envelope(Buffer.alloc(9)).subarray(0, 5)],
    ['nothing', Buffer.alloc(0)],
    [
      'two messages',
      Buffer.concat([envelope(encodeCheck({ lines: [] })), envelope(encodeCheck({ lines: [] }))]),
    ],
    ['more than the limit', big],
    ['a message that is said to be compressed', compressed],
    ['another coding', envelope(encodeCheck({ lines: [] })), { 'grpc-encoding': 'gzip' }],
    ['a timeout that is none', envelope(encodeCheck({ lines: [] })), { 'grpc-timeout': 'soon' }],
    ['another content type', envelope(encodeCheck({ lines: [] })), { 'content-type': 'application/json' }],
    [
      'another method of the service',
      envelope(encodeCheck({ lines: [] })),
      { ':path': '/envoy.service.auth.v3.Authorization/Pass' },
    ],
    [
      'another service',
      envelope(encodeCheck({ lines: [] })),
      { ':path': '/envoy.service.auth.v2.Authorization/Check' },
    ],
    ['a path that is no URL', envelope(encodeCheck({ lines: [] })), { ':path': '//[' }],
    ['an authority that is no host', envelope(encodeCheck({ lines: [] })), { ':authority': 'a b[' }],
    ['GET', Buffer.alloc(0), { ':method': 'GET' }],
  ];
  for (const [name, bytes, headers] of cases) {
    test(`${name}: allows nothing, and the next check is answered`, async (t) => {
      const { envoy, handedOver } = await open(t);
      const answer = await envoy.send(bytes, { ...wholeBodies, ...headers }).catch((error: unknown) => error);
      assert.equal((answer as { ok?: unknown }).ok, undefined);
      const seenBefore = handedOver.length;
      const next = await envoy.check({ lines: [] });
      assert.notEqual(next.ok, undefined);
      assert.equal(handedOver.length, seenBefore + 1);
    });
  }
});

test('a check that takes longer than its deadline allows nothing', async (t) => {
  const { promise, resolve } = Promise.withResolvers<Verdict>();
  const { envoy } = await open(t, () => promise);
  const answer = await envoy.check({ lines: [] }, { ...wholeBodies, 'grpc-timeout': '20m' });
  resolve(yes);
  assert.deepEqual([answer.grpcStatus, answer.ok], [4, undefined]);
});

test('an authorizer that fails allows nothing', async (t) => {
  const { envoy } = await open(t, () => Promise.reject(new Error('the cause')));
  const answer = await envoy.check({ lines: [] });
  assert.deepEqual([answer.grpcStatus, answer.ok], [13, undefined]);
  assert.equal(answer.grpcMessage.includes('the cause'), false);
});

test('a caller from another address is not answered, and the operator is told which', async (t) => {
  const { port, mistakes, handedOver } = await open(t, undefined, ['192.0.2.1']);
  const stranger = new EnvoyDouble(port);
  t.after(() => stranger.close());
  await assert.rejects(stranger.check({ lines: [] }));
  await stranger.ended();
  assert.equal(handedOver.length, 0);
  assert.deepEqual(
    new Set(mistakes),
    new Set(['127.0.0.1 is not one of the proxies that may query the authorizer']),
  );
});

test('many checks at once are all answered, each with its own request', async (t) => {
  const { envoy } = await open(t, async ({ head, body }) => {
    await sleep(Math.random() * 5);
    return { ...yes, headers: [['X-Seen', `${head.url} ${(body as Uint8Array).length}`]] };
  });
  const numbers = Array.from({ length: 300 }, (_, index) => index);
  const answers = await Promise.all(
    numbers.map((number) =>
      envoy.check({ path: `/${number}`, lines: [], rawBody: Buffer.alloc(number * 300 + 1) }),
    ),
  );
  assert.deepEqual(
    answers.map(({ ok }) => ok!.headers[0]![1]),
    numbers.map((number) => `/${number} ${number * 300 + 1}`),
  );
});

describe('stopping', () => {
  test('lets a running check finish', async (t) => {
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const { envoy, checkServer, handedOver } = await open(t, () => promise);
    const running = envoy.check({ lines: [] });
    await waitUntil(() => handedOver.length > 0, 'the check is handed over');
    const stopped = checkServer.stop(10_000);
    resolve(yes);
    assert.notEqual((await running).ok, undefined);
    await stopped;
    await envoy.ended();
  });

  test('cuts what takes too long', async (t) => {
    const { envoy, checkServer, handedOver } = await open(t, () => new Promise<Verdict>(() => undefined));
    const running = envoy.check({ lines: [] }).catch((error: unknown) => error);
    await waitUntil(() => handedOver.length > 0, 'the check is handed over');
    await checkServer.stop(20);
    assert.equal(((await running) as { ok?: unknown }).ok, undefined);
  });
});

const yes: Verdict = { allowed: true, headers: [], answerHeaders: [] };

interface Opened {
  readonly envoy: EnvoyDouble;
  readonly port: number;
  readonly checkServer: CheckServer;
  /** Everything that was asked of the authorizer, in order. */
  readonly handedOver: HandedOver[];
  readonly mistakes: string[];
}

/** Starts a server and connects to it. Both end with the test. */
async function open(
  t: TestContext,
  authorize: Authorizer = async () => yes,
  callers: readonly string[] = ['127.0.0.1'],
): Promise<Opened> {
  const handedOver: HandedOver[] = [];
  const mistakes: string[] = [];
  const checkServer = createCheckServer({
    authorize: (request) => {
      handedOver.push(request);
      return authorize(request);
    },
    callers: NetworkWhitelist.fromTexts(callers),
    bodyBytesMax: 1024 * 1024,
    onMistake: (mistake) => mistakes.push(mistake),
    onError: () => undefined,
  });
  checkServer.server.listen(0, '127.0.0.1');
  await once(checkServer.server, 'listening');
  const { port } = checkServer.server.address() as AddressInfo;
  const envoy = new EnvoyDouble(port);
  t.after(async () => {
    envoy.close();
    await checkServer.stop(0);
  });
  return { envoy, port, checkServer, handedOver, mistakes };
}
