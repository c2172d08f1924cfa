import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { webhookData } from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { addNotice } from '../../src/notices/add-notice.ts';
import { inTransaction } from '../../src/storage/transaction.ts';
import { type WebhookScene, webhookScene } from './scene.ts';

for (const backend of backends) {
  describe(`events of notices on ${backend.name}`, { skip: backend.skip }, () => {
    let on: WebhookScene;
    before(async () => {
      on = await webhookScene(backend);
    });
    after(() => on.close());

    test('a new notice is an event, once, and one of a change is not', async () => {
      await on.add({ eventTypes: null });
      const database = await on.scene.database();
      const nowMs = on.scene.nowMs();
      const failure = {
        requestId: 'request_1',
        outcome: 'network_not_allowed',
        isProved: true,
        sourceAddress: '198.51.100.7',
      };
      const key = {
        keyId: 'key_1',
        fingerprint: `SHA256:${'A'.repeat(43)}`,
        stage: 'rotation_due',
        dueAt: new Date(nowMs).toISOString(),
      } as const;
      const kinds = [
        { kind: 'key_due', content: { key } },
        { kind: 'first_failure', content: { failure } },
        { kind: 'refused_address', content: { failure, sourceAddresses: ['198.51.100.7'] } },
        {
          kind: 'rate_limited',
          content: { failure, rateLimit: { requestsPerMinuteMax: null, requestsBurstMax: 2 } },
        },
        { kind: 'policy_changed' },
      ] as const;
      const { accountId } = on.scene;
      for (const kind of [...kinds, ...kinds]) {
        const notice = { accountId, mark: 'one', happenedAtMs: nowMs, clientId: 'client_1', ...kind };
        await inTransaction(database, (transaction) =>
          addNotice(transaction, notice, { nowMs, isMailed: false }),
        );
      }
      await on.deliver();
      const data = new Map(
        on.receiver.received.map(({ type, body }) => [type, (JSON.parse(body) as { data: unknown }).data]),
      );
      webhookData.keyDue.parse(data.get('key.due'));
      webhookData.requestsFailing.parse(data.get('client.requests_failing'));
      webhookData.addressRefused.parse(data.get('client.address_refused'));
      webhookData.rateLimited.parse(data.get('client.rate_limited'));
      // Not those of the requests that made the scene.
      const others = ['key.activated', 'client.first_request'];
      const own = on.receiver.received.filter(({ type }) => !others.includes(type));
      assert.deepEqual(own.length, 4);
    });
  });
}
