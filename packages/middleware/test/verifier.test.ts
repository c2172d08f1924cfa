import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import {
  BodyTakenError,
  type ClientRecord,
  createVerifier,
  type FindClient,
  type VerifierOptions,
} from '@countersign/middleware';
import { countersign as forHono } from '@countersign/middleware/hono';
import { countersign as forNode } from '@countersign/middleware/node';
import { createSigner, MemoryReplayGuard } from '@countersign/signature/node';
import { openConnection, requestText } from '@countersign/testing/raw-connection';
import { type RunningService, runService } from '@countersign/testing/running-service';
import type { WireAnswer, WireRequest } from '@countersign/testing/wire';
import { frameworks, type Listening } from './frameworks.ts';
import {
  baseUrl,
  bytesOf,
  clientId,
  keyPair,
  otherKeyPair,
  sendSigned,
  shop,
  signedRequest,
} from './scene.ts';
import { exchange } from './wire.ts';

/** Starts node:http with these options and runs the work. Its monotonic clock stands still unless they say otherwise. */
async function withServer(
  options: Omit<VerifierOptions, 'baseUrls'>,
  work: (port: number) => Promise<void>,
): Promise<void> {
  const verifier = createVerifier({
    baseUrls: [baseUrl],
    guard: new MemoryReplayGuard(),
    monotonicMs: () => 0,
    ...options,
  });
  const server = await frameworks['node:http']!(verifier);
  try {
    await work(server.port);
  } finally {
    await server.close();
  }
}

const only =
  (record: ClientRecord): FindClient =>
  (named) =>
    named === clientId ? record : undefined;

test('the refusal of a large body arrives at a client that sends everything first', async () => {
  const body = 'x'.repeat(16 * 1024 * 1024);
  await withServer({ findClient: only(shop) }, async (port) => {
    const connection = await openConnection(port);
    const headers = { Host: new URL(baseUrl).host, 'Content-Length': String(body.length) };
    await connection.send(requestText('POST', '/orders', headers, body));
    const answer = await connection.answer();
    assert.deepEqual([answer.status, answer.headers['connection']], [401, 'close']);
    assert.equal(await connection.ended(), '');
  });
});

describe('the options', () => {
  test('an option of a wrong type is named', () => {
    const window = { maxAgeSeconds: 300, maxFutureSeconds: 60 };
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ baseUrls: baseUrl }, /^baseUrls must be an array/],
      [{ baseUrls: undefined }, /^baseUrls must be an array/],
      [{ findClient: new Map() }, /^findClient must be a function/],
      [{ registry: {} }, /^registry must come from/],
      [{ guard: () => undefined }, /^guard must be a replay guard/],
      [{ guard: null }, /^guard must be a replay guard/],
      [{ trustedProxies: '10.0.0.1' }, /^trustedProxies must be an array/],
      [{ limits: 5 }, /^limits must be an object/],
      [{ window }, /^window.maxDateDifferenceSeconds must be a number/],
      [{ nonce: 'require' }, /^nonce must be one of/],
      [{ nowMs: 5 }, /^nowMs must be a function/],
      [{ monotonicMs: 5 }, /^monotonicMs must be a function/],
      [{ permissionOf: 'invoices:read' }, /^permissionOf must be a function/],
      [{ onRequest: 5 }, /^onRequest must be a function/],
      [{ permissionFor: () => 'invoices:read' }, /^permissionFor is not an option/],
      [{ limits: { clientRequestsMax: 5 } }, /^limits\.clientRequestsMax is not an option/],
    ];
    for (const [given, message] of wrong) {
      const options = { baseUrls: [baseUrl], findClient: () => undefined, ...given };
      assert.throws(() => createVerifier(options), { name: 'TypeError', message });
    }
    assert.throws(() => createVerifier(undefined as never), { name: 'TypeError' });
  });

  test('a client record of a wrong type lets nobody in', async () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ keys: shop.keys[0] }, /The keys of the client .* must be an array/],
      [{ keys: [Buffer.from('key')] }, /must be a string/],
      [{ keys: [{ publicKey: shop.keys[0], endsAt: '2020-01-01' }] }, /invalid date/],
      [{ network: '0.0.0.0' }, /The network of the client .* must be an array/],
    ];
    for (const [given, message] of wrong) {
      const errors: unknown[] = [];
      const findClient = (): ClientRecord => ({ ...shop, ...given });
      await withServer({ findClient, onError: (error) => errors.push(error) }, async (port) => {
        assert.equal((await sendSigned(port)).status, 503);
      });
      assert.match(String(errors[0]), message);
    }
  });

  test('a clock that tells no time lets nobody in', async () => {
    const errors: unknown[] = [];
    const options = { findClient: () => shop, nowMs: () => Number.NaN };
    await withServer({ ...options, onError: (error) => errors.push(error) }, async (port) => {
      assert.equal((await sendSigned(port)).status, 500);
    });
    assert.equal(errors.length, 1);
  });

  test('are refused with every mistake at once', () => {
    const options = {
      baseUrls: ['https://API.example.com/'],
      trustedProxies: ['10.0.0.1/8'],
      bodyBytesMax: -1,
      limits: { clientRequestsBurstMax: 0, addressFailuresPerMinuteMax: 1.5 },
    };
    const mistakes = [
      /^baseUrls: .*API/,
      /^Pass either findClient or registry/,
      /^trustedProxies: /,
      /^bodyBytesMax /,
      /^limits\.addressFailuresPerMinuteMax/,
      /^limits\.clientRequestsBurstMax/,
    ];
    assert.throws(
      () => createVerifier(options),
      (error: Error) => {
        const lines = error.message.split('\n');
        assert.equal(lines.length, mistakes.length, error.message);
        lines.forEach((line, index) => assert.match(line, mistakes[index]!));
        return error instanceof TypeError;
      },
    );
    assert.throws(() => createVerifier({ baseUrls: [], findClient: () => undefined }), /baseUrls is empty/);
  });
});

describe('clients of a function', () => {
  test('are refused for what their record says', async () => {
    const records: readonly (readonly [ClientRecord, string])[] = [
      [shop, 'ok'],
      [{ ...shop, keys: [otherKeyPair.publicKey, keyPair.publicKey] }, 'ok'],
      [{ ...shop, status: 'disabled' }, 'client_disabled'],
      [{ ...shop, network: ['203.0.113.0/24'] }, 'network_not_allowed'],
      [{ ...shop, network: [] }, 'network_not_allowed'],
      [{ ...shop, permissions: [] }, 'permission_denied'],
      [{ ...shop, keys: [] }, 'signature_invalid'],
      [{ ...shop, keys: [otherKeyPair.publicKey] }, 'signature_invalid'],
      [
        { ...shop, keys: [{ publicKey: keyPair.publicKey, endsAt: new Date(Date.now() - 1) }] },
        'signature_invalid',
      ],
      [
        { ...shop, keys: [{ publicKey: keyPair.publicKey, startsAt: new Date(Date.now() + 9e6) }] },
        'signature_invalid',
      ],
    ];
    for (const [record, verdict] of records) {
      await withServer({ findClient: only(record), permissionOf: () => 'orders:write' }, async (port) => {
        assert.equal((await sendSigned(port)).verdict, verdict);
      });
    }
  });

  test('are refused with registry_stale when the function, a key or a record fails', async () => {
    const failing: readonly FindClient[] = [
      () => Promise.reject(new Error('the database is down')),
      () => new Promise(() => undefined),
      only({ ...shop, keys: [keyPair.privateKey] }),
      only({ ...shop, keys: [keyPair.publicKey, 'junk'] }),
      only({ ...shop, network: ['somewhere'] }),
      only({ ...shop, status: 'locked' as 'active' }),
      only({ ...shop, keys: [{ publicKey: keyPair.publicKey, endsAt: new Date('never') }] }),
    ];
    for (const findClient of failing) {
      const errors: unknown[] = [];
      await withServer({ findClient, onError: (error) => errors.push(error) }, async (port) => {
        assert.equal((await sendSigned(port)).verdict, 'registry_stale');
      });
      assert.ok(!String(errors[0]).includes('PRIVATE'), 'nothing of a key is told');
    }
  });

  test('are looked up once for many requests at a time, and never for what fails before', async () => {
    let count = 0;
    const findClient: FindClient = async (named) => {
      count += 1;
      return only(shop)(named);
    };
    await withServer({ findClient }, async (port) => {
      await exchange(port, { method: 'GET', target: '/', headers: [['Host', 'api.example.test']] });
      const late = signedRequest();
      const lines = late.headers.map(
        ([name, value]) => [name, value.replace(/created=\d+/, 'created=1')] as const,
      );
      assert.equal((await exchange(port, { ...late, headers: lines })).verdict, 'created_expired');
      assert.equal(count, 0);
      const answers = await Promise.all(Array.from({ length: 8 }, () => sendSigned(port)));
      assert.deepEqual(new Set(answers.map(({ verdict }) => verdict)), new Set(['ok']));
      assert.equal(count, 1);
    });
  });

  test('are asked for again while a body comes', async () => {
    let record = shop;
    let monotonicMs = 0;
    let lookUps = 0;
    const headDecided = Promise.withResolvers<void>();
    const options = {
      findClient: () => {
        lookUps += 1;
        return record;
      },
      // The ends of a client's keys are compared with the clock.
      nowMs: () => {
        if (lookUps > 0) headDecided.resolve();
        return Date.now();
      },
      monotonicMs: () => monotonicMs,
    };
    await withServer(options, async (port) => {
      const request = signedRequest({ body: '{}' });
      const connection = await openConnection(port);
      connection.write(bytesOf({ ...request, body: '{' }));
      await headDecided.promise;
      monotonicMs += 1001;
      record = { ...shop, status: 'disabled' };
      connection.write('}');
      const { status, text } = await connection.answer();
      connection.cut();
      assert.equal(status, 403, text);
      assert.equal(lookUps, 2);
    });
  });
});

describe('a verifier', () => {
  test('refuses what was signed before it started, unless it has another guard', async () => {
    const beforeMs = Date.now() - 2000;
    const verifier = createVerifier({ baseUrls: [baseUrl], findClient: only(shop) });
    const server = await frameworks['node:http']!(verifier);
    try {
      const early = createSigner({
        keyid: clientId,
        privateKey: keyPair.privateKey,
        nowMs: () => beforeMs,
      });
      assert.equal((await sendSigned(server.port, { signer: early })).verdict, 'recently_restarted');
      const next = createSigner({
        keyid: clientId,
        privateKey: keyPair.privateKey,
        nowMs: () => Date.now() + 2000,
      });
      assert.equal((await sendSigned(server.port, { signer: next })).verdict, 'ok');
    } finally {
      await server.close();
    }
  });

  test('believes X-Forwarded-For from its proxies alone', async () => {
    const headers = [['X-Forwarded-For', '203.0.113.7']] as const;
    const findClient = only({ ...shop, network: ['203.0.113.7'] });
    for (const [trustedProxies, verdict] of [
      [['127.0.0.1'], 'ok'],
      [[], 'network_not_allowed'],
    ] as const) {
      await withServer({ findClient, trustedProxies }, async (port) => {
        assert.equal((await sendSigned(port, { headers })).verdict, verdict);
      });
    }
  });

  test('limits what a client and an address may ask for', async () => {
    const limits = {
      clientRequestsPerMinuteMax: 1,
      clientRequestsBurstMax: 2,
      addressFailuresPerMinuteMax: 2,
    };
    await withServer({ findClient: only(shop), limits }, async (port) => {
      const answers: WireAnswer[] = [];
      for (let count = 0; count < 3; count += 1) answers.push(await sendSigned(port));
      assert.deepEqual(
        answers.map(({ verdict, headers }) => [verdict, headers['ratelimit']?.slice(0, 11)]),
        [
          ['ok', '"burst";r=1'],
          ['ok', '"burst";r=0'],
          ['rate_limited', '"burst";r=0'],
        ],
      );
      const stranger = { method: 'GET', target: '/', headers: [['Host', 'api.example.test']] as const };
      for (const verdict of ['signature_missing', 'signature_missing', 'too_many_failures'])
        assert.equal((await exchange(port, stranger)).verdict, verdict);
    });
  });

  test('refuses with 500 when permissionOf throws, and survives a failing onRequest', async () => {
    const errors: unknown[] = [];
    const fail = (): never => {
      throw new Error('a bug');
    };
    const options = { findClient: only(shop), onError: (error: unknown) => void errors.push(error) };
    await withServer({ ...options, permissionOf: fail }, async (port) => {
      assert.equal((await sendSigned(port)).verdict, 'internal_error');
    });
    await withServer({ ...options, onRequest: fail }, async (port) => {
      assert.equal((await sendSigned(port)).verdict, 'ok');
    });
    assert.deepEqual(errors.map(String), ['Error: a bug', 'Error: a bug']);
  });

  test('refuses HTTP/2', async (t) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const verifier = createVerifier({ baseUrls: [baseUrl], findClient: only(shop), onError });
    const listener = forNode(verifier, () => assert.fail()) as unknown as Parameters<
      typeof createHttp2Server
    >[1];
    const server = createHttp2Server({}, listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    t.after(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request({ ':path': '/', ':authority': 'api.example.test' });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    assert.equal(headers[':status'], 500);
    assert.match(String(errors[0]), /TypeError: countersign\(\) needs an HTTP\/1\.1 server/);
  });

  test('says loudly what came first', async () => {
    assert.match(new BodyTakenError().message, /Register countersign\(\) before every body parser/);
  });

  test('refuses every request on a runtime that hides the raw target', async () => {
    const verifier = createVerifier({ baseUrls: [baseUrl], findClient: only(shop) });
    const context = { env: {}, set: () => assert.fail() };
    await assert.rejects(forHono(verifier)(context, assert.fail), /needs @hono\/node-server/);
  });
});

describe('a refusal', () => {
  let running: RunningService;
  const servers: Listening[] = [];
  // Responses contain ages and times.
  const startedMs = Date.now();
  const nowMs = (): number => startedMs;
  before(async () => {
    running = await runService({}, { nowMs });
    await running.change((local) =>
      local.addClient({
        name: 'Shop',
        clientId,
        publicKey: keyPair.publicKey,
        network: [{ entry: '0.0.0.0' }],
        roles: [],
      }),
    );
    const findClient = only({ ...shop, permissions: [] });
    for (const start of Object.values(frameworks)) {
      const verifier = createVerifier({
        baseUrls: [baseUrl],
        findClient,
        guard: new MemoryReplayGuard(),
        nowMs,
        permissionOf: ({ path }) => (path === '/v1/clients' ? 'clients:read' : undefined),
      });
      servers.push(await start(verifier));
    }
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await running?.close();
  });

  test("is the service's own, to the letter, in every framework", async () => {
    const host = [['Host', 'api.example.test']] as const;
    const wrong = createSigner({ keyid: clientId, privateKey: otherKeyPair.privateKey, nowMs });
    const unknown = createSigner({ keyid: 'nobody', privateKey: otherKeyPair.privateKey, nowMs });
    const slow = createSigner({ keyid: clientId, privateKey: keyPair.privateKey, nowMs: () => 1e12 });
    const right = createSigner({ keyid: clientId, privateKey: keyPair.privateKey, nowMs });
    const makers: readonly (() => WireRequest)[] = [
      () => ({ method: 'GET', target: '/v1/whoami', headers: host }),
      () => ({ method: 'HEAD', target: '/v1/whoami', headers: host }),
      () => ({
        method: 'POST',
        target: '/v1/payments',
        headers: [...host, ['Content-Length', '2']],
        body: '{}',
      }),
      () => ({ method: 'GET', target: '/', headers: [['Host', 'evil.example']] }),
      () => ({ method: 'GET', target: `/${'x'.repeat(8300)}`, headers: host }),
      () => signedRequest({ path: '/v1/whoami', method: 'GET', signer: wrong }),
      () => signedRequest({ path: '/v1/whoami', method: 'GET', signer: unknown }),
      () => signedRequest({ path: '/v1/whoami', method: 'GET', signer: slow }),
      () => signedRequest({ path: '/v1/clients', method: 'GET', signer: right }),
      () => ({ ...signedRequest({ path: '/v1/signature-test', body: '{}', signer: right }), body: '[]' }),
      () => ({
        method: 'POST',
        target: '/',
        headers: [...host, ['Transfer-Encoding', 'gzip, chunked']],
        body: '0\r\n\r\n',
      }),
    ];
    const verdicts = new Set<string>();
    for (const make of makers) {
      const expected = comparable(await exchange(running.port, make()));
      verdicts.add(expected.verdict);
      for (const { port } of servers) assert.deepEqual(comparable(await exchange(port, make())), expected);
    }
    assert.equal(verdicts.size, 7, [...verdicts].join());
  });
});

/**
 * Returns a response without the parts that differ between two responses, and without a framework's own
 * advertisement.
 */
function comparable({ status, headers, text, verdict }: WireAnswer): { verdict: string; rest: unknown } {
  const { date, 'request-id': requestId = '', 'x-powered-by': _by, 'keep-alive': _alive, ...rest } = headers;
  assert.ok(date && /^request_[0-9a-z]{26}$/.test(requestId), JSON.stringify(headers));
  const body = text.replace(requestId, 'request');
  return { verdict, rest: { status, headers: rest, body } };
}
