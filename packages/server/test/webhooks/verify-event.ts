import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { defineProfile, verifyingKey, verifyMessage } from '@countersign/signature/messages/node';
import type { ReceivedEvent } from './receiver.ts';
import type { WebhookScene } from './scene.ts';

/** What a receiver demands of the signature, with the general library. */
const profile = defineProfile({
  id: 'countersign-webhook',
  title: 'Webhooks of this service',
  message: 'request',
  select: { tag: 'countersign-webhook' },
  components: {
    required: ['@method', '@target-uri', 'content-digest', 'content-type', 'webhook-id'].map(
      (identifier) => ({ identifier }),
    ),
    others: 'none',
  },
  parameters: {
    created: 'required',
    expires: 'required',
    keyid: 'required',
    alg: 'required',
    tag: 'required',
  },
  algorithms: ['ed25519'],
  time: { maxAgeSeconds: 240, maxFutureSeconds: 30, maxLifeSeconds: 240 },
  replay: 'off',
  digests: ['sha-256'],
});

/** The check of Standard Webhooks 1.0.0, written from its text alone. */
export function assertStandardWebhook({ headers, body }: ReceivedEvent, secret: string): void {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest('base64');
  assert.ok(headers['webhook-signature']?.split(' ').includes(`v1,${expected}`));
}

/** Verifies the signature of RFC 9421 with the published keys and the general library. */
export async function verifyAsReceiver(
  { scene }: WebhookScene,
  url: string,
  event: ReceivedEvent,
): Promise<{ readonly ok: boolean }> {
  const answer = await scene.running.send({
    method: 'GET',
    url: '/.well-known/http-message-signatures-directory',
  });
  const { keys } = answer.json() as unknown as { keys: (JsonWebKey & { kid: string })[] };
  const headers = Array.from({ length: event.rawHeaders.length / 2 }, (_, index): [string, string] => [
    event.rawHeaders[2 * index]!,
    event.rawHeaders[2 * index + 1]!,
  ]);
  return verifyMessage(
    { method: 'POST', targetUri: url, headers, body: Buffer.from(event.body) },
    {
      profile,
      nowSeconds: () => Math.floor(scene.nowMs() / 1000),
      keysFor: ({ keyid }) =>
        keys
          .filter(({ kid }) => kid === keyid)
          .map((key) => verifyingKey(createPublicKey({ key, format: 'jwk' }))),
    },
  );
}
