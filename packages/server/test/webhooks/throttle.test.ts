import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Webhook, WebhookChange } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import fc from 'fast-check';
import { makeOwnKey } from '../../src/forwarding/own-key.ts';
import { attemptsAllowed, throttledUntil } from '../../src/webhooks/attempt-rate.ts';
import { claimDeliveries } from '../../src/webhooks/claim-deliveries.ts';
import { startDeliveringWebhooks } from '../../src/webhooks/deliver-webhooks.ts';
import { DeliveryRoom } from '../../src/webhooks/delivery-room.ts';
import { openWebhookSecrets } from '../../src/webhooks/webhook-secrets.ts';
import { answerWith } from './receiver.ts';
import { never, type WebhookScene, webhookScene } from './scene.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;

for (const backend of backends) {
  describe(`webhooks with attempts per minute on ${backend.name}`, { skip: backend.skip }, () => {
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

    /** A webhook with one attempt per minute, which has had it, and with more events that wait. */
    const throttled = async (waiting: number, body: object = {}): ReturnType<WebhookScene['add']> => {
      const webhook = await on.add({ attemptsPerMinuteMax: 1, ...body });
      for (let count = 0; count <= waiting; count += 1) await on.addClient();
      await on.deliver();
      assert.equal(on.receiver.received.length, 1);
      return webhook;
    };
    const onWebhook = (
      id: 'pauseWebhook' | 'resumeWebhook' | 'testWebhook',
      { webhookId }: Webhook,
    ): Promise<Webhook> => on.scene.succeed<Webhook>(on.scene.administrator, id, { path: { webhookId } });
    const update = ({ webhookId }: Webhook, body: WebhookChange): Promise<Webhook> =>
      on.scene.succeed<Webhook>(on.scene.administrator, 'updateWebhook', {
        path: { webhookId },
        headers: { 'If-Match': '*' },
        body,
      });
    /** What another node sends, or this one after a restart: it knows nothing but the database. */
    const deliverElsewhere = async (afterMs = 0): Promise<void> => {
      on.scene.clock.aheadMs += afterMs;
      const key = makeOwnKey(0);
      const node = startDeliveringWebhooks({
        database: await on.scene.database(),
        nowMs: on.scene.nowMs,
        monotonicMs: () => performance.now(),
        signingKey: async () => key,
        secrets: openWebhookSecrets(undefined),
        trustedOrigins: new Set([on.receiver.origin]),
        onDisabled: () => undefined,
        onError: (error) => {
          throw error;
        },
        everyMs: never,
      });
      await node.run();
      await node.close();
    };

    test('a number that is none from 1 to 6000 is rejected', async () => {
      const webhook = await on.add();
      for (const attemptsPerMinuteMax of [0, -1, 1.5, 6001, '60', true]) {
        const { url, webhookId } = webhook;
        const added = { body: { url, attemptsPerMinuteMax } };
        await on.scene.refused(on.scene.administrator, 'addWebhook', added, 'body_invalid');
        const changed = {
          path: { webhookId },
          headers: { 'If-Match': '*' },
          body: { attemptsPerMinuteMax },
        };
        await on.scene.refused(on.scene.administrator, 'updateWebhook', changed, 'body_invalid');
      }
    });

    test('what is beyond waits without losing attempts, and a run ends meanwhile', async () => {
      const webhook = await throttled(2);
      assert.equal(webhook.attemptsPerMinuteMax, 1);
      await on.deliver(40 * secondMs);
      assert.equal(on.receiver.received.length, 1);
      for (const count of [2, 3]) {
        await on.deliver(61 * secondMs);
        assert.equal(on.receiver.received.length, count);
      }
      const deliveries = await on.deliveries(webhook);
      assert.ok(deliveries.every(({ state, attemptCount }) => state === 'delivered' && attemptCount === 1));
      assert.equal(new Set(on.receiver.received.map(({ id }) => id)).size, 3);
    });

    test('all nodes together have the attempts, also after a restart', async () => {
      await throttled(4);
      await deliverElsewhere(30 * secondMs);
      assert.equal(on.receiver.received.length, 1);
      await Promise.all([on.deliver(31 * secondMs), deliverElsewhere(), deliverElsewhere()]);
      assert.equal(on.receiver.received.length, 2);
      await Promise.all([on.deliver(30 * secondMs), deliverElsewhere()]);
      assert.equal(on.receiver.received.length, 2);
      await deliverElsewhere(31 * secondMs);
      assert.equal(on.receiver.received.length, 3);
    });

    test('other webhooks do not wait, nor those of the same receiver', async () => {
      await throttled(3);
      const other = await on.add();
      await on.addClient();
      await on.deliver();
      assert.equal(on.receiver.at(other.path).length, 1);
    });

    test('a test event counts, and waits its turn', async () => {
      const webhook = await throttled(0);
      await onWebhook('testWebhook', webhook);
      await on.deliver(secondMs);
      assert.equal(on.receiver.received.length, 1);
      await on.deliver(60 * secondMs);
      assert.equal(on.receiver.received[1]?.type, 'webhook.test');
      await on.addClient();
      await on.deliver(secondMs);
      assert.equal(on.receiver.received.length, 2);
    });

    test('the one attempt of a failing webhook counts, and so does a repeated one', async () => {
      const webhook = await on.add({ attemptsPerMinuteMax: 1 });
      on.receiver.answer = answerWith(503);
      for (let count = 0; count < 3; count += 1) await on.addClient();
      await on.deliver();
      // Due again after 5 seconds.
      await on.deliver(10 * secondMs);
      await onWebhook('testWebhook', webhook);
      await on.deliver();
      assert.equal(on.receiver.received.length, 1);
      await on.deliver(51 * secondMs);
      assert.equal(on.receiver.received.length, 2);
      assert.equal(on.receiver.received[1]?.type, 'webhook.test');
      const counts = (await on.deliveries(webhook)).map(({ attemptCount }) => attemptCount);
      assert.deepEqual(
        counts.toSorted((one, other) => one - other),
        [0, 0, 1, 1],
      );
    });

    test('with order, a client gets its events one after the other, at that pace', async () => {
      const eventTypes = ['client.added', 'client.disabled', 'client.enabled'];
      const webhook = await on.add({ attemptsPerMinuteMax: 1, isOrdered: true, eventTypes });
      const { clientId } = await on.addClient();
      for (const id of ['disableClient', 'enableClient'] as const)
        await on.scene.succeed(on.scene.administrator, id, { path: { clientId } });
      await on.deliver();
      for (let count = 0; count < 4; count += 1) await on.deliver(31 * secondMs);
      const types = on.receiver.at(webhook.path).map(({ type }) => type);
      assert.deepEqual(types, eventTypes);
    });

    test('pausing and resuming gives no attempts, and neither does another URL', async () => {
      const webhook = await throttled(2);
      await onWebhook('pauseWebhook', webhook);
      await onWebhook('resumeWebhook', webhook);
      await update(webhook, { url: `${on.receiver.origin}/moved` });
      await on.deliver(secondMs);
      assert.equal(on.receiver.received.length, 1);
      await onWebhook('pauseWebhook', webhook);
      await on.deliver(5 * minuteMs);
      assert.equal(on.receiver.received.length, 1);
      await onWebhook('resumeWebhook', webhook);
      await on.deliver();
      // What was not used is not saved for more than a tenth of a minute.
      assert.equal(on.receiver.received.length, 2);
    });

    test('without the limit, all that waits is sent', async () => {
      const webhook = await throttled(5);
      assert.equal((await update(webhook, { attemptsPerMinuteMax: null })).attemptsPerMinuteMax, null);
      await on.deliver();
      assert.equal(on.receiver.received.length, 6);
    });

    test('a clock that was far ahead holds nothing back for long', async () => {
      const webhook = await throttled(1);
      const database = await on.scene.database();
      await database
        .updateTable('webhooks')
        .set({ throttled_until_ms: on.scene.nowMs() + 24 * 60 * minuteMs })
        .execute();
      await on.deliver();
      assert.equal(on.receiver.at(webhook.path).length, 2);
      await on.addClient();
      await on.deliver(secondMs);
      assert.equal(on.receiver.at(webhook.path).length, 2);
    });

    test('whenever nodes look for work, no minute has more than the attempts and a tenth', async () => {
      const database = await on.scene.database();
      for (const perMinute of [1, 7, 60, 100]) {
        await database.deleteFrom('webhooks').execute();
        await on.add({ attemptsPerMinuteMax: perMinute });
        for (let count = 0; count < 5; count += 1) await on.addClient();
        const begun = await begin(perMinute);
        const most = Math.max(...begun.map((startMs) => inMinute(begun, startMs)));
        assert.ok(most <= perMinute + Math.ceil(perMinute / 10), `${most} of ${perMinute}`);
        // Nothing is lost either.
        assert.ok(most >= perMinute - 1, `${most} of ${perMinute}`);
      }
    });

    /** Returns when attempts began, in two minutes of looks by two nodes with clocks that are a little apart. */
    const begin = async (perMinute: number): Promise<readonly number[]> => {
      const database = await on.scene.database();
      const startMs = on.scene.nowMs() + minuteMs;
      const begun: number[] = [];
      const stepMs = Math.max(500, minuteMs / perMinute / 7);
      for (let afterMs = 0; afterMs < 2 * minuteMs; afterMs += stepMs) {
        const nowMs = Math.round(startMs + afterMs);
        const looks = [nowMs, nowMs - 40].map(async (time) => {
          const place = { afterWebhookId: '' };
          // Given back at once, so that there is always something to send.
          const claimed = await claimDeliveries(database, new DeliveryRoom(), place, time, -1);
          begun.push(...claimed.map(() => time));
        });
        await Promise.all(looks);
      }
      return begun;
    };
  });
}

test('in any minute, at most the attempts and a tenth begin, whatever is asked for and when', () => {
  const steps = fc.array(fc.tuple(fc.nat(20_000), fc.integer({ min: 1, max: 40 })), { maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6000 }), steps, (perMinute, asked) => {
      const begun: number[] = [];
      let rate = { attemptsPerMinuteMax: perMinute, throttledUntilMs: 0 };
      let nowMs = 1_800_000_000_000;
      for (const [pauseMs, wanted] of asked) {
        nowMs += pauseMs;
        const count = Math.min(wanted, attemptsAllowed(rate, nowMs));
        assert.ok(count <= Math.floor(perMinute / 10) + 1);
        if (count === 0) continue;
        rate = { ...rate, throttledUntilMs: throttledUntil(rate, perMinute, count, nowMs) };
        for (let index = 0; index < count; index += 1) begun.push(nowMs);
      }
      for (const startMs of new Set(begun))
        assert.ok(inMinute(begun, startMs) <= perMinute + Math.ceil(perMinute / 10));
    }),
    { numRuns: 300 },
  );
});

function inMinute(begun: readonly number[], startMs: number): number {
  return begun.filter((time) => time >= startMs && time < startMs + minuteMs).length;
}
