import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '@countersign/contract';
import { contentDigest } from '@countersign/signature/node';
import { CommandError } from '../exits.ts';
import { sendRequest } from '../sending/send-request.ts';

/** What a local program did with an event. */
export interface Forwarded {
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** Why there was no answer. */
  readonly problem: string | undefined;
  /** The bytes that were sent. */
  readonly body: Buffer;
}

/** The same as the service's. */
const timeoutSeconds = 15;

/**
 * Sends an event to a local program as the service sends it to a webhook, signed as Standard Webhooks 1.0.0 says. The
 * service's own signature by RFC 9421 is missing: only the service has its key. Never rejects for what the program does.
 *
 * @param secret the key's bytes
 */
export async function forwardEvent(
  event: WebhookEvent,
  { url, secret, nowMs }: { readonly url: string; readonly secret: Buffer; readonly nowMs: number },
): Promise<Forwarded> {
  const body = Buffer.from(JSON.stringify(event));
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', secret)
    .update(`${event.id}.${timestamp}.`)
    .update(body)
    .digest('base64');
  const headers = [
    ['Host', new URL(url).host],
    ['Connection', 'close'],
    ['Content-Length', String(body.length)],
    ['content-type', 'application/json'],
    ['content-digest', contentDigest(body)],
    ['webhook-id', event.id],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', `v1,${signature}`],
  ] as const;
  const startedMs = performance.now();
  try {
    const { status, durationMs } = await sendRequest({ method: 'POST', url, headers, body }, timeoutSeconds);
    return { status, durationMs, problem: undefined, body };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const durationMs = performance.now() - startedMs;
    return { status: undefined, durationMs, problem: error.message.split('\n')[0] ?? '', body };
  }
}
