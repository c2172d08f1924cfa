import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner } from '@countersign/signature/node';
import { createLogger } from '../../src/telemetry/logger.ts';
import { apiBaseUrl, otherKeyPair, publishedKeyPair, sendSigned } from '../running-service.ts';
import { openProtectedApi } from './protected-api.ts';

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
  const line = lines.find(({ outcome }) => outcome === 'signature_invalid');
  assert.deepEqual(
    [line?.['status'], line?.['isObserved'], line?.['claimedClientId']],
    [200, true, api.clientId],
  );
  const { signer } = await api.running.addClient({
    roles: ['administrator'],
    keyPair: publishedKeyPair('rsa-2048-b'),
  });
  const url = `/v1/requests?clientId=${api.clientId}&outcome=signature_invalid`;
  const seen = async (): Promise<{ status: number }[]> => {
    const answer = await sendSigned(api.running, signer, { method: 'GET', url });
    return answer.json()['data'] as { status: number }[];
  };
  while ((await seen()).length === 0) await sleep(10);
  assert.deepEqual(
    (await seen()).map(({ status }) => status),
    [200],
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
