import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { makeOwnKey } from '../../src/forwarding/own-key.ts';
import type { RepeatedWork } from '../../src/lifecycle/repeated-work.ts';
import { claimDeliveries } from '../../src/webhooks/claim-deliveries.ts';
import { startDeliveringWebhooks } from '../../src/webhooks/deliver-webhooks.ts';
import { DeliveryRoom } from '../../src/webhooks/delivery-room.ts';
import { openWebhookSecrets } from '../../src/webhooks/webhook-secrets.ts';
import { answerWith } from './receiver.ts';
import { never, type WebhookScene, webhookScene } from './scene.ts';

for (const backend of backends) {
  describe(`webhooks and several nodes on ${backend.name}`, { skip: backend.skip }, () => {
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

    /** Another node, with its own connection. */
    const otherNode = async (): Promise<RepeatedWork> => {
      const key = makeOwnKey(0);
      return startDeliveringWebhooks({
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
    };

    test('two nodes share the work, and nothing is sent twice', async () => {
      const webhook = await on.add();
      for (let count = 0; count < 30; count += 1) await on.addClient();
      const other = await otherNode();
      await Promise.all([on.deliver(), other.run()]);
      await Promise.all([on.deliver(), other.run()]);
      await other.close();
      const ids = on.receiver.at(webhook.path).map(({ id }) => id);
      assert.deepEqual([ids.length, new Set(ids).size], [30, 30]);
    });

    test('a committed change whose node then crashed is sent by the next one', async () => {
      const webhook = await on.add();
      await on.addClient();
      // This node has never seen the change.
      const next = await otherNode();
      await next.run();
      await next.close();
      assert.equal(on.receiver.at(webhook.path).length, 1);
    });

    test('what a node claimed and crashed with is sent by another one a minute later', async () => {
      const webhook = await on.add();
      await on.addClient();
      const database = await on.scene.database();
      const place = { afterWebhookId: '' };
      const claimed = await claimDeliveries(database, new DeliveryRoom(), place, on.scene.nowMs());
      assert.equal(claimed.length, 1);
      await on.deliver(50_000);
      assert.equal(on.receiver.at(webhook.path).length, 0);
      await on.deliver(11_000);
      assert.equal(on.receiver.at(webhook.path).length, 1);
    });

    test('a node that stops hands over what it was sending, under the same ID', async () => {
      const webhook = await on.add();
      await on.addClient();
      const stopping = await otherNode();
      on.receiver.answer = () => undefined;
      const running = stopping.run();
      await waitUntil(() => on.receiver.at(webhook.path).length === 1, 'the receiver has it');
      await stopping.close();
      await running;
      on.receiver.answer = answerWith(204);
      await on.deliver();
      const ids = on.receiver.at(webhook.path).map(({ id }) => id);
      assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
      assert.equal((await on.details(webhook)).state, 'delivered');
    });
  });
}
