import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodylessDraft, type Draft, nowMs, paymentDraft } from '@countersign/testing/draft';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { codeOf, sendDraft } from '@countersign/testing/send-draft';

/*
 * The URL is compared as called: the base URL that Host selects and the raw target, as text. Another
 * spelling is another URL.
 */

const first = 'https://api.example.test';
const second = 'http://payments.example.test:8080';
const below = 'https://example.test/gateway';

let running: RunningService;
let clientId: string;

before(async () => {
  running = await runService({ COUNTERSIGN_PUBLIC_BASE_URLS: [first, second, below].join(',') }, { nowMs });
  ({ clientId } = await running.addClient());
});
after(() => running.close());

const codeFor = async (changes: Partial<Draft>): Promise<string> =>
  codeOf(await sendDraft(running, bodylessDraft(clientId, changes)));

describe('the host', () => {
  const unknown = [
    'evil.example',
    'api.example.test.evil.example',
    'api.example.test:8443',
    'payments.example.test',
    'example.test.',
  ];
  for (const host of unknown) {
    test(`${host} is not ours`, async () => {
      assert.equal(await codeFor({ host, targetUri: `https://${host}/v1/whoami` }), 'request_malformed');
    });
  }

  test('picks the base URL: a signature for one is none for another', async () => {
    const host = 'payments.example.test:8080';
    assert.equal(await codeFor({ host, targetUri: `${first}/v1/whoami` }), 'signature_invalid');
    assert.equal(await codeFor({ host, targetUri: `${second}/v1/whoami` }), '200');
    assert.equal(await codeFor({ targetUri: `${second}/v1/whoami` }), 'signature_invalid');
  });

  test('of a base URL with a path: the path is part of what is signed', async () => {
    assert.equal(
      await codeFor({ host: 'example.test', targetUri: 'https://example.test/v1/whoami' }),
      'signature_invalid',
    );
    assert.equal(await codeFor({ host: 'example.test', targetUri: `${below}/v1/whoami` }), '200');
  });

  test('in capitals is the same, but what is signed is the configured text', async () => {
    const host = 'API.Example.TEST';
    assert.equal(await codeFor({ host, targetUri: `https://${host}/v1/whoami` }), 'signature_invalid');
    assert.equal(await codeFor({ host, targetUri: `${first}/v1/whoami` }), '200');
  });

  test('with the default port: signed as called', async () => {
    const host = 'api.example.test:443';
    assert.equal(await codeFor({ host, targetUri: `${first}/v1/whoami` }), 'signature_invalid');
    assert.equal(await codeFor({ host, targetUri: 'https://api.example.test:443/v1/whoami' }), '200');
    assert.equal(await codeFor({ host: 'api.example.test:80' }), 'request_malformed');
  });
});

describe('the target', () => {
  test('in absolute form, of another origin', async () => {
    for (const target of [
      'https://evil.example/v1/whoami',
      'http://api.example.test/v1/whoami',
      first,
      `${first}evil/`,
    ]) {
      assert.equal(await codeFor({ target, targetUri: target }), 'request_malformed', target);
    }
    const crossed = { target: `${second}/v1/whoami`, targetUri: `${second}/v1/whoami` };
    assert.equal(await codeFor(crossed), 'request_malformed', 'Host names another base URL');
  });
  test('in absolute form, below the base URL that Host names', async () => {
    const target = `${first}/v1/whoami`;
    assert.equal(await codeFor({ target, targetUri: target }), '200');
    const host = 'example.test';
    assert.equal(
      await codeFor({ host, target: `${below}/v1/whoami`, targetUri: `${below}/v1/whoami` }),
      '200',
    );
    assert.equal(
      await codeFor({ host, target: `${below}/../v1/whoami`, targetUri: `${below}/../v1/whoami` }),
      'not_found',
    );
  });
  test('that is no path', async () => {
    for (const target of ['*', 'v1/whoami', '?'])
      assert.equal(await codeFor({ target }), 'request_malformed', target);
  });
  test('with a fragment or bytes beyond ASCII', async () => {
    assert.equal(await codeFor({ target: '/v1/whoami#' }), 'request_malformed');
    assert.equal(await codeFor({ target: '/v1/whoami?\u00e9' }), 'request_malformed');
  });

  // Signed in the first spelling and sent in the second; a URL parser would make them one.
  const twins = [
    ['/v1/whoami', '/v1/whoami?'],
    ['/v1/who%61mi', '/v1/whoami'],
    ['/v1/./whoami', '/v1/whoami'],
    ['/v1//whoami', '/v1/whoami'],
    ['/v1/whoami/', '/v1/whoami'],
    ['/v1/payments?a=1&b=2', '/v1/payments?b=2&a=1'],
    ['/v1/payments?a=%2f', '/v1/payments?a=%2F'],
    ['/v1/payments?a=+', '/v1/payments?a=%20'],
    ['/V1/whoami', '/v1/whoami'],
    ["/v1/payments?'", '/v1/payments?%27'],
  ] as const;
  for (const [signed, target] of twins) {
    test(`signed ${signed}, sent ${target}`, async () => {
      assert.equal(await codeFor({ target, targetUri: first + signed }), 'signature_invalid');
    });
  }

  const odd = [
    '/v1/%',
    '/v1/%zz',
    '/v1/"<>\\^`{|}',
    '/v1/[::1]',
    "/v1/a;b=c,d'e(f)*!~$&@:",
    '//v1/whoami',
    '/v1/../v1/whoami',
    '/?',
    '/??',
    '/v1/%00',
  ];
  for (const target of odd) {
    test(`${target} is kept as called, and leads nowhere`, async () => {
      assert.equal(await codeFor({ target }), 'not_found');
    });
  }
  for (const query of ['?a=1', '?', '?a=%zz&=&&', '?https://evil.example/', '?\'"<>{}|\\^`']) {
    test(`a query of ${query} is signed as called`, async () => {
      const code = await codeFor({ target: `/v1/whoami${query}` });
      assert.ok(['200', 'query_invalid'].includes(code), code);
    });
  }
});

describe('method and body', () => {
  test('a signature for one method is none for another', async () => {
    const draft = paymentDraft(clientId);
    const sent = { ...draft, method: 'PUT' };
    const signed = await sendDraft(running, { ...sent, target: '/v1/payments' });
    assert.equal(codeOf(signed), 'method_not_allowed', 'PUT signed as PUT is a request like any other');
  });
  test('a chunked body, signed', async () => {
    assert.equal(codeOf(await sendDraft(running, paymentDraft(clientId, { isChunked: true }))), '201');
  });
  test('a chunked body, signed, and another sent', async () => {
    const draft = paymentDraft(clientId, { isChunked: true, bodySent: '{}' });
    assert.equal(codeOf(await sendDraft(running, draft)), 'digest_mismatch');
  });
  test('a chunked body that turns out empty', async () => {
    const covered = paymentDraft(clientId, { isChunked: true, bodySent: '' });
    assert.equal(codeOf(await sendDraft(running, covered)), 'components_invalid');
    assert.equal(await codeFor({ isChunked: true }), '200', 'an empty body is no body');
  });
  test('a GET with a signed body: read, checked, and refused by the operation', async () => {
    const components = ['@method', '@target-uri', 'content-digest', 'date'];
    const draft = paymentDraft(clientId, { method: 'GET', target: '/v1/whoami', body: '{}', components });
    assert.equal(codeOf(await sendDraft(running, { ...draft, bodySent: '[]' })), 'digest_mismatch');
    assert.equal(codeOf(await sendDraft(running, draft)), 'body_invalid');
  });
  test('a body that is not announced as signed', async () => {
    assert.equal(await codeFor({ bodySent: '{}' }), 'components_invalid');
  });
});
