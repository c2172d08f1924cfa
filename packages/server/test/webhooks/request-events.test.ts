import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type WebhookData, webhookData } from '@countersign/contract';
import { createSigner } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { otherKeyPair } from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';
import { requestWritesTo } from '../../src/request-log/writing/request-writes.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Caller } from '../management/scene.ts';
import { noticesOf } from '../notices/notices-scene.ts';
import { type WebhookScene, webhookScene } from './scene.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What the tests of these events share. */
function requestsOf(on: WebhookScene) {
  const send = async ({ signer }: Pick<Caller, 'signer'>, localAddress = '127.0.0.1'): Promise<string> => {
    // In a second of its own, because an equal request in the same one has the same signature.
    on.scene.clock.aheadMs += 1000;
    const url = '/v1/whoami';
    const { headers } = signer.sign({ method: 'GET', url: `https://api.example.test${url}` });
    const answer = await on.scene.running.send({
      method: 'GET',
      url,
      headers: { ...headers },
      localAddress,
    });
    return answer.status === 200 ? 'accepted' : String(answer.json()['code']);
  };
  const dataOf = <Data>(type: string, { clientId }: Pick<Caller, 'clientId'>): Data[] =>
    on.receiver.received
      .filter((event) => event.type === type)
      .map(({ body }) => (JSON.parse(body) as { data: Data & { clientId: string } }).data)
      .filter((data) => data.clientId === clientId);
  const waitFor = async (type: string, client: Pick<Caller, 'clientId'>, count: number): Promise<void> => {
    await waitUntil(
      async () => {
        await on.deliver();
        return dataOf(type, client).length >= count;
      },
      () => `${dataOf(type, client).length} events`,
    );
    assert.equal(dataOf(type, client).length, count);
  };
  return { send, dataOf, waitFor };
}

for (const backend of backends) {
  describe(`the event of a first request on ${backend.name}`, { skip: backend.skip }, () => {
    const type = 'client.first_request';
    let on: WebhookScene;
    let of: ReturnType<typeof requestsOf>;
    before(async () => {
      on = await webhookScene(backend);
      of = requestsOf(on);
      await on.add({ eventTypes: [type] });
    });
    after(() => on.close());

    /** Waits until everything before was written and sent. */
    const settle = async (): Promise<void> => {
      const other = await on.scene.addCaller([]);
      assert.equal(await of.send(other), 'accepted');
      await of.waitFor(type, other, 1);
    };

    test('tells the first accepted request, once', async () => {
      const shop = await on.scene.addCaller([]);
      const stranger = createSigner({
        keyid: shop.clientId,
        privateKey: otherKeyPair.privateKey,
        nowMs: on.scene.nowMs,
      });
      assert.equal(await of.send({ signer: stranger }, '127.0.0.9'), 'signature_invalid');
      await on.scene.refused(shop, 'listClients', {}, 'permission_denied');
      await settle();
      await of.waitFor(type, shop, 0);
      assert.equal(await of.send(shop, '127.0.0.2'), 'accepted');
      assert.equal(await of.send(shop, '127.0.0.3'), 'accepted');
      await of.waitFor(type, shop, 1);
      const [data] = of.dataOf<WebhookData<'firstRequest'>>(type, shop);
      webhookData.firstRequest.parse(data);
      assert.equal(data?.sourceAddress, '127.0.0.2');
      const keys = await on.scene.succeed<{ data: { keyId: string; fingerprint: string }[] }>(
        on.scene.administrator,
        'listKeys',
        { path: { clientId: shop.clientId } },
      );
      const { keyId, fingerprint } = keys.data[0]!;
      assert.deepEqual([data?.keyId, data?.fingerprint], [keyId, fingerprint]);
      const request = await on.scene.succeed(on.scene.administrator, 'getRequest', {
        path: { requestId: data?.requestId ?? '' },
      });
      assert.equal(request['outcome'], 'accepted');
      on.scene.clock.aheadMs += 40 * dayMs;
      assert.equal(await of.send(shop), 'accepted');
      await settle();
      await of.waitFor(type, shop, 1);
    });

    test('two nodes that learn of it together make one event', async () => {
      const { clientId } = await on.addClient();
      const writes = requestWritesTo(await on.scene.database());
      const use = { subject: 'client', subjectId: clientId, usedAtMs: on.scene.nowMs() } as const;
      const uses = [0, 5, 3, 8].map((lateMs) => [{ ...use, usedAtMs: use.usedAtMs + lateMs }]);
      await Promise.all(uses.map((some) => writes.writeLastUses(some)));
      await of.waitFor(type, { clientId }, 1);
      await settle();
      await of.waitFor(type, { clientId }, 1);
    });
  });

  describe(`the event of a first request and crashes on ${backend.name}`, { skip: backend.skip }, () => {
    test('a write that fails, or whose answer is lost, loses no event and repeats none', async (t) => {
      const failures = new Map<string, number>();
      const on = await webhookScene(backend, {
        overrides: {
          requestWrites(database) {
            const writes = requestWritesTo(database);
            return {
              ...writes,
              async writeLastUses(uses) {
                const count = failures.get('all') ?? 0;
                failures.set('all', count + 1);
                if (count % 3 === 0) throw new StorageError('unavailable', 'Before the write.');
                await writes.writeLastUses(uses);
                if (count % 3 === 1) throw new StorageError('in_doubt', 'After the write.');
              },
            };
          },
        },
      });
      t.after(() => on.close());
      const of = requestsOf(on);
      const type = 'client.first_request';
      await on.add({ eventTypes: [type] });
      const shops: Caller[] = [];
      for (let count = 0; count < 4; count += 1) shops.push(await on.scene.addCaller([]));
      for (const shop of shops) {
        assert.equal(await of.send(shop), 'accepted');
        await of.waitFor(type, shop, 1);
      }
      for (const shop of shops) await of.waitFor(type, shop, 1);
    });
  });

  describe(`the event of a rate limit on ${backend.name}`, { skip: backend.skip }, () => {
    const type = 'client.rate_limited';
    let on: WebhookScene;
    let of: ReturnType<typeof requestsOf>;
    before(async () => {
      on = await webhookScene(backend, { overrides: { noticesEveryMs: 20 } });
      of = requestsOf(on);
      await on.add({ eventTypes: [type, 'client.requests_failing'] });
    });
    after(() => on.close());

    const limited = (): Promise<Caller> =>
      on.scene.addCaller([], { body: { requestsPerMinuteMax: 1, requestsBurstMax: 2 } });
    const exceed = async (shop: Caller): Promise<void> => {
      let outcome = 'accepted';
      for (let count = 0; count < 4; count += 1) outcome = await of.send(shop);
      assert.equal(outcome, 'rate_limited');
    };

    test('tells the first rejection after a quiet day, and is no failure', async () => {
      on.scene.clock.aheadMs += dayMs - (on.scene.nowMs() % hourMs);
      const shop = await limited();
      await exceed(shop);
      await of.waitFor(type, shop, 1);
      const [data] = of.dataOf<WebhookData<'rateLimited'>>(type, shop);
      webhookData.rateLimited.parse(data);
      assert.deepEqual([data?.requestsPerMinuteMax, data?.requestsBurstMax], [1, 2]);
      const request = await on.scene.succeed(on.scene.administrator, 'getRequest', {
        path: { requestId: data?.requestId ?? '' },
      });
      assert.equal(request['outcome'], 'rate_limited');
      // As the notices that people get.
      const viewer = await on.scene.addPerson({ role: 'viewer' });
      const { data: notices } = await noticesOf(on.scene, viewer, 'kind=rate_limited');
      const notice = notices.find(({ client }) => client?.clientId === shop.clientId);
      assert.deepEqual(notice?.rateLimit, { requestsPerMinuteMax: 1, requestsBurstMax: 2 });

      // Within the day it is counted, not told.
      on.scene.clock.aheadMs += 5 * hourMs;
      await exceed(shop);
      const other = await limited();
      await exceed(other);
      await of.waitFor(type, other, 1);
      await of.waitFor(type, shop, 1);
      assert.deepEqual(of.dataOf('client.requests_failing', shop), []);
      on.scene.clock.aheadMs += 2 * dayMs;
      await exceed(shop);
      await of.waitFor(type, shop, 2);
    });

    test('strangers cannot cause it', async () => {
      on.scene.clock.aheadMs += dayMs - (on.scene.nowMs() % hourMs);
      const shop = await limited();
      const { clientId } = shop;
      const { privateKey } = otherKeyPair;
      const signer = createSigner({ keyid: clientId, privateKey, nowMs: on.scene.nowMs });
      for (let count = 0; count < 5; count += 1)
        assert.equal(await of.send({ signer }, '127.0.0.8'), 'signature_invalid');
      const other = await limited();
      await exceed(other);
      await of.waitFor(type, other, 1);
      await of.waitFor(type, shop, 0);
    });
  });
}
