import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Webhook } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import type { ReceivedEvent } from './receiver.ts';
import { type WebhookScene, webhookScene } from './scene.ts';

const hourMs = 3_600_000;

for (const backend of backends) {
  describe(`rotating a webhook's secret on ${backend.name}`, { skip: backend.skip }, () => {
    let on: WebhookScene;
    before(async () => {
      on = await webhookScene(backend, { settings: { COUNTERSIGN_WEBHOOK_SECRET: 's'.repeat(32) } });
    });
    after(() => on.close());
    afterEach(async () => {
      const database = await on.scene.database();
      await database.deleteFrom('webhooks').execute();
      on.receiver.received.length = 0;
    });

    const rotate = async (
      { webhookId }: Webhook,
      body: object | undefined,
      key = '',
    ): Promise<Webhook & { readonly secret: string }> => {
      const headers = key === '' ? {} : { 'Idempotency-Key': key };
      const call = { path: { webhookId }, headers, ...(body !== undefined && { body }) };
      const rotated = await on.scene.succeed<Webhook>(on.scene.administrator, 'rotateWebhookSecret', call);
      return { ...rotated, secret: rotated.secret ?? '' };
    };
    const sent = async (afterMs = 0): Promise<ReceivedEvent> => {
      on.receiver.received.length = 0;
      on.scene.clock.aheadMs += afterMs;
      await on.addClient();
      await on.deliver();
      return on.receiver.received[0]!;
    };

    test('an overlap of more than seven days is rejected, and so is one that is no number', async () => {
      const { webhookId } = await on.add();
      for (const overlapSeconds of [604_801, -1, 1.5, '60']) {
        const call = { path: { webhookId }, body: { overlapSeconds } };
        await on.scene.refused(on.scene.administrator, 'rotateWebhookSecret', call, 'body_invalid');
      }
    });

    test("another account's webhook is not found", async () => {
      const { webhookId } = await on.add();
      const other = await on.scene.addAccount({ roles: ['administrator'] });
      await on.scene.refused(other, 'rotateWebhookSecret', { path: { webhookId } }, 'not_found');
    });

    test('both secrets sign for a day, unless the caller says how long', async () => {
      const webhook = await on.add();
      const rotated = await rotate(webhook, undefined);
      assert.match(rotated.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.notEqual(rotated.secret, webhook.secret);
      const dayLater = new Date(on.scene.nowMs() + 24 * hourMs).toISOString();
      assert.equal(rotated.previousSecretEndsAt?.slice(0, 16), dayLater.slice(0, 16));
      const event = await sent();
      assert.deepEqual(
        signaturesOf(event),
        [rotated.secret, webhook.secret].map((one) => hmac(one, event)),
      );
      const later = await sent(25 * hourMs);
      assert.deepEqual(signaturesOf(later), [hmac(rotated.secret, later)]);
      const path = { webhookId: webhook.webhookId };
      const shown = await on.scene.succeed<Webhook>(on.scene.administrator, 'getWebhook', { path });
      assert.deepEqual([shown.previousSecretEndsAt, shown.secret], [undefined, undefined]);
    });

    test('the previous secret can end at once, also one from an earlier rotation', async () => {
      const webhook = await on.add();
      const first = await rotate(webhook, { overlapSeconds: 604_800 });
      const second = await rotate(webhook, { overlapSeconds: 60 });
      const event = await sent();
      assert.deepEqual(
        signaturesOf(event),
        [second.secret, first.secret].map((one) => hmac(one, event)),
      );
      const third = await rotate(webhook, { overlapSeconds: 0 });
      assert.equal(third.previousSecretEndsAt, undefined);
      const last = await sent();
      assert.deepEqual(signaturesOf(last), [hmac(third.secret, last)]);
    });

    test('a repeated request has the same secret, and rotates once', async () => {
      const webhook = await on.add();
      const first = await rotate(webhook, {}, 'rotation-1');
      const again = await rotate(webhook, {}, 'rotation-1');
      assert.equal(again.secret, first.secret);
      const event = await sent();
      assert.deepEqual(
        signaturesOf(event),
        [first.secret, webhook.secret].map((one) => hmac(one, event)),
      );
    });

    test('the database has no secret in plain text, and the audit log has none', async () => {
      const webhook = await on.add({ eventTypes: ['webhook.secret_rotated'] });
      const rotated = await rotate(webhook, {});
      const database = await on.scene.database();
      const columns = ['secret', 'previous_secret'] as const;
      const row = await database.selectFrom('webhooks').select(columns).executeTakeFirstOrThrow();
      assert.match(row.secret, /^aes-256-gcm:/);
      assert.match(row.previous_secret ?? '', /^aes-256-gcm:/);
      await on.deliver();
      const { text } = await on.scene.call(on.scene.administrator, 'listAuditEvents');
      assert.match(text, /webhook\.secret_rotated/);
      for (const secret of [webhook.secret, rotated.secret]) {
        assert.equal(text.includes(secret.slice(6)), false);
        assert.equal(on.receiver.received[0]?.body.includes(secret.slice(6)), false);
      }
    });
  });
}

function signaturesOf({ headers }: ReceivedEvent): readonly string[] {
  return headers['webhook-signature']?.split(' ') ?? [];
}

/** The signature of Standard Webhooks 1.0.0, written from its text alone. */
function hmac(secret: string, { headers, body }: ReceivedEvent): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
