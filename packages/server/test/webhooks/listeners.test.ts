import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { WebhookListener, WebhookPulled } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { type WebhookScene, webhookScene } from './scene.ts';

for (const backend of backends) {
  describe(`listeners that pull events on ${backend.name}`, { skip: backend.skip }, () => {
    let on: WebhookScene;
    before(async () => {
      on = await webhookScene(backend);
    });
    after(() => on.close());
    afterEach(async () => {
      const database = await on.scene.database();
      await database.deleteFrom('webhook_listeners').execute();
      await database.deleteFrom('webhook_events').execute();
    });

    const add = (eventTypes: readonly string[] | null = ['client.added']): Promise<WebhookListener> =>
      on.scene.succeed<WebhookListener>(on.scene.administrator, 'addWebhookListener', {
        body: { eventTypes },
      });
    const call = ({ listenerId }: WebhookListener, body: object = {}) => ({ path: { listenerId }, body });
    const pull = async (listener: WebhookListener, body?: object): Promise<WebhookPulled['events']> => {
      const { administrator } = on.scene;
      const pulled = await on.scene.succeed<WebhookPulled>(
        administrator,
        'pullWebhookEvents',
        call(listener, body),
      );
      return pulled.events;
    };

    test("another account's listener is not found, and neither is one that has not pulled for a minute", async () => {
      const listener = await add();
      const other = await on.scene.addAccount({ roles: ['administrator'] });
      await on.scene.refused(other, 'pullWebhookEvents', call(listener), 'not_found');
      on.scene.clock.aheadMs += 50_000;
      await pull(listener);
      on.scene.clock.aheadMs += 50_000;
      await pull(listener);
      on.scene.clock.aheadMs += 61_000;
      await on.scene.refused(on.scene.administrator, 'pullWebhookEvents', call(listener), 'not_found');
    });

    test('events wait until they are named as received, in order, and others are not there', async () => {
      const listener = await add();
      const one = await on.addClient();
      const two = await on.addClient();
      await on.scene.succeed(on.scene.administrator, 'disableClient', { path: { clientId: one.clientId } });
      const first = await pull(listener);
      assert.deepEqual(
        first.map(({ type }) => type),
        ['client.added', 'client.added'],
      );
      assert.ok(JSON.stringify(first[1]?.data).includes(two.clientId));
      assert.deepEqual(await pull(listener), first);
      assert.deepEqual(await pull(listener, { received: [first[0]!.id] }), [first[1]]);
      assert.deepEqual(await pull(listener, { received: [first[1]!.id] }), []);
    });

    test('a pull waits for an event, and ends when its listener is removed', async () => {
      const listener = await add();
      const waiting = pull(listener, { waitSeconds: 10 });
      await on.addClient();
      assert.equal((await waiting).length, 1);
      const ending = on.scene.refused(
        on.scene.administrator,
        'pullWebhookEvents',
        call(await add(['role.added']), { waitSeconds: 10 }),
        'not_found',
      );
      const database = await on.scene.database();
      await database.deleteFrom('webhook_listeners').execute();
      await ending;
    });

    test('while nobody listens, nothing is written', async () => {
      const listener = await add();
      const { listenerId } = listener;
      await on.scene.succeed(on.scene.administrator, 'removeWebhookListener', { path: { listenerId } });
      await on.addClient();
      const database = await on.scene.database();
      assert.deepEqual(await database.selectFrom('webhook_events').selectAll().execute(), []);
    });
  });
}
