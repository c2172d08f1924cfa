import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWebhookSecrets } from '../../src/webhooks/webhook-secrets.ts';

test('with the setting, a stored secret can be read with the same setting and webhook alone', () => {
  const secrets = openWebhookSecrets('a'.repeat(32));
  const secret = secrets.create();
  const bytes = Buffer.from(secret.slice(6), 'base64');
  const stored = secrets.seal('webhook_1', secret);
  assert.equal(stored.includes(secret.slice(6, 20)), false);
  assert.deepEqual(secrets.open('webhook_1', stored), bytes);
  assert.equal(secrets.open('webhook_2', stored), undefined);
  assert.equal(openWebhookSecrets('b'.repeat(32)).open('webhook_1', stored), undefined);
  assert.equal(openWebhookSecrets(undefined).open('webhook_1', stored), undefined);
});

test('a secret that was stored without the setting can be read with it', () => {
  const plain = openWebhookSecrets(undefined);
  const secret = plain.create();
  const stored = plain.seal('webhook_1', secret);
  const bytes = Buffer.from(secret.slice(6), 'base64');
  assert.deepEqual(openWebhookSecrets('a'.repeat(32)).open('webhook_1', stored), bytes);
});
