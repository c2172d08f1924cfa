import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type WebhookData, webhookData } from '@countersign/contract';
import { createSigner } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { otherKeyPair } from '@countersign/testing/running-service';
import { waitUntil } from '@countersign/testing/wait-until';
import type { RepeatedWork } from '../../src/lifecycle/repeated-work.ts';
import { startNoticeWork } from '../../src/notices/notice-work.ts';
import type { Database } from '../../src/storage/transaction.ts';
import type { Caller } from '../management/scene.ts';
import { noticesOf } from '../notices/notices-scene.ts';
import { never, type WebhookScene, webhookScene } from './scene.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type Failing = WebhookData<'requestsFailing'>;
type Recovered = WebhookData<'requestsRecovered'>;

for (const backend of backends) {
  describe(`events of failing clients on ${backend.name}`, { skip: backend.skip }, () => {
    let on: WebhookScene;
    let otherNode: RepeatedWork;
    let sent = 0;
    before(async () => {
      on = await webhookScene(backend, { overrides: { noticesEveryMs: 20 } });
      await on.add({ eventTypes: ['client.requests_failing', 'client.requests_recovered'] });
      // All along, so that each test is one of two nodes.
      otherNode = noticeWork(await on.scene.database(), 20);
    });
    after(async () => {
      await otherNode.close();
      await on.close();
    });

    /** The work of one node. */
    const noticeWork = (database: Database, everyMs: number): RepeatedWork =>
      startNoticeWork({
        database,
        nowMs: on.scene.nowMs,
        hasReaders: false,
        requestLimit: { requestsPerMinuteMax: 0, requestsBurstMax: 10 },
        mail: undefined,
        onError: (error) => {
          throw error;
        },
        everyMs,
      });

    const pass = (ms: number): void => {
      on.scene.clock.aheadMs += ms;
    };
    /** Goes to the beginning of an hour, some days on: nothing has failed for a day. */
    const goOn = (): void => pass(3 * dayMs - (on.scene.nowMs() % hourMs) + minuteMs);

    const send = async ({ signer }: Pick<Caller, 'signer'>, headersOf = signer): Promise<string> => {
      // In a second of its own, because an equal request in the same one has the same signature.
      pass(1000);
      const url = '/v1/whoami';
      const { headers } = headersOf.sign({ method: 'GET', url: `https://api.example.test${url}` });
      const answer = await on.scene.running.send({ method: 'GET', url, headers: { ...headers } });
      return answer.status === 200 ? 'accepted' : String(answer.json()['code']);
    };
    const accept = async (client: Caller): Promise<void> => assert.equal(await send(client), 'accepted');
    /** Fails for a reason that is known after the signature: a role is missing. */
    const deny = async (client: Caller): Promise<void> =>
      void (await on.scene.refused(
        client,
        'listClients',
        { query: `limit=${1 + (sent++ % 90)}` },
        'permission_denied',
      ));
    /** Sends what a stranger can send who knows the clientId. */
    const forge = async ({ clientId }: Caller, aheadMs = 0): Promise<string> => {
      const nowMs = (): number => on.scene.nowMs() + aheadMs;
      const signer = createSigner({ keyid: clientId, privateKey: otherKeyPair.privateKey, nowMs });
      return send({ signer });
    };

    const dataOf = <Data>(type: string, { clientId }: Caller): Data[] =>
      on.receiver.received
        .filter((event) => event.type === type)
        .map(({ body }) => (JSON.parse(body) as { data: Data & { clientId: string } }).data)
        .filter((data) => data.clientId === clientId);
    const failing = (client: Caller): Failing[] => dataOf<Failing>('client.requests_failing', client);
    const recovered = (client: Caller): Recovered[] => dataOf<Recovered>('client.requests_recovered', client);
    const waitForEvents = async (client: Caller, failures: number, ends: number): Promise<void> => {
      const counts = (): readonly number[] => [failing(client).length, recovered(client).length];
      await waitUntil(
        async () => {
          await on.deliver();
          const [some = 0, others = 0] = counts();
          return some >= failures && others >= ends;
        },
        () => `other events: ${counts().join(' and ')}`,
      );
      assert.deepEqual(counts(), [failures, ends]);
    };
    /** Waits until everything before has been looked at: by a whole turn, between the failures of two others. */
    const settle = async (): Promise<void> => {
      for (let turn = 0; turn < 2; turn += 1) {
        const other = await on.scene.addCaller([]);
        await deny(other);
        await waitForEvents(other, 1, 0);
      }
    };

    test('has recovered when requests were accepted for 15 minutes, which is told once', async () => {
      goOn();
      const shop = await on.scene.addCaller([]);
      await deny(shop);
      await waitForEvents(shop, 1, 0);
      const [began] = failing(shop).map((data) => webhookData.requestsFailing.parse(data));
      assert.deepEqual([began?.failure?.problem, began?.failure?.isProved], ['permission_denied', true]);
      const since = on.scene.nowMs();
      pass(minuteMs);
      await accept(shop);
      pass(10 * minuteMs);
      // It is not over yet.
      await deny(shop);
      pass(minuteMs);
      const recoveredAt = on.scene.nowMs();
      await accept(shop);
      pass(8 * minuteMs);
      await accept(shop);
      await settle();
      await waitForEvents(shop, 1, 0);
      pass(8 * minuteMs);
      await waitForEvents(shop, 1, 1);
      const [end] = recovered(shop).map((data) => webhookData.requestsRecovered.parse(data));
      assert.equal(end?.problem, 'permission_denied');
      assert.ok(Math.abs(Date.parse(end.since) - since) < minuteMs / 2, end.since);
      assert.ok(Math.abs(Date.parse(end.recoveredAt) - recoveredAt) < minuteMs / 2, end.recoveredAt);
      pass(hourMs);
      await accept(shop);
      await settle();
      await waitForEvents(shop, 1, 1);
    });

    test('does not recover by silence, nor by rejections for another reason', async () => {
      goOn();
      const shop = await on.scene.addCaller([]);
      await deny(shop);
      await waitForEvents(shop, 1, 0);
      pass(hourMs);
      assert.equal(await forge(shop), 'signature_invalid');
      await settle();
      await waitForEvents(shop, 1, 0);
      await accept(shop);
      pass(14 * minuteMs);
      await settle();
      await waitForEvents(shop, 1, 0);
      pass(2 * minuteMs);
      await waitForEvents(shop, 1, 1);
    });

    test('strangers cause one event a day and its end, and neither prolong nor hide what the client causes', async () => {
      goOn();
      const shop = await on.scene.addCaller([]);
      await accept(shop);
      assert.equal(await forge(shop), 'signature_invalid');
      await waitForEvents(shop, 1, 0);
      assert.equal(failing(shop)[0]?.failure?.isProved, false);
      // Of all that a stranger can cause, none is another cause.
      assert.equal(await forge(shop, -hourMs), 'created_expired');
      assert.equal(await forge(shop, hourMs), 'created_in_future');
      await settle();
      await waitForEvents(shop, 1, 0);
      pass(minuteMs);
      await accept(shop);
      pass(16 * minuteMs);
      await waitForEvents(shop, 1, 1);
      // Not again, although it has ended.
      for (let time = 0; time < 3; time += 1) {
        await forge(shop);
        await accept(shop);
        pass(16 * minuteMs);
      }
      await settle();
      await waitForEvents(shop, 1, 1);

      await deny(shop);
      await waitForEvents(shop, 2, 1);
      assert.equal(failing(shop)[1]?.failure?.problem, 'permission_denied');
      await accept(shop);
      pass(10 * minuteMs);
      await forge(shop);
      pass(6 * minuteMs);
      await waitForEvents(shop, 2, 2);
      assert.equal(recovered(shop)[1]?.problem, 'permission_denied');
    });

    test('each cause is told, and ends, by itself', async () => {
      goOn();
      const shop = await on.scene.addCaller([]);
      const path = { clientId: shop.clientId };
      await deny(shop);
      await waitForEvents(shop, 1, 0);
      await on.scene.succeed(on.scene.administrator, 'disableClient', { path });
      assert.equal(await send(shop), 'client_disabled');
      assert.equal(await send(shop), 'client_disabled');
      await waitForEvents(shop, 2, 0);
      assert.deepEqual(
        failing(shop).map(({ failure }) => failure?.problem),
        ['permission_denied', 'client_disabled'],
      );
      await on.scene.succeed(on.scene.administrator, 'enableClient', { path });
      await accept(shop);
      pass(10 * minuteMs);
      await deny(shop);
      await accept(shop);
      await settle();
      pass(6 * minuteMs);
      await waitForEvents(shop, 2, 1);
      assert.equal(recovered(shop)[0]?.problem, 'client_disabled');
      pass(10 * minuteMs);
      await waitForEvents(shop, 2, 2);
      assert.equal(recovered(shop)[1]?.problem, 'permission_denied');
    });

    test('a client that fails and recovers all day causes a bounded number of events', async () => {
      goOn();
      const shop = await on.scene.addCaller([]);
      const told = 6;
      for (let time = 0; time < told + 2; time += 1) {
        await deny(shop);
        await waitForEvents(shop, Math.min(time + 1, told), Math.min(time, told));
        pass(minuteMs);
        await accept(shop);
        pass(16 * minuteMs);
        await waitForEvents(shop, Math.min(time + 1, told), Math.min(time + 1, told));
      }
      goOn();
      await deny(shop);
      await waitForEvents(shop, told + 1, told);
    });

    test('people see in the notice of the failure that it has ended', async () => {
      goOn();
      const shop = await on.scene.addCaller([]);
      await deny(shop);
      await accept(shop);
      await waitForEvents(shop, 1, 0);
      pass(16 * minuteMs);
      await waitForEvents(shop, 1, 1);
      const viewer = await on.scene.addPerson({ role: 'viewer' });
      const { data } = await noticesOf(on.scene, viewer, 'kind=first_failure&limit=100');
      const notice = data.find(({ client }) => client?.clientId === shop.clientId);
      assert.equal(notice?.recoveredAt, recovered(shop)[0]?.recoveredAt);
    });
  });

  describe(`events of failing clients and restarts on ${backend.name}`, { skip: backend.skip }, () => {
    test('what one node began to tell, another one that has just started ends', async (t) => {
      const on = await webhookScene(backend, { overrides: { noticesEveryMs: never } });
      t.after(() => on.close());
      await on.add({ eventTypes: ['client.requests_failing', 'client.requests_recovered'] });
      const database = await on.scene.database();
      const types = (): readonly string[] => on.receiver.received.map(({ type }) => type);
      /** A node that starts, looks once, and ends. */
      const look = async (): Promise<void> => {
        const work = startNoticeWork({
          database,
          nowMs: on.scene.nowMs,
          hasReaders: true,
          requestLimit: { requestsPerMinuteMax: 0, requestsBurstMax: 10 },
          mail: undefined,
          onError: (error) => {
            throw error;
          },
          everyMs: never,
        });
        await work.run();
        await work.close();
        await on.deliver();
      };
      const shop = await on.scene.addCaller([]);
      await on.scene.refused(shop, 'listClients', {}, 'permission_denied');
      await on.scene.succeed(shop, 'getWhoami');
      // Last uses are written after requests and counts.
      await waitUntil(async () => {
        const uses = await database.selectFrom('last_uses').select('subject_id').execute();
        return uses.some((use) => use.subject_id === shop.clientId);
      }, 'the request log is written');
      await look();
      await look();
      assert.deepEqual(types(), ['client.requests_failing']);
      on.scene.clock.aheadMs += 20 * minuteMs;
      await Promise.all([look(), look()]);
      await look();
      assert.deepEqual(types(), ['client.requests_failing', 'client.requests_recovered']);
    });
  });
}
