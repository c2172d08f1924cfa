import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NoticePage, webhookData } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { waitFor } from '@countersign/testing/wait-until';
import { noteFailingWebhooks } from '../../src/notices/failing-webhooks.ts';
import { type MailServer, runMailServer } from '../identity/mail-server.ts';
import { noticesOf, waitForNotices } from '../notices/notices-scene.ts';
import { answerWith } from './receiver.ts';
import { type WebhookScene, webhookScene } from './scene.ts';

const dayMs = 86_400_000;

for (const backend of backends) {
  describe(`notices of failing webhooks on ${backend.name}`, { skip: backend.skip }, () => {
    let server: MailServer;
    let on: WebhookScene;
    before(async () => {
      server = await runMailServer();
      on = await webhookScene(backend, {
        settings: {
          COUNTERSIGN_MAIL_URL: server.url,
          COUNTERSIGN_MAIL_REQUIRE_TLS: 'no',
          COUNTERSIGN_MAIL_FROM: 'portal@example.com',
        },
        overrides: { noticesEveryMs: 20 },
      });
    });
    after(async () => {
      await on.close();
      await server.close();
    });

    test('people are told after one day and after four, once each, and so are the other webhooks', async () => {
      const { scene, receiver } = on;
      let owner = await scene.addPerson({ role: 'owner', name: 'Ann' });
      const viewer = await scene.addPerson({ role: 'viewer', name: 'Vic' });
      const failing = await on.add({ eventTypes: ['client.added', 'webhook.failing'] });
      const other = await on.add({ eventTypes: ['webhook.failing'] });
      receiver.answer = (response, event) =>
        answerWith(event.path === failing.path ? 500 : 204)(response, event);
      await on.addClient();
      await on.deliver();
      scene.clock.aheadMs += dayMs / 2;
      owner = await scene.signIn(owner);
      assert.deepEqual((await noticesOf(scene, owner, 'kind=webhook_failing')).data, []);

      scene.clock.aheadMs += dayMs / 2;
      owner = await scene.signIn(owner);
      const [first] = await waitForNotices(scene, owner, 'webhook_failing', (all) => all.length === 1);
      assert.deepEqual([first?.webhook?.stage, first?.webhook?.url], ['one_day', failing.url]);
      const mail = await waitFor(
        () => server.received.find(({ text }) => text.includes('Nothing has been delivered')),
        'the mail',
      );
      assert.deepEqual(mail.to, [owner.email]);

      // Other nodes, and later looks, make no more of them.
      const database = await scene.database();
      for (const aheadMs of [0, dayMs, 2 * dayMs])
        await noteFailingWebhooks(database, { nowMs: scene.nowMs() + aheadMs, isMailed: true });
      scene.clock.aheadMs += 3 * dayMs;
      owner = await scene.signIn(owner);
      const both = await waitForNotices(scene, owner, 'webhook_failing', (all) => all.length === 2);
      assert.deepEqual(
        both.map(({ webhook }) => webhook?.stage),
        ['four_days', 'one_day'],
      );

      await on.deliver();
      const events = receiver.at(other.path).map(({ body }) => {
        const { type, data } = JSON.parse(body) as { type: string; data: unknown };
        assert.equal(type, 'webhook.failing');
        return webhookData.webhookFailing.parse(data);
      });
      assert.deepEqual(events.map(({ stage }) => stage).toSorted(), ['four_days', 'one_day']);
      assert.ok(events.every(({ webhookId }) => webhookId === failing.webhookId));
      assert.ok(receiver.at(failing.path).every(({ type }) => type === 'client.added'));
      const seen = await scene.succeed<NoticePage>(await scene.signIn(viewer), 'listNotices');
      assert.ok(seen.data.every(({ kind }) => kind !== 'webhook_failing'));
    });

    test('one that succeeds again is forgotten, and a paused one is not told of', async () => {
      const database = await on.scene.database();
      await database.deleteFrom('notice_marks').execute();
      await database.deleteFrom('webhooks').execute();
      const webhook = await on.add();
      const context = { nowMs: on.scene.nowMs() + 2 * dayMs, isMailed: false };
      const noticed = async (): Promise<number> => {
        await noteFailingWebhooks(database, context);
        const rows = await database
          .selectFrom('notice_marks')
          .select('mark')
          .where('kind', '=', 'webhook_failing')
          .execute();
        return rows.length;
      };
      on.receiver.answer = answerWith(500);
      await on.addClient();
      await on.deliver();
      const path = { webhookId: webhook.webhookId };
      await on.scene.succeed(on.scene.administrator, 'pauseWebhook', { path });
      assert.equal(await noticed(), 0);
      await on.scene.succeed(on.scene.administrator, 'resumeWebhook', { path });
      on.receiver.answer = answerWith(204);
      await on.deliver(6000);
      assert.equal(await noticed(), 0);
    });
  });
}
