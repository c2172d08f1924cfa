import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { everyPath } from '@countersign/testing/proxied-api';
import { receivingServer, type ReceivingServer } from '@countersign/testing/receiving-server';
import { runService } from '@countersign/testing/running-service';
import { exchange } from '@countersign/testing/wire';
import { addClients, baseUrls, requestOf, sent } from '@countersign/testing/wire-vectors';

/** Sends every vector, and returns the verdicts with what reached the API. */
async function outcomes(t: TestContext, api: ReceivingServer, threads: number): Promise<readonly string[]> {
  const clock = new BigInt64Array(new SharedArrayBuffer(8));
  const running = await runService(
    {
      COUNTERSIGN_THREADS: String(threads),
      COUNTERSIGN_UPSTREAM: api.address,
      COUNTERSIGN_PUBLIC_BASE_URLS: 'https://console.example.test',
      COUNTERSIGN_API_BASE_URLS: baseUrls.join(),
      COUNTERSIGN_ROUTES: everyPath,
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1',
      COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
    },
    { clock },
  );
  t.after(() => running.close());
  await addClients(running);
  const port = Number(new URL(running.service.apiAddress!).port);
  const found: string[] = [];
  for (const one of sent) {
    Atomics.store(clock, 0, BigInt(one.verify.now * 1000));
    const { verdict } = await exchange(port, await requestOf(one));
    found.push(`${one.id}: ${verdict}, reached: ${JSON.stringify(api.take())}`);
  }
  return found;
}

test('several threads give every vector the verdict of one, and hand on the same', async (t) => {
  const api = await receivingServer();
  t.after(() => api.close());
  const byOne = await outcomes(t, api, 1);
  const byThree = await outcomes(t, api, 3);
  assert.ok(byOne.filter((line) => line.includes(': ok, ')).length > 90);
  assert.deepEqual(byThree, byOne);
});
