import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  defineProfile,
  messageProfiles,
  type MessageVerifyingKey,
  verifyingKey,
  verifyMessage,
} from '@countersign/signature/messages/node';
import { openProtectedApi, type ProtectedApi } from '@countersign/testing/protected-api';
import { type Answer, apiBaseUrl } from '@countersign/testing/running-service';

const profile = defineProfile(messageProfiles.fapi2Response01);
const directoryPath = '/.well-known/http-message-signatures-directory';

interface SentRequest {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** A response with the request that it answers. */
interface Exchange {
  readonly request: SentRequest;
  readonly answer: Answer;
}

/** What somebody on the way changes. */
interface Changes {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly request?: Partial<SentRequest>;
}

interface Scene {
  readonly api: ProtectedApi;
  /** Signs a request and sends it. */
  exchange(method: string, path: string, options?: Sent): Promise<Exchange>;
  /** Verifies as a client does, by the FAPI profile with the keys of the directory; `ok`, or the code. */
  verify(exchange: Exchange, changes?: Changes): Promise<string>;
}

interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Options {
  readonly route?: object;
  readonly environment?: object;
  readonly nowMs?: () => number;
  readonly roles?: readonly string[];
}

/** An API with a route that signs up to 1,000 bytes, `/signed/**`, and one that does not. */
async function open(
  t: TestContext,
  answer?: RequestListener,
  { route, environment, nowMs, roles = ['api-user'] }: Options = {},
): Promise<Scene> {
  const routes = [
    { path: '/**', permission: 'api' },
    { path: '/signed/**', permission: 'api', signResponses: true, signedBytesMax: 1000, ...route },
  ];
  const api = await openProtectedApi(t, {
    environment: { COUNTERSIGN_ROUTES: JSON.stringify(routes), ...environment },
    client: { roles },
    ...(answer && { answer }),
    ...(nowMs && { overrides: { nowMs } }),
  });
  return {
    api,
    async exchange(method, path, { body, headers } = {}) {
      const targetUri = apiBaseUrl + path;
      const signed = api.signer.sign({ method, url: targetUri, body }).headers;
      const answered = await api.running.send({
        method,
        url: targetUri,
        body,
        headers: { ...signed, ...headers },
      });
      return { request: { method, targetUri, headers: Object.entries(signed) }, answer: answered };
    },
    async verify({ request, answer: { status, headers, text } }, changes = {}) {
      const keys = await publishedKeys(api);
      const lines = Object.entries({ ...headers, ...changes.headers });
      const verified = await verifyMessage(
        {
          status: changes.status ?? status,
          headers: lines.filter((line): line is [string, string] => line[1] !== undefined),
          body: Buffer.from(changes.body ?? text),
          request: { ...request, ...changes.request },
        },
        { profile, keysFor: ({ keyid }) => keys.get(keyid ?? '') },
      );
      return verified.ok ? 'ok' : verified.code;
    },
  };
}

async function publishedKeys({ running }: ProtectedApi): Promise<Map<string, MessageVerifyingKey>> {
  const { keys } = (await running.send({ method: 'GET', url: directoryPath })).json() as {
    keys: { kid: string }[];
  };
  return new Map(keys.map((jwk) => [jwk.kid, verifyingKey({ ...jwk })]));
}

/** The fields of which clients must get only the gateway's. */
function signatureFieldsOf({ headers }: Answer): unknown[] {
  return [headers['content-digest'], headers['signature-input'], headers['signature']];
}

const unsigned = [undefined, undefined, undefined];

describe('a response that cannot be signed is not passed on, and the problem in its place is signed', () => {
  const cases: Readonly<Record<string, readonly [answer: RequestListener, reason: string]>> = {
    'because it announces more bytes than the route signs': [
      // The rest never comes.
      (_, response) => void response.writeHead(200, { 'Content-Length': '1000000000000' }).write('x'),
      'it has more than 1000 bytes',
    ],
    'because it has more bytes than the route signs, in chunks': [
      (_, response) => {
        response.write('x'.repeat(1000));
        response.end('x');
      },
      'it has more than 1000 bytes',
    ],
    'because it is a stream of events': [
      (_, response) =>
        void response.writeHead(200, { 'Content-Type': 'Text/Event-Stream;a=b' }).write('data:\n\n'),
      'it is a stream of events, which has no end',
    ],
    'because it breaks off': [
      (_, response) => void response.write('x', () => response.destroy()),
      'it broke off',
    ],
  };
  for (const [name, [answer, reason]] of Object.entries(cases))
    test(name, async (t) => {
      const scene = await open(t, answer);
      const exchange = await scene.exchange('GET', '/signed/x');
      const { code, reason: told } = exchange.answer.json();
      assert.deepEqual(
        [exchange.answer.status, code, told],
        [502, 'upstream_failed', `the API's response cannot be signed: ${reason}`],
      );
      assert.equal(await scene.verify(exchange), 'ok');
    });

  test('because it is not complete in time', async (t) => {
    const ended = Promise.withResolvers<void>();
    const scene = await open(
      t,
      (_, response) => {
        response.on('close', ended.resolve);
        response.write('the first of many');
      },
      { route: { firstByteSeconds: 0.3 } },
    );
    const exchange = await scene.exchange('GET', '/signed/x');
    const { code, reason } = exchange.answer.json();
    assert.deepEqual(
      [exchange.answer.status, code, reason],
      [504, 'upstream_timeout', "the API's response cannot be signed: it was not complete after 0.3 s"],
    );
    assert.equal(await scene.verify(exchange), 'ok');
    await ended.promise;
  });

  test('because the API cannot be reached', async (t) => {
    const away = 'http://127.0.0.1:1';
    const scene = await open(t, undefined, { environment: { COUNTERSIGN_UPSTREAM: away } });
    for (const method of ['GET', 'HEAD']) {
      const exchange = await scene.exchange(method, '/signed/x');
      assert.equal(exchange.answer.status, 502);
      assert.equal(await scene.verify(exchange), 'ok');
      assert.equal(exchange.answer.headers['content-digest'] === undefined, method === 'HEAD');
    }
  });
});

test('nothing is sent to the API while no key can sign the response', async (t) => {
  let nowMs = Date.now();
  const scene = await open(t, undefined, { nowMs: () => nowMs });
  // Nothing has renewed the key.
  nowMs += 2 * 60 * 60_000;
  const { answer } = await scene.exchange('POST', '/signed/x', { body: '{}' });
  assert.deepEqual([answer.status, answer.json()['code']], [503, 'storage_unavailable']);
  assert.deepEqual(signatureFieldsOf(answer), unsigned);
  assert.deepEqual(scene.api.received, []);
  assert.equal((await scene.exchange('POST', '/other', { body: '{}' })).answer.status, 200);
});

/** Begins a signed request whose response the caller reads as it arrives. */
function signedRequest(api: ProtectedApi, path: string): ClientRequest {
  const { headers } = api.signer.sign({ method: 'GET', url: apiBaseUrl + path });
  const { hostname, port } = new URL(api.running.service.apiAddress!);
  return httpRequest({
    host: hostname,
    port,
    path,
    agent: false,
    headers: { Host: new URL(apiBaseUrl).host, ...headers },
  });
}

test('a client that disconnects while its response is gathered ends the request to the API', async (t) => {
  const began = Promise.withResolvers<ServerResponse>();
  const { api } = await open(t, (_, response) => {
    response.write('x');
    began.resolve(response);
  });
  const outgoing = signedRequest(api, '/signed/x');
  outgoing.on('error', () => undefined);
  outgoing.end();
  const response = await began.promise;
  const ended = once(response, 'close');
  outgoing.destroy();
  await ended;
});

describe('strangers get no signatures', () => {
  test('neither unsigned requests, nor those that were changed or replayed, nor those without permission', async (t) => {
    const scene = await open(t, undefined, { roles: ['api-reader'] });
    const { api } = scene;
    const url = `${apiBaseUrl}/signed/x`;
    const headers = { ...api.signer.sign({ method: 'POST', url, body: '{}' }).headers };
    const answers = [
      await api.running.send({ method: 'POST', url, body: '{}' }),
      await api.running.send({ method: 'POST', url: `${url}?`, body: '{}', headers }),
      await api.running.send({ method: 'POST', url, body: '{}', headers }),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.json()['code']),
      ['signature_missing', 'signature_invalid', 'permission_denied'],
    );
    for (const answer of answers) assert.deepEqual(signatureFieldsOf(answer), unsigned);
  });

  test('who repeats a request, or sends its head with another body, gets no signed rejection of it', async (t) => {
    const { api } = await open(t);
    const url = `${apiBaseUrl}/signed/x`;
    const headers = { ...api.signer.sign({ method: 'POST', url, body: '{}' }).headers };
    const codes = [];
    for (const body of ['[]', '{}', '{}']) {
      const answer = await api.running.send({ method: 'POST', url, body, headers });
      codes.push(answer.status === 200 ? 'accepted' : answer.json()['code']);
      assert.equal(answer.headers['signature'] === undefined, answer.status !== 200);
    }
    assert.deepEqual(codes, ['digest_mismatch', 'accepted', 'signature_replayed']);
  });

  test('a preflight that is forwarded', async (t) => {
    const { api } = await open(t, undefined, {
      environment: {
        COUNTERSIGN_CORS_ORIGINS: 'https://app.example.test',
        COUNTERSIGN_CORS_PREFLIGHTS: 'forward',
      },
    });
    const answer = await api.running.send({
      method: 'OPTIONS',
      url: `${apiBaseUrl}/signed/x`,
      headers: { Origin: 'https://app.example.test', 'Access-Control-Request-Method': 'POST' },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(signatureFieldsOf(answer), unsigned);
  });
});

describe('a signed response', () => {
  test('is rejected once anything that it covers is changed, or as the response to another request', async (t) => {
    const scene = await open(t);
    const one = await scene.exchange('POST', '/signed/x?y', { body: '{"amount":1}' });
    const other = await scene.exchange('POST', '/signed/x?y', { body: '{"amount":2}' });
    const equal = await scene.exchange('GET', '/signed/x?y');
    const again = await scene.exchange('GET', '/signed/x?y', { headers: {} });
    const withHeader = (name: string, value: string): Changes => ({
      request: {
        headers: one.request.headers.map(([key, own]) => [key, key === name ? value : own] as const),
      },
    });
    const cases: readonly (readonly [string, Exchange, Changes])[] = [
      ['signature_invalid', one, { status: 201 }],
      ['digest_mismatch', one, { body: 'something else' }],
      ['digest_mismatch', one, { body: '' }],
      ['components_invalid', one, { headers: { 'content-digest': undefined } }],
      ['signature_missing', one, { headers: { signature: undefined } }],
      ['signature_invalid', one, { request: { method: 'PUT' } }],
      ['signature_invalid', one, { request: { targetUri: `${apiBaseUrl}/signed/x` } }],
      ['signature_invalid', one, withHeader('Content-Digest', 'sha-256=:AAAA:')],
      ['signature_invalid', one, withHeader('Signature', 'sig=:AAAA:')],
      ['signature_invalid', one, { request: other.request }],
      // The method and the URL are the same, and there is no body.
      ['signature_invalid', equal, { request: again.request }],
    ];
    for (const [code, exchange, changes] of cases)
      assert.equal(await scene.verify(exchange, changes), code, JSON.stringify(changes));
    for (const exchange of [one, other, equal, again]) assert.equal(await scene.verify(exchange), 'ok');
  });

  test('has the shape of FAPI 2.0, with a published key', async (t) => {
    const scene = await open(t);
    const { answer } = await scene.exchange('POST', '/signed/x', { body: '{}' });
    const [keyid] = [...(await publishedKeys(scene.api)).keys()];
    assert.equal(
      String(answer.headers['signature-input']).replace(/created=\d{10}/, 'created=0'),
      'countersign=("@status" "content-digest" "@method";req "@target-uri";req "content-digest";req ' +
        `"signature-input";req "signature";req);created=0;keyid="${keyid}";alg="ed25519";tag="fapi-2-response"`,
    );
    assert.match(String(answer.headers['signature']), /^countersign=:[A-Za-z0-9+/]{86}==:$/);
  });

  test('has no signature and no digest but those of the gateway', async (t) => {
    const digest = 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:';
    const own = {
      'Content-Digest': digest,
      signature: 'countersign=:AAAA:',
      'Signature-Input': ['countersign=("@status");tag="fapi-2-response"', 'sig=()'],
      'Repr-Digest': digest,
    };
    const scene = await open(t, ({ url }, response) => {
      response.writeHead(url === '/signed/nothing' ? 204 : 200, own);
      response.end(url === '/signed/nothing' ? undefined : 'a body');
    });
    for (const path of ['/signed/x', '/signed/nothing']) {
      const exchange = await scene.exchange('GET', path);
      assert.equal(await scene.verify(exchange), 'ok');
      assert.equal(exchange.answer.headers['repr-digest'], digest);
    }
  });

  test('can be empty, or have no body, and its length stays', async (t) => {
    const scene = await open(t, ({ url, method }, response) => {
      const status = Number(/\d+/.exec(url!)![0]);
      const headers = { 'Content-Length': '4', ETag: '"1"' };
      if (status === 200) response.writeHead(status, method === 'HEAD' ? headers : {});
      else response.writeHead(status, status === 304 ? { ETag: '"1"' } : {});
      response.end();
    });
    const lengths = [];
    for (const [method, status] of [
      ['GET', 200],
      ['HEAD', 200],
      ['GET', 204],
      ['DELETE', 204],
      ['GET', 304],
    ] as const) {
      const exchange = await scene.exchange(method, `/signed/${status}`);
      const { headers } = exchange.answer;
      assert.deepEqual([exchange.answer.status, headers['content-digest']], [status, undefined]);
      assert.equal(await scene.verify(exchange), 'ok');
      assert.equal(await scene.verify(exchange, { body: 'x' }), 'components_invalid');
      lengths.push(headers['content-length']);
    }
    assert.deepEqual(lengths, ['0', '4', undefined, undefined, undefined]);
  });

  test("can be the API's error, coded, or exactly as large as the route signs", async (t) => {
    const zipped = gzipSync('y'.repeat(5000));
    const scene = await open(t, ({ url }, response) => {
      if (url === '/signed/error') response.writeHead(500, 'So sorry').end('{"error":true}');
      else if (url === '/signed/zipped') response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(zipped);
      else {
        for (let index = 0; index < 999; index++) response.write('x');
        response.end('x');
      }
    });
    const error = await scene.exchange('GET', '/signed/error');
    assert.deepEqual([error.answer.status, await scene.verify(error)], [500, 'ok']);
    const large = await scene.exchange('GET', '/signed/large');
    assert.deepEqual([large.answer.text, large.answer.headers['content-length']], ['x'.repeat(1000), '1000']);
    assert.equal(await scene.verify(large), 'ok');
    // The digest is of the coded bytes, as they are sent.
    const { answer } = await scene.exchange('GET', '/signed/zipped');
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', zipped)).toString('base64');
    assert.equal(answer.headers['content-digest'], `sha-256=:${digest}:`);
  });

  test('can have 1 MiB, unless the route or its upstream says otherwise', async (t) => {
    const scene = await open(
      t,
      ({ url }, response) => response.end('x'.repeat(Number(/\d+/.exec(url!)![0]))),
      { route: { signedBytesMax: undefined } },
    );
    const largest = await scene.exchange('GET', '/signed/1048576');
    assert.deepEqual([largest.answer.text.length, await scene.verify(largest)], [1_048_576, 'ok']);
    const larger = await scene.exchange('GET', '/signed/1048577');
    assert.equal(larger.answer.json()['code'], 'upstream_failed');
  });

  test('comes without early hints and trailers, which are not signed', async (t) => {
    const scene = await open(t, (_, response) => {
      response.writeEarlyHints({ link: '</evil.js>; rel=preload' });
      response.writeHead(200, { Trailer: 'X-End' });
      response.write('a body');
      response.addTrailers({ 'X-End': '1' });
      response.end();
    });
    const { api } = scene;
    const outgoing = signedRequest(api, '/signed/x');
    const hints: unknown[] = [];
    outgoing.on('information', (hint) => hints.push(hint));
    outgoing.end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    incoming.resume();
    await once(incoming, 'end');
    assert.deepEqual([hints, incoming.trailers, incoming.headers['trailer']], [[], {}, undefined]);
    assert.notEqual(incoming.headers['signature'], undefined);
  });

  test('can be read by pages of other origins, with its signature', async (t) => {
    const scene = await open(t, undefined, { environment: { COUNTERSIGN_CORS_ORIGINS: '*' } });
    const exposedOn = async (path: string): Promise<string> => {
      const { answer } = await scene.exchange('GET', path, {
        headers: { Origin: 'https://app.example.test' },
      });
      return String(answer.headers['access-control-expose-headers']);
    };
    assert.match(await exposedOn('/signed/x'), /, Content-Digest, Signature, Signature-Input$/);
    assert.doesNotMatch(await exposedOn('/other'), /Content-Digest/);
  });
});

test('a route that signs switches to no other protocol', async (t) => {
  const scene = await open(t);
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const exchange = await scene.exchange('GET', '/signed/x', { headers: upgrade });
  assert.equal(exchange.answer.json()['code'], 'upgrade_refused');
  assert.equal(await scene.verify(exchange), 'ok');
});

test('a route that does not sign passes on what the API sends', async (t) => {
  const own = { 'content-digest': 'sha-256=:AAAA:', 'signature-input': 'sig=()', signature: 'sig=:AAAA:' };
  const scene = await open(t, ({ url }, response) => {
    response.writeHead(200, url === '/own' ? own : {});
    response.end('x'.repeat(2000));
  });
  assert.deepEqual(signatureFieldsOf((await scene.exchange('GET', '/own')).answer), Object.values(own));
  assert.deepEqual(signatureFieldsOf((await scene.exchange('GET', '/none')).answer), unsigned);
});

test('an upstream signs the responses of all its routes but those that say otherwise', async (t) => {
  const scene = await open(t, undefined, {
    environment: {
      COUNTERSIGN_SIGN_RESPONSES: 'yes',
      COUNTERSIGN_ROUTES: JSON.stringify([
        { path: '/**', permission: 'api' },
        { path: '/plain', permission: 'api', signResponses: false },
      ]),
    },
  });
  assert.equal(await scene.verify(await scene.exchange('GET', '/any')), 'ok');
  assert.equal(await scene.verify(await scene.exchange('GET', '/plain')), 'signature_missing');
});
