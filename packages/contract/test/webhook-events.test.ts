import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  auditActions,
  permissionsForEvents,
  webhookData,
  webhookEvent,
  webhookEventExamples,
  webhookEventTypeNames,
  webhookEventTypes,
} from '@countersign/contract';

describe('the catalogue of events', () => {
  test('every action of the audit log is a type of events that needs audit:read', () => {
    const missing = auditActions.filter((action) => !webhookEventTypeNames.includes(action));
    assert.deepEqual(missing, []);
    for (const action of auditActions) {
      const { data, permission } = webhookEventTypes[action];
      assert.deepEqual([data, permission], ['change', 'audit:read']);
    }
  });

  test('the other types are the known ones: a type is never renamed or removed', () => {
    const others = webhookEventTypeNames.filter(
      (name) => !(auditActions as readonly string[]).includes(name),
    );
    assert.deepEqual(others, [
      'key.due',
      'client.requests_failing',
      'client.requests_recovered',
      'client.address_refused',
      'client.rate_limited',
      'client.first_request',
      'webhook.failing',
      'stream.stalled',
      'stream.recovered',
      'alert.fired',
      'alert.resolved',
      'webhook.test',
    ]);
  });

  test('every type has one example, which its schemas accept as it is', () => {
    const examples = webhookEventExamples();
    assert.deepEqual(
      examples.map(({ type }) => type),
      webhookEventTypeNames,
    );
    for (const example of examples) {
      assert.deepEqual(webhookEvent.parse(example), example);
      const { data } = webhookEventTypes[example.type as keyof typeof webhookEventTypes];
      assert.deepEqual(webhookData[data].parse(example.data), example.data);
    }
  });

  test('whoever wants some types needs the permissions of these, and for all types those of all', () => {
    assert.deepEqual(permissionsForEvents(['key.due', 'client.added', 'key.added', 'of a later version']), [
      'keys:read',
      'audit:read',
    ]);
    assert.deepEqual(permissionsForEvents(null).toSorted(), [
      'alerts:read',
      'audit:read',
      'keys:read',
      'requests:read',
      'webhooks:read',
    ]);
  });
});
