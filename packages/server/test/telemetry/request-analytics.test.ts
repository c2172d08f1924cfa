import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { AnalyticsFact, Page, RequestAnalytics, RequestEntry } from '@countersign/contract';
import { openProtectedApi } from '@countersign/testing/protected-api';
import { otherKeyPair, sendSigned } from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';

const upstreamMs = 400;
const timerToleranceMs = 5;

test("requests are counted by the route that they took, and the upstream's time is not the service's own", async (t) => {
  const api = await openProtectedApi(t, {
    environment: {
      COUNTERSIGN_ROUTES: JSON.stringify([
        { path: '/orders/{id}', methods: ['GET'], upstream: 'api', permission: 'shop' },
        { path: '/orders', upstream: 'api', permission: 'shop' },
      ]),
    },
    answer: (_request, response) => {
      void sleep(upstreamMs).then(() => response.end());
    },
  });
  await Promise.all([
    ...['/orders/1', '/orders/2', '/orders'].map((path) => api.call('GET', path)),
    // Strangers choose their paths, so only routes are counted separately.
    ...['/x', '/y', '/z'].map((path) => api.call('GET', path)),
    api.call('GET', '/orders', { headers: { Date: new Date(0).toUTCString() } }),
  ]);
  const reader = await api.running.addClient({ roles: ['auditor'], keyPair: otherKeyPair });
  const read = async (query = ''): Promise<{ text: string; contentType: string }> => {
    const url = `/v1/request-analytics?clientId=${api.clientId}${query}`;
    const { status, text, headers } = await sendSigned(api.running, reader.signer, { method: 'GET', url });
    assert.equal(status, 200, text);
    return { text, contentType: String(headers['content-type']) };
  };
  let analytics!: RequestAnalytics;
  const told = (fact: AnalyticsFact): string[] =>
    analytics.groups
      .find(({ by }) => by === fact)!
      .values.map(({ name, accepted, refused }) => `${name} ${accepted} ${refused}`);
  await waitUntil(
    async () => {
      analytics = JSON.parse((await read()).text) as RequestAnalytics;
      return analytics.times.count >= 7;
    },
    () => analytics,
  );
  assert.deepEqual(told('operation'), ['GET /orders 1 1', 'GET /orders/{id} 2 0']);
  const operations = analytics.groups.find(({ by }) => by === 'operation')!;
  assert.equal(operations.other.accepted + operations.other.refused, 3);
  assert.ok(told('cause').includes('date_mismatch 0 1'), told('cause').join());
  assert.ok(
    told('address').some((line) => line.startsWith('127.0.0.1 ')),
    told('address').join(),
  );
  assert.ok(told('key').length === 1);
  const url = `/v1/requests?clientId=${api.clientId}`;
  const { text } = await sendSigned(api.running, reader.signer, { method: 'GET', url });
  const own = (JSON.parse(text) as Page<RequestEntry>).data.map(
    ({ status, durationMs = 0 }) => durationMs - (status === 200 ? upstreamMs - timerToleranceMs : 0),
  );
  assert.equal(analytics.times.count, own.length);
  assert.ok(analytics.times.p99Ms! <= 1.1 * Math.max(...own), `${analytics.times.p99Ms} ms, ${own.join()}`);
  const csv = await read('&by=operation&format=csv');
  assert.match(csv.contentType, /^text\/csv/);
  assert.match(
    csv.text,
    /^by,name,accepted,observed,refused\r\n(.*\r\n)*operation,GET \/orders\/\{id\},2,0,0\r\n/,
  );
  const ndjson = (await read('&by=cause&format=ndjson')).text.trim().split('\n');
  assert.ok(
    ndjson.map((line) => JSON.parse(line) as { name: string }).some(({ name }) => name === 'date_mismatch'),
  );
});
