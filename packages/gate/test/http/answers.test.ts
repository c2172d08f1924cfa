import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ProblemCode, problems } from '@countersign/contract';
import { parseDictionary } from '@countersign/signature/rfc9421';
import { bodylessDraft, type Draft, nowMs, paymentDraft, requestOf } from '@countersign/testing/draft';
import { assertRefusal } from '@countersign/testing/problem-shape';
import { openConnection, type RawAnswer, requestText } from '@countersign/testing/raw-connection';
import {
  otherKeyPair,
  publishedKeyPair,
  type RunningService,
  runService,
} from '@countersign/testing/running-service';
import { sendDraft } from '@countersign/testing/send-draft';
import { bodyBytesMax, requestFaults, variantFaults } from '../decision/faults.ts';

let running: RunningService;
let clientId: string;

before(async () => {
  running = await runService({ COUNTERSIGN_BODY_BYTES_MAX: String(bodyBytesMax) }, { nowMs });
  ({ clientId } = await running.addClient());
});
after(() => running.close());

const answerTo = (draft: Draft): Promise<RawAnswer> => sendDraft(running, draft);

async function rawAnswerTo(bytes: string): Promise<RawAnswer> {
  const connection = await openConnection(running.port);
  connection.write(bytes);
  const answer = await connection.answer();
  connection.cut();
  return answer;
}

describe('every refusal is a whole problem document', () => {
  for (const { name, code, apply } of [...requestFaults, ...variantFaults]) {
    test(`${code}: ${name}`, async () => {
      const draft = paymentDraft(clientId);
      apply(draft);
      assertRefusal(await answerTo(draft), code);
    });
  }

  const others: [ProblemCode, () => Draft][] = [
    ['body_too_large', () => paymentDraft(clientId, { body: ' '.repeat(bodyBytesMax + 1) })],
    ['digest_mismatch', () => paymentDraft(clientId, { bodySent: '{}' })],
    ['not_found', () => bodylessDraft(clientId, { target: '/v1/nothing' })],
    [
      'not_found',
      () => bodylessDraft(clientId, { target: '/v1/payments/payment_00000000000000000000000000' }),
    ],
    ['method_not_allowed', () => bodylessDraft(clientId, { method: 'DELETE' })],
    ['content_type_unsupported', () => paymentDraft(clientId, { headers: {} })],
    ['body_invalid', () => paymentDraft(clientId, { body: '{"amount":-1}' })],
    ['query_invalid', () => bodylessDraft(clientId, { target: '/v1/payments?limit=0' })],
    ['cursor_invalid', () => bodylessDraft(clientId, { target: '/v1/payments?cursor=x' })],
  ];
  for (const [code, draft] of others) {
    test(code, async () => {
      assertRefusal(await answerTo(draft()), code);
    });
  }
  test('signature_replayed', async () => {
    const draft = paymentDraft(clientId);
    assert.equal((await answerTo(draft)).status, 201);
    assertRefusal(await answerTo(draft), 'signature_replayed');
  });

  test('bytes that are no request', async () => {
    assertRefusal(await rawAnswerTo('nonsense\r\n\r\n'), 'request_malformed');
    assertRefusal(await rawAnswerTo('\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001'), 'request_malformed');
    assertRefusal(
      await rawAnswerTo(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
      'headers_too_large',
    );
  });

  test('what was wrong is told, with what was expected and what came', async () => {
    const draft = bodylessDraft(clientId, { alg: 'hmac-sha256' });
    const { reason, expected, received } = assertRefusal(await answerTo(draft), 'algorithm_not_allowed');
    assert.equal(typeof reason, 'string');
    assert.deepEqual(
      { expected, received },
      {
        expected: 'rsa-v1_5-sha256, ed25519, ecdsa-p256-sha256 or ecdsa-p384-sha384',
        received: 'hmac-sha256',
      },
    );
  });
  test('the time of the service is told', async () => {
    const draft = bodylessDraft(clientId, { created: 1 });
    const { serverTime } = assertRefusal(await answerTo(draft), 'created_expired');
    assert.equal(serverTime, new Date(nowMs()).toISOString());
  });
  test('what came is told as text, whatever it is', async () => {
    const signatureInputSent = (): string => 'sig="<script>\\"&';
    const answer = await answerTo(bodylessDraft(clientId, { signatureInputSent }));
    assert.equal(assertRefusal(answer, 'signature_malformed')['received'], 'sig="<script>\\"&');
  });
});

describe('a 401 says how to sign', () => {
  for (const [alg, asked] of [
    ['ed25519', 'ed25519'],
    ['ecdsa-p384-sha384', 'ecdsa-p384-sha384'],
    ['hmac-sha256', 'rsa-v1_5-sha256'],
    ['x"y', 'rsa-v1_5-sha256'],
  ] as const)
    test(`with the algorithm that the request named, if it is one of the profile: ${alg}`, async () => {
      const signatureInputSent = (input: string): string => input.replace(/alg="[^"]*"/, `alg="${alg}"`);
      const answer = await answerTo(bodylessDraft(clientId, { signatureInputSent }));
      assert.equal(answer.status, 401);
      assert.ok(answer.headers['accept-signature']!.endsWith(`;created;alg="${asked}"`));
    });

  const listIn = (answer: RawAnswer): string[] => {
    const member = parseDictionary(answer.headers['accept-signature'] ?? '')?.get('sig');
    assert.ok(member?.type === 'inner-list', 'Accept-Signature is a dictionary with the inner list sig');
    const parameters = Object.fromEntries([...member.parameters].map(([name, { value }]) => [name, value]));
    assert.deepEqual(parameters, { created: true, alg: 'rsa-v1_5-sha256' });
    return member.items.map(({ value }) => String(value.value));
  };
  const withBody = ['@method', '@target-uri', 'content-digest', 'date'];
  const withoutBody = ['@method', '@target-uri', 'date'];
  const host = { Host: 'api.example.test' };
  const cases: [string, string, string[]][] = [
    ['a GET', requestText('GET', '/v1/whoami', host), withoutBody],
    [
      'a GET with a body',
      requestText('GET', '/v1/whoami', { ...host, 'Content-Length': '2' }, '{}'),
      withBody,
    ],
    ['a POST', requestText('POST', '/v1/payments', { ...host, 'Content-Length': '2' }, '{}'), withBody],
    [
      'a POST without a body',
      requestText('POST', '/v1/payments', { ...host, 'Content-Length': '0' }),
      withoutBody,
    ],
    [
      'a chunked POST',
      requestText('POST', '/v1/payments', { ...host, 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'),
      withBody,
    ],
  ];
  for (const [name, bytes, expected] of cases) {
    test(`for ${name}`, async () => {
      const answer = await rawAnswerTo(bytes);
      assertRefusal(answer, 'signature_missing');
      assert.deepEqual(listIn(answer), expected);
    });
  }
  test('for a chunked body that turned out empty', async () => {
    const answer = await answerTo(paymentDraft(clientId, { isChunked: true, bodySent: '' }));
    assertRefusal(answer, 'components_invalid');
    assert.deepEqual(listIn(answer), withoutBody);
  });
});

describe('signature_invalid tells a stranger nothing', () => {
  test('the same bytes for an unknown client, a wrong key, a revoked key, a wrong signature and a disabled client', async () => {
    const pair = publishedKeyPair('rsa-2048-a');
    const { clientId: revoked } = await running.addClient({ keyPair: pair });
    await running.change(async (registry) => {
      const { keys } = await registry.showClient(revoked);
      await registry.revokeKey(revoked, keys[0]!.keyId);
    });
    const { clientId: disabled } = await running.addClient({ keyPair: publishedKeyPair('rsa-2048-b') });
    await running.change((registry) => registry.disableClient(disabled));
    const drafts = [
      paymentDraft('client_unknown'),
      paymentDraft('__proto__'),
      paymentDraft(clientId, { privateKey: otherKeyPair.privateKey }),
      paymentDraft(clientId, { targetUri: 'https://api.example.test/v1/payments?' }),
      paymentDraft(clientId, { signatureSent: () => 'sig=:AAAA:' }),
      paymentDraft(revoked, { privateKey: pair.privateKey }),
      paymentDraft(disabled),
    ];
    const seen = new Set<string>();
    for (const draft of drafts) {
      const answer = await answerTo(draft);
      const document = assertRefusal(answer, 'signature_invalid');
      assert.deepEqual(Object.keys(document), ['type', 'title', 'status', 'detail', 'code', 'requestId']);
      const { date: _date, ...headers } = answer.headers;
      const whole = JSON.stringify({ status: answer.status, headers, text: answer.text });
      seen.add(whole.replaceAll(String(document['requestId']), ''));
    }
    assert.equal(seen.size, 1, [...seen].join('\n'));
  });
});

describe('methods and paths', () => {
  test('405 names the methods that there are', async () => {
    const headersOf = async (target: string, method: string): Promise<string | undefined> => {
      const answer = await answerTo(bodylessDraft(clientId, { method, target }));
      assertRefusal(answer, 'method_not_allowed');
      return answer.headers['allow'];
    };
    assert.equal(await headersOf('/v1/whoami', 'POST'), 'GET, HEAD');
    assert.equal(await headersOf('/v1/payments', 'DELETE'), 'GET, HEAD, POST');
    assert.equal(await headersOf('/v1/payments/x/cancel', 'GET'), 'POST');
  });
  test('HEAD is signed as HEAD, and answered like GET without a body', async () => {
    const get = await answerTo(bodylessDraft(clientId, { target: '/v1/payments' }));
    const { port } = running;
    for (const [draft, status] of [
      [bodylessDraft(clientId, { method: 'HEAD', target: '/v1/payments' }), 200],
      [bodylessDraft(clientId, { method: 'HEAD', target: '/v1/payments', host: 'evil.example' }), 400],
      [bodylessDraft(clientId, { method: 'HEAD', targetUri: 'https://api.example.test/' }), 401],
    ] as const) {
      const connection = await openConnection(port);
      connection.write(requestOf({ ...draft, headers: { Connection: 'close' } }).head);
      const [head, rest] = (await connection.ended()).split('\r\n\r\n');
      assert.match(head!, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(rest, '');
      if (status === 200)
        assert.match(head!, new RegExp(`\r\nContent-Length: ${get.headers['content-length']}\r\n`));
    }
  });
});

describe('an accepted answer', () => {
  test('names the request and is kept nowhere', async () => {
    const answer = await answerTo(paymentDraft(clientId));
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.match(answer.headers['request-id'] ?? '', /^request_/);
    assert.ok(answer.headers['date']);
    for (const name of ['server', 'x-powered-by', 'www-authenticate', 'accept-signature']) {
      assert.equal(answer.headers[name], undefined, name);
    }
  });
});

describe('what needs no signature', () => {
  const get = (method: string, target: string): Promise<RawAnswer> =>
    rawAnswerTo(requestText(method, target, { Host: 'api.example.test' }));

  test('nothing but these pages, as they are spelled, and only to be read', async () => {
    const host = { Host: 'api.example.test' };
    for (const target of [
      '/portals',
      '/live/',
      '/live?x',
      '/Live',
      '/ready?',
      '/docs/',
      '/openapi.json?',
      '/openapi',
      '/docs/errors/',
      '/docs/troubleshooting/',
      '//live',
      '/v1/../live',
    ]) {
      assertRefusal(await rawAnswerTo(requestText('GET', target, host)), 'signature_missing');
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) {
      assertRefusal(await rawAnswerTo(requestText(method, '/live', host)), 'signature_missing');
    }
  });
  test('/live and /ready', async () => {
    for (const target of ['/live', '/ready']) {
      const answer = await get('GET', target);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json(), { status: 'ok' });
      assert.equal(answer.headers['cache-control'], 'no-store');
    }
  });
  test('/docs/errors has an anchor for every code', async () => {
    const { status, headers, text } = await get('GET', '/docs/errors');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    const anchors = [...text.matchAll(/<article id="([^"]*)"/g)].map((match) => match[1]);
    assert.equal(anchors.length, Object.keys(problems).length);
    assert.deepEqual(new Set(anchors), new Set(Object.keys(problems)));
    const type = new URL(String((await answerTo(bodylessDraft('client_unknown'))).json()['type']));
    assert.equal(type.pathname, '/docs/errors');
    assert.ok(anchors.includes(type.hash.slice(1)));
  });
});
