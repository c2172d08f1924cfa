import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Webhook, WebhookDelivery, WebhookDeliveryDetails } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import type { Caller, Data } from '../management/scene.ts';
import { answerWith } from './receiver.ts';
import { type WebhookScene, webhookScene } from './scene.ts';

const minuteMs = 60_000;

for (const backend of backends) {
  describe(`permissions of events on ${backend.name}`, { skip: backend.skip }, () => {
    let on: WebhookScene;
    /** May change webhooks, and read nothing of what events tell. */
    let limited: Caller;
    before(async () => {
      on = await webhookScene(backend);
      await on.scene.succeed(on.scene.administrator, 'addRole', {
        body: { name: 'webhooks', permissions: ['webhooks:read', 'webhooks:write'] },
      });
      limited = await on.scene.addCaller(['webhooks']);
    });
    after(() => on.close());
    afterEach(async () => {
      const database = await on.scene.database();
      await database.deleteFrom('webhooks').execute();
      on.receiver.received.length = 0;
      on.receiver.answer = answerWith(204);
    });

    const since = (): string => new Date(on.scene.nowMs() - minuteMs).toISOString();
    const etag = { 'If-Match': '*' };
    const update = ({ webhookId }: Webhook, body: object) => ({ path: { webhookId }, headers: etag, body });
    /** What the owner of a webhook with only such types can choose by themselves. */
    const elsewhere = () => ({ url: `${on.receiver.origin}/elsewhere`, eventTypes: ['webhook.failing'] });

    test('an event from before the webhook was changed is not sent to another URL by resend or recover', async () => {
      for (const isFailed of [false, true]) {
        const webhook = await on.add();
        const from = since();
        if (isFailed) on.receiver.answer = answerWith(410);
        await on.addClient();
        await on.deliver(minuteMs);
        on.receiver.answer = answerWith(204);
        // Disabled by now: what happens has failed at once.
        if (isFailed) await on.addClient();
        const { webhookId } = webhook;
        await on.scene.succeed(on.scene.administrator, 'resumeWebhook', { path: { webhookId } });
        await on.deliver(minuteMs);
        // Nothing waits, and such events are anyone's who may read webhooks.
        await on.scene.succeed(limited, 'updateWebhook', update(webhook, elsewhere()));
        const [delivery] = await on.deliveries(webhook);
        assert.ok(delivery);
        assert.equal(delivery.state, isFailed ? 'failed' : 'delivered');
        const path = { webhookId, deliveryId: delivery.deliveryId };
        const resent = await on.scene.refused(
          limited,
          'resendWebhookDelivery',
          { path },
          'permission_not_held',
        );
        assert.match(resent.reason, /audit:read/);
        for (const body of [
          { since: from, include: 'all' },
          { since: from, include: 'all', eventTypes: ['client.added'] },
          ...(isFailed ? [{ since: from }] : []),
        ])
          await on.scene.refused(limited, 'recoverWebhook', { path, body }, 'permission_not_held');
        await on.deliver(minuteMs);
        assert.deepEqual(on.receiver.at('/elsewhere'), []);
        // What the caller may read is sent again.
        const own = { since: from, eventTypes: ['webhook.failing'] };
        assert.equal(
          (await on.scene.succeed(limited, 'recoverWebhook', { path, body: own }))['recovered'],
          0,
        );
        const { deliveryId } = await on.scene.succeed<WebhookDelivery>(limited, 'testWebhook', { path });
        await on.deliver(minuteMs);
        const ofTest = { path: { ...path, deliveryId } };
        await on.scene.succeed(limited, 'resendWebhookDelivery', ofTest);
        await on.deliver(minuteMs);
        assert.deepEqual(
          on.receiver.at('/elsewhere').map(({ type }) => type),
          ['webhook.test', 'webhook.test'],
        );
        // An administrator may.
        await on.scene.succeed(on.scene.administrator, 'resendWebhookDelivery', { path });
        await on.deliver(minuteMs);
        assert.equal(on.receiver.at('/elsewhere').at(-1)?.type, 'client.added');
        on.receiver.received.length = 0;
      }
    });

    test('what waits is not sent to a URL of someone who may not read it', async () => {
      const webhook = await on.add({ isPaused: true });
      await on.addClient();
      const refused = update(webhook, elsewhere());
      await on.scene.refused(limited, 'updateWebhook', refused, 'permission_not_held');
      // To where it was going, it goes.
      const narrowed = update(webhook, { eventTypes: ['webhook.failing'] });
      await on.scene.succeed(limited, 'updateWebhook', narrowed);
      await on.scene.succeed(limited, 'resumeWebhook', { path: narrowed.path });
      await on.deliver(minuteMs);
      assert.deepEqual(
        on.receiver.received.map(({ path, type }) => [path, type]),
        [[webhook.path, 'client.added']],
      );
      await on.scene.succeed(limited, 'updateWebhook', refused);
    });

    test('the body and the client of an event are shown only to those who may read it', async () => {
      const webhook = await on.add();
      await on.addClient();
      await on.deliver(minuteMs);
      const [delivery] = await on.deliveries(webhook);
      assert.ok(delivery?.clientId !== undefined);
      const path = { webhookId: webhook.webhookId, deliveryId: delivery.deliveryId };
      const { reason, answer } = await on.scene.refused(
        limited,
        'getWebhookDelivery',
        { path },
        'permission_denied',
      );
      assert.match(reason, /audit:read/);
      assert.equal(answer.text.includes(delivery.clientId), false);
      const listed = await on.scene.succeed<Data<WebhookDelivery>>(limited, 'listWebhookDeliveries', {
        path,
      });
      const { clientId: _, ...rest } = delivery;
      assert.deepEqual(listed.data, [rest]);
      const tested = await on.scene.succeed<WebhookDelivery>(limited, 'testWebhook', { path });
      await on.scene.succeed<WebhookDeliveryDetails>(limited, 'getWebhookDelivery', {
        path: { ...path, deliveryId: tested.deliveryId },
      });
    });

    test("events of other accounts need the operator's permission to read accounts", async () => {
      const operator = await on.scene.addAccount({ isOperator: true, roles: ['operator'] });
      const webhook = await on.add({ isForAllAccounts: true }, operator);
      const from = since();
      await on.addClient();
      await on.deliver(minuteMs);
      const { accountId } = operator;
      const { data } = await on.scene.succeed<Data<WebhookDelivery>>(operator, 'listWebhookDeliveries', {
        path: { webhookId: webhook.webhookId },
      });
      const path = { webhookId: webhook.webhookId, deliveryId: data[0]?.deliveryId ?? '' };
      const viewer = await on.scene.addPerson({ accountId, role: 'viewer' });
      const { reason } = await on.scene.refused(viewer, 'getWebhookDelivery', { path }, 'permission_denied');
      assert.match(reason, /accounts:read/);
      const own = await on.scene.addCaller(['administrator'], { by: operator });
      await on.scene.succeed(own, 'updateWebhook', update(webhook, { isForAllAccounts: false }));
      await on.scene.refused(own, 'resendWebhookDelivery', { path }, 'permission_not_held');
      const body = { since: from, include: 'all' };
      await on.scene.refused(own, 'recoverWebhook', { path, body }, 'permission_not_held');
      assert.equal((await on.scene.succeed(operator, 'recoverWebhook', { path, body }))['recovered'], 1);
    });
  });
}
