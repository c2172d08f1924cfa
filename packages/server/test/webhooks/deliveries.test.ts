import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type Webhook, webhookData, type WebhookDeliveryDetails, webhookEvent } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { waitUntil } from '@countersign/testing/wait-until';
import { answerWith, type ReceivedEvent } from './receiver.ts';
import { type WebhookScene, webhookScene } from './scene.ts';
import { assertStandardWebhook, verifyAsReceiver } from './verify-event.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

for (const backend of backends) {
  describe(`deliveries to webhooks on ${backend.name}`, { skip: backend.skip }, () => {
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

    const call = (id: 'pauseWebhook' | 'resumeWebhook' | 'testWebhook', { webhookId }: Webhook) =>
      on.scene.succeed<Webhook>(on.scene.administrator, id, { path: { webhookId } });
    const read = ({ webhookId }: Webhook) =>
      on.scene.succeed<Webhook>(on.scene.administrator, 'getWebhook', { path: { webhookId } });

    test('a redirect is not followed, and is a failure', async () => {
      const webhook = await on.add();
      on.receiver.answer = answerWith(307, { Location: `${on.receiver.origin}/elsewhere` });
      await on.addClient();
      await on.deliver();
      assert.deepEqual(
        on.receiver.received.map(({ path }) => path),
        [webhook.path],
      );
      const { attempts, state } = await on.details(webhook);
      assert.equal(state, 'waiting');
      assert.match(attempts[0]?.problem ?? '', /redirects, with status 307/);
    });

    test('500, then 200: the same event with the same ID, and another signature', async () => {
      const webhook = await on.add();
      on.receiver.answer = answerWith(500, {}, 'a stack trace');
      await on.addClient();
      await on.deliver();
      await on.deliver(4 * secondMs);
      assert.equal(on.receiver.received.length, 1);
      on.receiver.answer = answerWith(200, {}, 'ok');
      await on.deliver(2 * secondMs);
      const [first, second] = on.receiver.received;
      assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
      assert.equal(first?.body, second?.body);
      assert.notEqual(first?.headers['signature'], second?.headers['signature']);
      const details = await on.details(webhook);
      assert.deepEqual([details.state, details.attemptCount, details.nextAttemptAt], ['delivered', 2, null]);
      assert.deepEqual(
        details.attempts.map(({ status, answer, problem }) => [status, answer, problem]),
        [
          [200, 'ok', undefined],
          [500, 'a stack trace', 'The receiver answered with status 500.'],
        ],
      );
      assert.equal((await read(webhook)).failingSince, undefined);
    });

    test('eight attempts in 28 hours, then it has failed; it can be sent again', async () => {
      const webhook = await on.add();
      on.receiver.answer = answerWith(503);
      await on.addClient();
      for (const pauseMs of [0, 6 * secondMs, 6 * minuteMs, 33 * minuteMs]) await on.deliver(pauseMs);
      for (const hours of [2, 5, 10, 10]) await on.deliver(hours * 1.1 * hourMs);
      assert.equal(on.receiver.received.length, 8);
      const { state, deliveryId, eventId } = await on.details(webhook);
      assert.equal(state, 'failed');
      await on.deliver(24 * hourMs);
      assert.equal(on.receiver.received.length, 8);
      on.receiver.answer = answerWith(204);
      const path = { webhookId: webhook.webhookId, deliveryId };
      await on.scene.succeed(on.scene.administrator, 'resendWebhookDelivery', { path });
      await on.deliver();
      assert.equal((await on.details(webhook)).state, 'delivered');
      assert.equal(new Set(on.receiver.received.map(({ id }) => id)).size, 1);
      assert.equal(on.receiver.received[0]?.id, eventId);
    });

    test('429 with Retry-After: nothing is sent to the webhook before', async () => {
      const webhook = await on.add();
      on.receiver.answer = answerWith(429, { 'Retry-After': '600' });
      await on.addClient();
      await on.deliver();
      await on.addClient();
      await on.deliver(9 * minuteMs);
      assert.equal(on.receiver.at(webhook.path).length, 1);
      on.receiver.answer = answerWith(204);
      await on.deliver(2 * minuteMs);
      assert.equal(on.receiver.at(webhook.path).length, 3);
    });

    test('410 disables the webhook, which is audited; what happens then can be recovered', async () => {
      const webhook = await on.add({ eventTypes: ['client.added', 'webhook.disabled', 'webhook.resumed'] });
      const other = await on.add({ eventTypes: ['webhook.disabled'] });
      on.receiver.answer = (response, { path }) =>
        answerWith(path === webhook.path ? 410 : 204)(response, on.receiver.received[0]!);
      await on.addClient();
      const since = new Date(on.scene.nowMs()).toISOString();
      await on.deliver();
      const { status, disabledReason } = await read(webhook);
      assert.equal(status, 'disabled');
      assert.match(disabledReason ?? '', /410/);
      await on.deliver();
      assert.deepEqual(
        on.receiver.at(other.path).map(({ type }) => type),
        ['webhook.disabled'],
      );
      await on.addClient();
      await on.deliver(hourMs);
      assert.equal(on.receiver.at(webhook.path).length, 1);
      on.receiver.answer = answerWith(204);
      await call('resumeWebhook', webhook);
      const recovered = await on.scene.succeed(on.scene.administrator, 'recoverWebhook', {
        path: { webhookId: webhook.webhookId },
        body: { since },
      });
      // That it was disabled, and the client that was added meanwhile.
      assert.deepEqual(recovered, { recovered: 2, isComplete: true, next: null });
      await on.deliver();
      const types = on.receiver.at(webhook.path).map(({ type }) => type);
      assert.deepEqual(types.toSorted(), [
        'client.added',
        'client.added',
        'client.added',
        'webhook.disabled',
        'webhook.resumed',
      ]);
    });

    test('a webhook that has failed for five days is disabled', async () => {
      const webhook = await on.add();
      on.receiver.answer = answerWith(500);
      await on.addClient();
      await on.deliver();
      await on.deliver(4 * 24 * hourMs);
      assert.equal((await read(webhook)).status, 'active');
      assert.ok((await read(webhook)).failingSince !== undefined);
      await on.addClient();
      await on.deliver(25 * hourMs);
      assert.equal((await read(webhook)).status, 'disabled');
    });

    test('a dead receiver and one that never answers are failures, and hold up nobody', async () => {
      const dead = await on.add();
      const silent = await on.add();
      const good = await on.add();
      on.receiver.answer = (response, { path }) => {
        if (path === dead.path) response.destroy();
        else if (path !== silent.path) response.writeHead(204).end();
      };
      for (let count = 0; count < 6; count += 1) await on.addClient();
      const delivering = on.deliver();
      await waitUntil(() => on.receiver.at(good.path).length === 6, 'the receiver has them');
      // The silent one still has its first attempts.
      assert.equal(on.receiver.at(silent.path).length, 4);
      on.timers.expire();
      await delivering;
      // A webhook that fails has one attempt, after a pause.
      assert.equal(on.receiver.at(silent.path).length, 4);
      const probing = on.deliver(6 * secondMs);
      await waitUntil(() => on.receiver.at(silent.path).length === 5, 'the receiver has it');
      on.timers.expire();
      await probing;
      assert.equal(on.receiver.at(silent.path).length, 5);
      const tried = (await on.deliveries(silent)).find(({ attemptCount }) => attemptCount > 0);
      const path = { webhookId: silent.webhookId, deliveryId: tried!.deliveryId };
      const { attempts } = await on.scene.succeed<WebhookDeliveryDetails>(
        on.scene.administrator,
        'getWebhookDelivery',
        { path },
      );
      assert.equal(attempts[0]?.failure, 'timed_out');
      assert.match(attempts[0]?.problem ?? '', /did not answer within 15 seconds/);
      assert.equal((await on.details(dead)).state, 'waiting');
    });

    test('of a huge answer, 4 KiB are kept; its status counts', async () => {
      const webhook = await on.add();
      on.receiver.answer = answerWith(
        200,
        { 'Content-Type': 'text/html' },
        Buffer.alloc(5_000_000, 'x\u0000'),
      );
      await on.addClient();
      await on.deliver();
      const { state, attempts } = await on.details(webhook);
      assert.equal(state, 'delivered');
      assert.equal(attempts[0]?.answer, 'x\uFFFD'.repeat(2048));
    });

    test('both signatures verify, and the body fits the catalogue', async () => {
      const webhook = await on.add();
      await on.addClient();
      await on.deliver();
      const [event] = on.receiver.received;
      assert.ok(event);
      const body = webhookEvent.parse(JSON.parse(event.body));
      assert.deepEqual([body.type, body.accountId], ['client.added', on.scene.accountId]);
      webhookData.change.parse(body.data);
      assert.equal(event.headers['content-type'], 'application/json');
      assertStandardWebhook(event, webhook.secret);
      const verified = await verifyAsReceiver(on, webhook.url, event);
      assert.equal(verified.ok, true, JSON.stringify(verified));
      const forged = await verifyAsReceiver(on, webhook.url, { ...event, body: `${event.body} ` });
      assert.equal(forged.ok, false);
      const elsewhere = await verifyAsReceiver(on, `${on.receiver.origin}/other`, event);
      assert.equal(elsewhere.ok, false);
    });

    test('the secret is shown once, and is nowhere else', async () => {
      const webhook = await on.add();
      assert.match(webhook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.equal((await read(webhook)).secret, undefined);
      const events = await on.scene.call(on.scene.administrator, 'listAuditEvents');
      assert.equal(events.text.includes(webhook.secret.slice(6)), false);
    });

    test('only wanted types are sent, and nothing is written for others', async () => {
      const webhook = await on.add({ eventTypes: ['client.disabled'] });
      const { clientId } = await on.addClient();
      assert.deepEqual(await on.deliveries(webhook), []);
      await on.scene.succeed(on.scene.administrator, 'disableClient', { path: { clientId } });
      await on.deliver();
      assert.deepEqual(
        on.receiver.received.map(({ type }) => type),
        ['client.disabled'],
      );
    });

    test('a change that is rejected, or only a dry run, is no event', async () => {
      const webhook = await on.add();
      const { administrator } = on.scene;
      const dry = { url: webhook.url, dryRun: true };
      const shown = await on.scene.succeed<Webhook>(administrator, 'addWebhook', { body: dry });
      assert.equal(shown.secret, undefined);
      const body = { clients: [{ name: 'One', networkWhitelist: [{ entry: '0.0.0.0' }] }], dryRun: true };
      await on.scene.succeed(administrator, 'importClients', { body });
      assert.deepEqual(await on.deliveries(webhook), []);
    });

    test('while a webhook is paused its events wait, a test event too', async () => {
      const webhook = await on.add({
        eventTypes: ['client.added', 'webhook.paused', 'webhook.resumed'],
      });
      await call('pauseWebhook', webhook);
      await on.addClient();
      await call('testWebhook', webhook);
      await on.deliver(hourMs);
      assert.equal(on.receiver.received.length, 0);
      await call('resumeWebhook', webhook);
      await on.deliver();
      const types = on.receiver.received.map(({ type }) => type);
      assert.deepEqual(types.toSorted(), [
        'client.added',
        'webhook.paused',
        'webhook.resumed',
        'webhook.test',
      ]);
    });

    test("with order, a failed event holds back its client's later ones, and nobody else's", async () => {
      const webhook = await on.add({
        isOrdered: true,
        eventTypes: ['client.added', 'client.disabled', 'client.enabled'],
      });
      const { administrator } = on.scene;
      const one = await on.addClient();
      const path = { clientId: one.clientId };
      await on.scene.succeed(administrator, 'disableClient', { path });
      await on.scene.succeed(administrator, 'enableClient', { path });
      const two = await on.addClient();
      const about = (event: ReceivedEvent): string => `${event.type} ${clientOf(event)}`;
      on.receiver.answer = (response, event) =>
        answerWith(clientOf(event) === one.clientId ? 500 : 204)(response, event);
      await on.deliver();
      assert.deepEqual(
        on.receiver.received.map(about).toSorted(),
        [`client.added ${one.clientId}`, `client.added ${two.clientId}`].toSorted(),
      );
      on.receiver.received.length = 0;
      on.receiver.answer = answerWith(204);
      await on.deliver(6 * secondMs);
      assert.deepEqual(on.receiver.received.map(about), [
        `client.added ${one.clientId}`,
        `client.disabled ${one.clientId}`,
        `client.enabled ${one.clientId}`,
      ]);
      assert.ok((await on.deliveries(webhook)).every(({ state }) => state === 'delivered'));
    });

    test("another account's events are sent to no one but the operator's webhook for all accounts", async () => {
      const operator = await on.scene.addAccount({ isOperator: true, roles: ['operator'] });
      const own = await on.add({}, operator);
      const all = await on.add({ isForAllAccounts: true }, operator);
      await on.addClient();
      await on.deliver();
      assert.equal(on.receiver.at(own.path).filter(({ type }) => type === 'client.added').length, 0);
      const [event] = on.receiver.at(all.path);
      assert.equal(webhookEvent.parse(JSON.parse(event!.body)).accountId, on.scene.accountId);
    });
  });
}

function clientOf({ body }: ReceivedEvent): string {
  const { targets } = webhookData.change.parse((JSON.parse(body) as { data: unknown }).data);
  return targets.find(({ type }) => type === 'client')?.id ?? '';
}
