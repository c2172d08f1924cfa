import { createHmac } from 'node:crypto';
import type { ForwardingKey } from '@countersign/gate';
import { contentDigest } from '@countersign/signature/node';
import { compileFormat, signedWebhook } from '@countersign/signature/profile';
import { signatureBase } from '@countersign/signature/rfc9421';

/** What is sent to a receiver. */
export interface SentEvent {
  readonly eventId: string;
  readonly targetUri: string;
  readonly body: Buffer;
}

/** What it is signed with. */
export interface WebhookKeys {
  /** The service's published key, for RFC 9421. */
  readonly published: ForwardingKey;
  /** The webhook's own secrets, for Standard Webhooks; after a rotation, two for a while. */
  readonly secrets: readonly Buffer[];
}

const { listFor, signatureParams } = compileFormat(signedWebhook);
const { select, time } = signedWebhook;

/**
 * Returns the header fields of one attempt, signed twice: by RFC 9421 with the published key, and as Standard Webhooks
 * 1.0.0 says with each of the webhook's own secrets. A receiver needs to verify only one of them.
 */
export function signWebhook(
  event: SentEvent,
  { published, secrets }: WebhookKeys,
  nowMs: number,
): Readonly<Record<string, string>> {
  const { eventId, body } = event;
  const created = Math.floor(nowMs / 1000);
  return {
    ...signByPublishedKey(event, 'application/json', published, nowMs),
    'webhook-timestamp': String(created),
    'webhook-signature': secrets
      .map((secret) => `v1,${hmac(secret, `${eventId}.${created}.`, body)}`)
      .join(' '),
  };
}

/** Returns the header fields of one attempt, signed by RFC 9421 with the published key. */
export function signByPublishedKey(
  { eventId, targetUri, body }: SentEvent,
  contentType: string,
  published: ForwardingKey,
  nowMs: number,
): Readonly<Record<string, string>> {
  const created = Math.floor(nowMs / 1000);
  const fields: Readonly<Record<string, string>> = {
    'content-type': contentType,
    'content-digest': contentDigest(body),
    'webhook-id': eventId,
  };
  const list = listFor(true);
  const params = signatureParams(list, {
    created: String(created),
    expires: String(created + time.lifeSeconds),
    keyid: `"${published.keyid}"`,
  });
  const message = { method: 'POST', targetUri, field: (name: string): string | undefined => fields[name] };
  const base = signatureBase(list.components, message, params);
  const signature = published.sign(Buffer.from(base, 'latin1')).toString('base64');
  return {
    ...fields,
    'signature-input': `${select.label}=${params}`,
    signature: `${select.label}=:${signature}:`,
  };
}

function hmac(secret: Buffer, head: string, body: Buffer): string {
  return createHmac('sha256', secret).update(head).update(body).digest('base64');
}
