import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { claimDeliveries } from '../../src/webhooks/claim-deliveries.ts';
import { DeliveryRoom } from '../../src/webhooks/delivery-room.ts';
import { answerWith } from './receiver.ts';
import { type WebhookScene, webhookScene } from './scene.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const hangUp = (response: ServerResponse): void => void response.destroy();

for (const backend of backends) {
  describe(`webhooks whose receiver is dead, on ${backend.name}`, { skip: backend.skip }, () => {
    let on: WebhookScene;
    before(async () => {
      on = await webhookScene(backend);
    });
    after(() => on.close());
    afterEach(async () => {
      const database = await on.scene.database();
      await database.deleteFrom('webhooks').execute();
      on.receiver.received.length = 0;
      on.receiver.answer = answerWith(204);
    });

    /** A webhook that has failed once, with so many more events that wait. */
    const failing = async (waiting: number, body: object = {}): ReturnType<WebhookScene['add']> => {
      const webhook = await on.add(body);
      on.receiver.answer = hangUp;
      await on.addClient();
      await on.deliver();
      for (let count = 0; count < waiting; count += 1) await on.addClient();
      on.receiver.received.length = 0;
      return webhook;
    };

    test('a dead receiver costs one connection per retry time, however many events wait', async () => {
      const webhook = await failing(20);
      const pauses = [6 * secondMs, 5 * minuteMs, 30 * minuteMs, 30 * minuteMs, 30 * minuteMs];
      for (const [index, pauseMs] of pauses.entries()) {
        await on.deliver(pauseMs);
        // Nothing more in the same run, nor in the next ones.
        await on.deliver(secondMs);
        assert.equal(on.receiver.received.length, index + 1);
      }
      const counts = (await on.deliveries(webhook)).map(({ attemptCount }) => attemptCount);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        pauses.length + 1,
      );
    });

    test('when it is back, everything that waited arrives in one run, each event once', async () => {
      const webhook = await failing(20);
      for (const pauseMs of [6 * secondMs, 6 * minuteMs, 31 * minuteMs]) await on.deliver(pauseMs);
      on.receiver.received.length = 0;
      on.receiver.answer = answerWith(204);
      await on.deliver(31 * minuteMs);
      await on.deliver(6 * hourMs);
      assert.equal(new Set(on.receiver.at(webhook.path).map(({ id }) => id)).size, 21);
      assert.equal(on.receiver.at(webhook.path).length, 21);
      assert.ok((await on.deliveries(webhook)).every(({ state }) => state === 'delivered'));
    });

    test('a proxy without a receiver behind it is as dead, and one that answers is not', async () => {
      const webhook = await on.add();
      const good = await on.add();
      on.receiver.answer = (response, event) =>
        answerWith(event.path === webhook.path ? 503 : 404)(response, event);
      await on.addClient();
      await on.deliver();
      for (let count = 0; count < 3; count += 1) await on.addClient();
      await on.deliver();
      assert.equal(on.receiver.at(webhook.path).length, 1);
      assert.equal(on.receiver.at(good.path).length, 4);
      // After five answers in a row, it waits too.
      for (let count = 0; count < 6; count += 1) await on.addClient();
      await on.deliver();
      assert.equal(on.receiver.at(good.path).length, 6);
    });

    test('a test event and a resent one are tried at once, and first', async () => {
      const webhook = await failing(3);
      const path = { webhookId: webhook.webhookId };
      await on.scene.succeed(on.scene.administrator, 'testWebhook', { path });
      await on.deliver();
      assert.deepEqual(
        on.receiver.received.map(({ type }) => type),
        ['webhook.test'],
      );
      const [, newest] = await on.deliveries(webhook);
      const resent = { path: { ...path, deliveryId: newest!.deliveryId } };
      await on.scene.succeed(on.scene.administrator, 'resendWebhookDelivery', resent);
      await on.deliver();
      assert.equal(on.receiver.received[1]?.id, newest!.eventId);
      assert.equal(on.receiver.received.length, 2);
    });

    test('another URL is tried at once', async () => {
      const webhook = await failing(3);
      on.receiver.answer = answerWith(204);
      await on.scene.succeed(on.scene.administrator, 'updateWebhook', {
        path: { webhookId: webhook.webhookId },
        headers: { 'If-Match': '*' },
        body: { url: `${on.receiver.origin}/moved` },
      });
      await on.deliver();
      assert.ok(on.receiver.at('/moved').length >= 3);
    });

    test('two nodes have one attempt together, and one that crashed with it holds it for a minute', async () => {
      const webhook = await failing(5);
      on.scene.clock.aheadMs += 6 * secondMs;
      const database = await on.scene.database();
      const claim = () =>
        claimDeliveries(database, new DeliveryRoom(), { afterWebhookId: '' }, on.scene.nowMs());
      const claimed = [...(await claim()), ...(await claim())];
      assert.deepEqual(
        claimed.map(({ isProbe }) => isProbe),
        [true],
      );
      await on.deliver();
      assert.equal(on.receiver.at(webhook.path).length, 0);
      on.receiver.answer = answerWith(204);
      await on.deliver(61 * secondMs);
      assert.equal(on.receiver.at(webhook.path).length, 6);
    });

    test('with order, a client whose event fails holds up no other client of a dead receiver for good', async () => {
      const webhook = await failing(4, { isOrdered: true });
      on.receiver.answer = answerWith(204);
      await on.deliver(6 * secondMs);
      assert.equal(on.receiver.at(webhook.path).length, 5);
    });

    test('a dead receiver that is disabled after five days keeps what waits', async () => {
      const webhook = await failing(2);
      await on.deliver(5 * 24 * hourMs + minuteMs);
      const path = { webhookId: webhook.webhookId };
      const { status } = await on.scene.succeed<{ status: string }>(on.scene.administrator, 'getWebhook', {
        path,
      });
      assert.equal(status, 'disabled');
      on.receiver.answer = answerWith(204);
      await on.scene.succeed(on.scene.administrator, 'resumeWebhook', { path });
      on.receiver.received.length = 0;
      await on.deliver(hourMs);
      assert.equal(on.receiver.at(webhook.path).length, 3);
    });
  });
}
