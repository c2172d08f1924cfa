import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Webhook,
  webhookEvent,
  type WebhookEventTypeEntry,
  webhookEventTypes,
} from '@countersign/contract';
import { backends } from '@countersign/testing/backends';
import { type WebhookScene, webhookScene } from './scene.ts';

const [backend] = backends;

describe('the catalogue of events', { skip: backend?.skip }, () => {
  let on: WebhookScene;
  before(async () => {
    on = await webhookScene(backend!);
  });
  after(() => on.close());

  test('has every type with its permission, schema and example, and each can be wanted', async () => {
    const { administrator } = on.scene;
    const { data } = await on.scene.succeed<{ data: readonly WebhookEventTypeEntry[] }>(
      administrator,
      'listWebhookEventTypes',
    );
    assert.deepEqual(
      data.map(({ type, permission }) => [type, permission]),
      Object.entries(webhookEventTypes).map(([type, { permission }]) => [type, permission]),
    );
    for (const { type, title, description, version, schema, example } of data) {
      assert.ok(title !== '' && description !== '' && version === 1, type);
      assert.equal(webhookEvent.parse(example).type, type);
      const { properties } = schema as { properties: { type: object; data: { required: string[] } } };
      assert.deepEqual(properties.type, { type: 'string', const: type });
      for (const name of properties.data.required) assert.ok(Object.hasOwn(example.data, name), type);
      assert.doesNotMatch(JSON.stringify(schema), /"additionalProperties":false/);
    }
    const eventTypes = data.map(({ type }) => type);
    const body = { url: 'https://hooks.example.com/', isPaused: true, eventTypes };
    const added = await on.scene.succeed<Webhook>(administrator, 'addWebhook', { body });
    assert.deepEqual(added.eventTypes?.toSorted(), eventTypes.toSorted());
  });

  test('is shown to nobody without webhooks:read', async () => {
    const caller = await on.scene.addAccount({ roles: ['payments-reader'] });
    await on.scene.refused(caller, 'listWebhookEventTypes', {}, 'permission_denied');
  });
});
