import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  ClientReadiness,
  Page,
  RequestEntry,
  RequestExplanation,
  UnattributedRequests,
} from '@countersign/contract';
import { createLogger } from '@countersign/server';
import { createSigner } from '@countersign/signature/node';
import { openProtectedApi, type ProtectedApi } from '@countersign/testing/protected-api';
import { apiBaseUrl, otherKeyPair, publishedKeyPair, sendSigned } from '@countersign/testing/running-service';
import { waitFor, waitUntil } from '@countersign/testing/wait-until';

const observing = {
  COUNTERSIGN_ROUTES: JSON.stringify([
    { path: '/**', permission: 'shop', mode: 'observe' },
    { path: '/strict', permission: 'shop' },
  ]),
};

test('a route that observes lets refused requests pass, without an identity', async (t) => {
  const api = await openProtectedApi(t, { environment: observing });
  const unsigned = await api.running.send({ method: 'POST', url: `${apiBaseUrl}/orders`, body: 'x' });
  assert.deepEqual([unsigned.status, unsigned.text], [200, "the API's own /orders"]);
  const stranger = createSigner({ keyid: api.clientId, privateKey: otherKeyPair.privateKey });
  assert.equal((await api.call('GET', '/forged', { signer: stranger })).status, 200);
  assert.equal((await api.call('GET', '/signed')).status, 200);
  const [first, second, third] = api.received;
  assert.deepEqual(first!.values('countersign-client-id'), []);
  assert.equal(first!.body, 'x');
  assert.deepEqual(second!.values('countersign-client-id'), []);
  assert.deepEqual(third!.values('countersign-client-id'), [api.clientId]);
});

test('a changed body and a repeated write pass too, and are noted', async (t) => {
  const api = await openProtectedApi(t, { environment: observing });
  const url = `${apiBaseUrl}/orders`;
  const { headers } = api.signer.sign({ method: 'POST', url, body: 'one' });
  const send = (body: string): Promise<{ status: number }> =>
    api.running.send({ method: 'POST', url, body, headers: { ...headers } });
  assert.deepEqual(
    [(await send('two')).status, (await send('one')).status, (await send('one')).status],
    [200, 200, 200],
  );
  assert.deepEqual(
    api.received.map((one) => [one.body, one.values('countersign-client-id').length]),
    [
      ['two', 0],
      ['one', 1],
      ['one', 0],
    ],
  );
});

test('whatever is HTTP passes, is noted with its code, and carries no identity', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('silent', '');
  logger.info = (line: object) => lines.push(line as Record<string, unknown>);
  const api = await openProtectedApi(t, { environment: observing, logger });
  const paths = [
    '/a//b',
    '/a%2Fb',
    '/a;v=1',
    '/a/../b',
    '/a%252Fb',
    '/a%5cb',
    '/a%',
    '/a%00',
    '/%c0%ae%c0%ae/b',
    '/a.',
  ];
  const cases: readonly (readonly [path: string, headers: Record<string, string>, code: string])[] = [
    ...paths.map((path) => [path, {}, 'path_ambiguous'] as const),
    ['/hidden', { Connection: 'close, Content-Type' }, 'request_malformed'],
    ['/hidden', { Connection: 'close, Signature' }, 'request_malformed'],
    ['/upgrade', { Upgrade: 'smtp' }, 'upgrade_refused'],
  ];
  for (const [path, headers, code] of cases) {
    const answer = await api.call('GET', path, { headers });
    assert.deepEqual([answer.status, answer.text], [200, `the API's own ${path}`]);
    const { outcome, isObserved } = lines.at(-1)!;
    assert.deepEqual([outcome, isObserved], [code, true], path);
    const received = api.received.at(-1)!;
    assert.deepEqual([received.values('countersign-client-id'), received.values('upgrade')], [[], []]);
  }
  const unsigned = await api.running.send({ method: 'GET', url: `${apiBaseUrl}/a//b` });
  assert.equal(unsigned.status, 200);
  assert.equal(lines.at(-1)!['outcome'], 'signature_missing');
});

test('a path that some server could read as one of an enforcing route does not pass', async (t) => {
  const api = await openProtectedApi(t, { environment: observing });
  const paths = [
    '/Strict',
    '/strict/',
    '/%73trict',
    '/x/../strict',
    '/x/..%2fstrict',
    '//strict',
    '/strict;x',
  ];
  for (const path of [
    ...paths,
    '/%2e/strict',
    '/strict%2f',
    '/strict%00',
    '/strict.',
    '/x%5c..%5cstrict',
    '/stri%u0063t',
  ]) {
    const unsigned = await api.running.send({ method: 'GET', url: apiBaseUrl + path });
    assert.equal(unsigned.status, 401, path);
    assert.equal((await api.call('GET', path)).json()['code'], 'path_ambiguous', path);
  }
  const long = `/${'a;'.repeat(600)}`;
  assert.equal((await api.call('GET', long)).json()['code'], 'path_ambiguous');
  assert.deepEqual(api.received, []);
});

test('routes that enforce refuse as ever beside it', async (t) => {
  const api = await openProtectedApi(t, { environment: observing });
  const answer = await api.running.send({ method: 'GET', url: `${apiBaseUrl}/strict` });
  assert.equal(answer.json()['code'], 'signature_missing');
  assert.deepEqual(api.received, []);
});

test('the log and the owner see what would have been refused, and that it was not', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('silent', '');
  logger.info = (line: object) => lines.push(line as Record<string, unknown>);
  const api = await openProtectedApi(t, {
    environment: observing,
    logger,
    overrides: { requestLogEveryMs: 5 },
  });
  const stranger = createSigner({ keyid: api.clientId, privateKey: otherKeyPair.privateKey });
  await api.call('GET', '/forged', { signer: stranger });
  await api.call('GET', '/strict', { signer: stranger });
  const line = lines.find(({ outcome }) => outcome === 'signature_invalid');
  assert.deepEqual(
    [line?.['status'], line?.['isObserved'], line?.['claimedClientId']],
    [200, true, api.clientId],
  );
  const owner = await ownerOf(api);
  const list = async (outcome: string): Promise<readonly RequestEntry[]> =>
    (
      await owner<{ data: readonly RequestEntry[] }>(
        `/v1/requests?clientId=${api.clientId}&outcome=${outcome}`,
      )
    ).data;
  await waitUntil(async () => (await list('signature_invalid')).length >= 2, 'two entries');
  const told = (entries: readonly RequestEntry[]): unknown[] =>
    entries.map(({ url, status, isObserved }) => [url, status, isObserved]);
  const [refused, observed] = [
    ['/strict', 401, false],
    ['/forged', 200, true],
  ];
  assert.deepEqual(told(await list('signature_invalid')), [refused, observed]);
  assert.deepEqual(told(await list('refused')), [refused]);
  assert.deepEqual(told(await list('observed')), [observed]);
});

test('the owner is told why a request would have been refused', async (t) => {
  const api = await openProtectedApi(t, { environment: observing, overrides: { requestLogEveryMs: 5 } });
  const url = `${apiBaseUrl}/orders`;
  const { headers } = api.signer.sign({ method: 'POST', url, body: '{"amount": 1}' });
  const sent = await api.running.send({ method: 'POST', url, body: '{"amount":1}', headers: { ...headers } });
  assert.equal(sent.status, 200);
  const owner = await ownerOf(api);
  const path = `/v1/requests/${String(sent.headers['countersign-request-id'])}/explanation`;
  const explanation = await waitFor(() => owner<RequestExplanation | undefined>(path), 'the explanation');
  assert.deepEqual(
    explanation.findings.map(({ code }) => code),
    ['body_json_separators'],
  );
});

test('the report tells who is ready, and the operator where the others call from', async (t) => {
  const api = await openProtectedApi(t, { environment: observing, overrides: { requestLogEveryMs: 5 } });
  const owner = await ownerOf(api);
  const state = async (): Promise<readonly unknown[]> => {
    const { data } = await owner<Page<ClientReadiness>>('/v1/readiness');
    const found = data.find(({ clientId }) => clientId === api.clientId);
    return [found?.readiness, found?.accepted, found?.refused, found?.observed, found?.lastRefusal?.outcome];
  };
  assert.deepEqual(await state(), ['silent', 0, 0, 0, undefined]);
  await api.call('GET', '/orders');
  await waitUntil(async () => (await state())[0] !== 'silent', 'the client is not silent');
  assert.deepEqual(await state(), ['ready', 1, 0, 0, undefined]);
  const stranger = createSigner({ keyid: api.clientId, privateKey: otherKeyPair.privateKey });
  await api.call('GET', '/orders', { signer: stranger });
  await waitUntil(async () => (await state())[0] !== 'ready', 'the client is not ready');
  assert.deepEqual(await state(), ['not_ready', 1, 1, 1, 'signature_invalid']);

  await api.running.send({ method: 'GET', url: `${apiBaseUrl}/orders` });
  await api.running.send({ method: 'GET', url: `${apiBaseUrl}/strict` });
  const operator = await operatorOf(api);
  const sources = async (): Promise<UnattributedRequests> =>
    operator<UnattributedRequests>('/v1/unattributed-requests');
  await waitUntil(async () => (await sources()).items.length > 0, 'a source without a client');
  assert.deepEqual(
    (await sources()).items.map(({ source, requests, codes }) => [source, requests, codes]),
    [['127.0.0.1', 1, [{ outcome: 'signature_missing', count: 1 }]]],
  );
});

test('metrics count what passed by the code that it would have been refused with', async (t) => {
  const api = await openProtectedApi(t, { environment: { ...observing, COUNTERSIGN_METRICS_PORT: '0' } });
  await api.running.send({ method: 'GET', url: `${apiBaseUrl}/orders` });
  await api.running.send({ method: 'GET', url: `${apiBaseUrl}/strict` });
  await api.call('GET', '/signed');
  const figures = await (await fetch(`${api.running.service.metricsAddress}/metrics`)).text();
  for (const line of [
    'countersign_requests_total{code="signature_missing"} 2',
    'countersign_requests_observed_total{code="signature_missing"} 1',
    'countersign_request_duration_seconds_count{decision="accepted"} 1',
    'countersign_request_duration_seconds_count{decision="observed"} 1',
    'countersign_request_duration_seconds_count{decision="refused"} 1',
  ])
    assert.ok(figures.includes(`${line}\n`), `${line} is not in\n${figures}`);
  assert.doesNotMatch(figures, /observed_total\{code="accepted"/);
});

test('a request that passed and got no answer is not noted as observed', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('silent', '');
  logger.error = (line: object) => lines.push(line as Record<string, unknown>);
  const api = await openProtectedApi(t, {
    environment: observing,
    logger,
    answer: (request) => request.socket.destroy(),
  });
  const sent = await api.running.send({ method: 'POST', url: `${apiBaseUrl}/orders`, body: 'x' });
  assert.equal(sent.json()['code'], 'upstream_failed');
  assert.deepEqual(
    lines.map(({ outcome, isObserved }) => [outcome, isObserved]),
    [['upstream_failed', undefined]],
  );
});

test('a key that only observed requests name is not in use', async (t) => {
  const api = await openProtectedApi(t, { environment: observing });
  const stranger = createSigner({ keyid: api.clientId, privateKey: otherKeyPair.privateKey });
  await api.call('GET', '/forged', { signer: stranger });
  await api.running.change(async (registry) => {
    const { keys } = await registry.showClient(api.clientId);
    assert.equal(keys[0]!.firstUsedAtMs ?? undefined, undefined);
  });
});

type Read = <Body>(url: string) => Promise<Body>;

/** Reads as an administrator of the account. Undefined if not found. */
function ownerOf(api: ProtectedApi): Promise<Read> {
  return readerOf(api, 'administrator', 'rsa-2048-b');
}

/** Reads as the operator, whose account the clients of these tests are in. */
function operatorOf(api: ProtectedApi): Promise<Read> {
  return readerOf(api, 'operator', 'rsa-3072-a');
}

async function readerOf(
  { running }: ProtectedApi,
  role: string,
  key: Parameters<typeof publishedKeyPair>[0],
): Promise<Read> {
  const { signer } = await running.addClient({ roles: [role], keyPair: publishedKeyPair(key) });
  return async <Body>(url: string) => {
    const answer = await sendSigned(running, signer, { method: 'GET', url });
    if (answer.status === 404) return undefined as Body;
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as Body;
  };
}
