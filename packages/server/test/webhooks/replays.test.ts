import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { newId, type Webhook, type WebhookRecovered } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import type { Caller } from '../management/scene.ts';
import { answerWith } from './receiver.ts';
import { type WebhookScene, webhookScene } from './scene.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

for (const backend of backends) {
  describe(`replays to webhooks on ${backend.name}`, { skip: backend.skip }, () => {
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

    const now = (): string => new Date(on.scene.nowMs()).toISOString();
    const recover = (
      { webhookId }: Pick<Webhook, 'webhookId'>,
      body: object,
      by: Caller = on.scene.administrator,
    ): Promise<WebhookRecovered> => on.scene.succeed(by, 'recoverWebhook', { path: { webhookId }, body });
    const move = (id: 'pauseWebhook' | 'resumeWebhook', { webhookId }: Webhook) =>
      on.scene.succeed<Webhook>(on.scene.administrator, id, { path: { webhookId } });
    const idsAt = ({ path }: { readonly path: string }): readonly string[] =>
      on.receiver.at(path).map(({ id }) => id);

    test('what was delivered is sent again only on request, with its ID', async () => {
      const webhook = await on.add();
      const since = now();
      await on.addClient();
      await on.deliver(minuteMs);
      assert.deepEqual(await recover(webhook, { since }), { recovered: 0, isComplete: true, next: null });
      const again = { recovered: 1, isComplete: true, next: null };
      assert.deepEqual(await recover(webhook, { since, include: 'all' }), again);
      // It waits, and so is not sent twice.
      assert.deepEqual(await recover(webhook, { since, include: 'all' }), { ...again, recovered: 0 });
      await on.deliver(minuteMs);
      const [first, second, ...others] = idsAt(webhook);
      assert.deepEqual([second, others], [first, []]);
    });

    test('what waits after a failed attempt is sent at once, with all its attempts', async () => {
      const webhook = await on.add();
      on.receiver.answer = answerWith(400);
      const since = now();
      await on.addClient();
      await on.deliver(minuteMs);
      const failed = idsAt(webhook);
      assert.equal(failed.length, 1);
      on.receiver.answer = answerWith(204);
      assert.equal((await recover(webhook, { since })).recovered, 1);
      assert.equal((await recover(webhook, { since })).recovered, 0, 'it waits for its first attempt now');
      await on.deliver(1000);
      assert.deepEqual(idsAt(webhook), [...failed, failed[0]]);
    });

    test('a range has a beginning and an end', async () => {
      const webhook = await on.add();
      const times: string[] = [];
      for (let count = 0; count < 4; count += 1) {
        times.push(now());
        await on.addClient();
        await on.deliver(hourMs);
      }
      const sent = idsAt(webhook);
      const { recovered } = await recover(webhook, { since: times[1], until: times[3], include: 'all' });
      assert.equal(recovered, 2);
      await on.deliver(minuteMs);
      assert.deepEqual(idsAt(webhook).slice(4).toSorted(), sent.slice(1, 3).toSorted());
      const none = { since: times[3], until: times[1], include: 'all' };
      assert.equal((await recover(webhook, none)).recovered, 0);
    });

    test('failed ones of a range, and of some types', async () => {
      const webhook = await on.add({ eventTypes: ['client.added', 'client.disabled'] });
      on.receiver.answer = answerWith(410);
      const since = now();
      const { clientId } = await on.addClient();
      await on.deliver(minuteMs);
      // Disabled by now: what happens is failed at once.
      await on.addClient();
      await on.scene.succeed(on.scene.administrator, 'disableClient', { path: { clientId } });
      on.receiver.answer = answerWith(204);
      await move('resumeWebhook', webhook);
      await on.deliver(hourMs);
      const earlier = idsAt(webhook).length;
      const only = { since, eventTypes: ['client.disabled'] };
      assert.equal((await recover(webhook, { ...only, until: since })).recovered, 0);
      assert.equal((await recover(webhook, only)).recovered, 1);
      await on.deliver(minuteMs);
      assert.deepEqual(
        on.receiver
          .at(webhook.path)
          .slice(earlier)
          .map(({ type }) => type),
        ['client.disabled'],
      );
    });

    test('a paused or disabled webhook gets them when it is resumed', async () => {
      const webhook = await on.add();
      const since = now();
      await on.addClient();
      await on.deliver(minuteMs);
      await move('pauseWebhook', webhook);
      assert.equal((await recover(webhook, { since, include: 'all' })).recovered, 1);
      await on.deliver(minuteMs);
      assert.equal(idsAt(webhook).length, 1);
      await move('resumeWebhook', webhook);
      await on.deliver(minuteMs);
      assert.equal(idsAt(webhook).length, 2);
      on.receiver.answer = answerWith(410);
      await on.addClient();
      await on.deliver(minuteMs);
      on.receiver.answer = answerWith(204);
      assert.equal((await recover(webhook, { since, include: 'all' })).recovered, 2);
      await on.deliver(minuteMs);
      assert.equal(idsAt(webhook).length, 3);
      await move('resumeWebhook', webhook);
      await on.deliver(minuteMs);
      assert.equal(new Set(idsAt(webhook)).size, 2);
      assert.equal(idsAt(webhook).length, 5);
    });

    test("an ordered webhook gets a client's events again in their order", async () => {
      const webhook = await on.add({
        isOrdered: true,
        eventTypes: ['client.added', 'client.disabled', 'client.enabled'],
      });
      const since = now();
      const clients = [await on.addClient(), await on.addClient()];
      for (const operation of ['disableClient', 'enableClient', 'disableClient'] as const)
        for (const { clientId } of clients)
          await on.scene.succeed(on.scene.administrator, operation, { path: { clientId } });
      for (let turn = 0; turn < 5; turn += 1) await on.deliver(minuteMs);
      assert.equal(idsAt(webhook).length, 8);
      assert.equal((await recover(webhook, { since, include: 'all' })).recovered, 8);
      for (let turn = 0; turn < 5; turn += 1) await on.deliver(minuteMs);
      for (const { clientId } of clients) {
        const types = on.receiver
          .at(webhook.path)
          .slice(8)
          .filter(({ body }) => body.includes(clientId))
          .map(({ type }) => type);
        assert.deepEqual(types, ['client.added', 'client.disabled', 'client.enabled', 'client.disabled']);
      }
    });

    test('a range of more than 10,000 is sent again in parts, each delivery once, although the first arrive meanwhile', async () => {
      const webhook = await on.add();
      const count = 10_050;
      const startMs = on.scene.nowMs() - 2 * hourMs;
      await addDelivered(on, webhook, startMs, count);
      await move('pauseWebhook', webhook);
      const database = await on.scene.database();
      const since = new Date(startMs).toISOString();
      let recovered = 0;
      let requests = 0;
      for (let next: string | undefined, isComplete = false; !isComplete; requests += 1) {
        const part = await recover(webhook, {
          since,
          include: 'all',
          ...(next !== undefined && { after: next }),
        });
        recovered += part.recovered;
        ({ isComplete } = part);
        assert.equal(part.next === null, isComplete);
        next = part.next ?? undefined;
        // As if the receiver had got them at once.
        await database
          .updateTable('webhook_deliveries')
          .set({ state: 'delivered', next_attempt_at_ms: null })
          .where('webhook_id', '=', webhook.webhookId)
          .execute();
      }
      assert.deepEqual([recovered, requests], [count, 11]);
    });

    test('needs the permissions of what it shows', async () => {
      const limited = await on.scene.addCaller([]);
      await on.scene.succeed(on.scene.administrator, 'addRole', {
        body: { name: 'resends', permissions: ['webhooks:read', 'webhooks:write'] },
      });
      const caller = await on.scene.addCaller(['resends']);
      const webhook = await on.add();
      const since = now();
      await on.addClient();
      await on.deliver(minuteMs);
      const path = { webhookId: webhook.webhookId };
      const body = { since, include: 'all' };
      await on.scene.refused(caller, 'recoverWebhook', { path, body }, 'permission_not_held');
      assert.equal((await recover(webhook, { since }, caller)).recovered, 0);
      await on.scene.refused(limited, 'recoverWebhook', { path, body }, 'permission_denied');
      await on.deliver(minuteMs);
      assert.equal(idsAt(webhook).length, 1);
    });

    test('what cannot be meant is rejected', async () => {
      const webhook = await on.add();
      const path = { webhookId: webhook.webhookId };
      for (const body of [
        {},
        { since: 'yesterday' },
        { since: now(), until: 'today' },
        { since: now(), include: 'delivered' },
        { since: now(), eventTypes: ['client.lost'] },
        { since: now(), eventTypes: [] },
        { since: now(), after: 'x'.repeat(65) },
      ])
        await on.scene.refused(on.scene.administrator, 'recoverWebhook', { path, body }, 'body_invalid');
    });
  });
}

/** Writes deliveries as they are after they have arrived. */
async function addDelivered(
  { scene }: WebhookScene,
  { webhookId }: Webhook,
  startMs: number,
  count: number,
): Promise<void> {
  const database = await scene.database();
  const perStep = 500;
  for (let start = 0; start < count; start += perStep) {
    const times = Array.from(
      { length: Math.min(perStep, count - start) },
      (_, index) => startMs + start + index,
    );
    const events = times.map((createdMs) => ({ createdMs, eventId: newId('event', createdMs) }));
    await database
      .insertInto('webhook_events')
      .values(
        events.map(({ createdMs, eventId }) => ({
          event_id: eventId,
          account_id: scene.accountId,
          type: 'client.added',
          created_at_ms: createdMs,
          data: '{}',
        })),
      )
      .execute();
    await database
      .insertInto('webhook_deliveries')
      .values(
        events.map(({ createdMs, eventId }) => ({
          delivery_id: newId('delivery', createdMs),
          webhook_id: webhookId,
          event_id: eventId,
          client_id: null,
          position: 1,
          state: 'delivered' as const,
          attempt_count: 1,
          next_attempt_at_ms: null,
          created_at_ms: createdMs,
        })),
      )
      .execute();
  }
}
