import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { newId, type Webhook, type WebhookDelivery } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { answerWith, type Receiver } from './receiver.ts';
import { type WebhookScene, webhookScene } from './scene.ts';

interface DeliveryPage {
  readonly data: readonly WebhookDelivery[];
  readonly nextCursor: string | null;
}

for (const backend of backends) {
  describe(`what is shown of deliveries on ${backend.name}`, { skip: backend.skip }, () => {
    let on: WebhookScene;
    before(async () => {
      on = await webhookScene(backend);
    });
    after(() => on.close());
    afterEach(async () => {
      await (await on.scene.database()).deleteFrom('webhooks').execute();
      on.receiver.answer = answerWith(204);
    });

    const list = ({ webhookId }: Webhook, query: Readonly<Record<string, string>> = {}) =>
      on.scene.succeed<DeliveryPage>(on.scene.administrator, 'listWebhookDeliveries', {
        path: { webhookId },
        query: `${new URLSearchParams(query)}`,
      });
    const sendTest = async ({ webhookId }: Webhook): Promise<string> => {
      const { administrator } = on.scene;
      const path = { webhookId };
      const sent = await on.scene.succeed<WebhookDelivery>(administrator, 'testWebhook', { path });
      return sent.deliveryId;
    };
    const isoAhead = (ms: number): string => new Date(Date.now() + on.scene.clock.aheadMs + ms).toISOString();

    const answers: readonly (readonly [string, Receiver['answer']])[] = [
      ['redirected', answerWith(308, { Location: '/elsewhere' })],
      ['client_error', answerWith(404)],
      ['rate_limited', answerWith(429)],
      ['server_error', answerWith(502)],
      ['status_unexpected', answerWith(700)],
      ['gone', answerWith(410)],
      ['answer_malformed', (response) => void response.socket?.end('no HTTP\r\n\r\n')],
    ];
    for (const [failure, answer] of answers) {
      test(`a failure has its kind: ${failure}`, async () => {
        const webhook = await on.add();
        on.receiver.answer = answer;
        await sendTest(webhook);
        await on.deliver();
        const { attempts } = await on.details(webhook);
        assert.equal(attempts[0]?.failure, failure);
        assert.match(attempts[0]?.problem ?? '', /^[A-Z].+\.$/);
      });
    }

    test('an attempt of an earlier version keeps its sentence, without a kind', async () => {
      const webhook = await on.add();
      on.receiver.answer = answerWith(500);
      await sendTest(webhook);
      await on.deliver();
      const database = await on.scene.database();
      // An attempt is never changed, and the tables' types say so.
      const problem = 'It was different then.' as never;
      await database.updateTable('webhook_attempts').set({ problem }).execute();
      const [attempt] = (await on.details(webhook)).attempts;
      assert.deepEqual([attempt?.failure, attempt?.problem], [undefined, 'It was different then.']);
    });

    test('deliveries are found by type, state and time', async () => {
      const webhook = await on.add();
      const first = await sendTest(webhook);
      await on.addClient();
      await on.deliver();
      await on.deliver(3_600_000);
      const later = await sendTest(webhook);
      const found = async (query: Readonly<Record<string, string>>): Promise<readonly string[]> =>
        (await list(webhook, query)).data.map(({ deliveryId }) => deliveryId);
      assert.deepEqual(await found({ eventType: 'webhook.test' }), [later, first]);
      assert.deepEqual(await found({ eventType: 'webhook.test', state: 'delivered' }), [first]);
      assert.deepEqual(await found({ from: isoAhead(-1_800_000) }), [later]);
      assert.equal((await found({ to: isoAhead(-1_800_000) })).length, 2);
      assert.deepEqual(await found({ eventType: 'key.added' }), []);
    });

    test('a page looks at a limited number of deliveries, and the next one goes on from there', async () => {
      const webhook = await on.add();
      const first = await sendTest(webhook);
      await on.deliver();
      await fill(webhook, 2100);
      const { data, nextCursor } = await list(webhook, { eventType: 'webhook.test' });
      assert.deepEqual(data, []);
      assert.notEqual(nextCursor, null);
      const next = await list(webhook, { eventType: 'webhook.test', cursor: nextCursor ?? '' });
      assert.deepEqual([next.data.map(({ deliveryId }) => deliveryId), next.nextCursor], [[first], null]);
    });

    test('a webhook shows its last delivery, and what became of those of the last day', async () => {
      const webhook = await on.add();
      const read = () => {
        const path = { webhookId: webhook.webhookId };
        return on.scene.succeed<Webhook>(on.scene.administrator, 'getWebhook', { path });
      };
      const none = { delivered: 0, failing: 0, waiting: 0, isComplete: true };
      assert.deepEqual((await read()).activity, { lastDay: none });
      await sendTest(webhook);
      await on.deliver();
      on.receiver.answer = answerWith(500);
      await sendTest(webhook);
      await on.deliver();
      const waiting = await sendTest(webhook);
      const { activity } = await read();
      assert.deepEqual(activity?.lastDay, { delivered: 1, failing: 1, waiting: 1, isComplete: true });
      const { deliveryId, state, eventType, attemptCount } = activity.lastDelivery ?? {};
      assert.deepEqual([deliveryId, state, eventType, attemptCount], [waiting, 'waiting', 'webhook.test', 0]);
      await fill(webhook, 600);
      const full = (await read()).activity?.lastDay;
      assert.deepEqual([full?.delivered, full?.isComplete], [500, false]);
    });

    /** Adds delivered events of another type, newer than all others. */
    async function fill({ webhookId, accountId }: Webhook, count: number): Promise<void> {
      const database = await on.scene.database();
      const nowMs = Date.now() + on.scene.clock.aheadMs + 1000;
      const eventId = newId('event', nowMs);
      await database
        .insertInto('webhook_events')
        .values({
          event_id: eventId,
          account_id: accountId,
          type: 'client.added',
          created_at_ms: nowMs,
          data: '{}',
        })
        .execute();
      const rows = Array.from({ length: count }, (_, index) => ({
        delivery_id: newId('delivery', nowMs + index),
        webhook_id: webhookId,
        event_id: eventId,
        client_id: null,
        position: index,
        state: 'delivered' as const,
        attempt_count: 1,
        next_attempt_at_ms: null,
        created_at_ms: nowMs,
      }));
      for (let start = 0; start < count; start += 300)
        await database
          .insertInto('webhook_deliveries')
          .values(rows.slice(start, start + 300))
          .execute();
    }
  });
}
