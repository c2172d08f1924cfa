import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { backends } from '@countersign/testing/backends';
import type { PeerTask } from '../../packages/signature/test/messages/interop-peers.ts';
import { tamperedTasks } from '../../packages/signature/test/messages/interop-tampering.ts';
import type { ReceivedEvent } from '../../packages/server/test/webhooks/receiver.ts';
import { webhookScene } from '../../packages/server/test/webhooks/scene.ts';

/** A delivery for a library of Standard Webhooks, as JSON can hold it. */
export interface StandardTask {
  readonly operation: 'webhook';
  /** `whsec_` and Base64. */
  readonly secret: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** A delivery that a library must accept or reject. */
export interface DeliveryCase<Task> {
  readonly what: string;
  readonly task: Task;
}

/** What a service sent to a receiver. */
export interface SentDeliveries {
  readonly events: readonly ReceivedEvent[];
  readonly url: string;
  readonly secret: string;
  /** The published keys. */
  readonly keys: readonly {
    readonly kid: string;
    readonly kty: string;
    readonly crv: string;
    readonly x: string;
  }[];
}

/** Starts a service, adds clients and keeps what its webhook receives: a first attempt, and one after a failure. */
export async function collectDeliveries(): Promise<SentDeliveries> {
  const on = await webhookScene(backends[0]!);
  try {
    // Libraries have their own clock: the second attempt, six seconds later, is not in their future.
    on.scene.clock.aheadMs = -6000;
    const webhook = await on.add();
    let attempts = 0;
    on.receiver.answer = (response) => void response.writeHead(++attempts === 1 ? 500 : 204).end();
    await on.addClient();
    await on.deliver();
    await on.deliver(6000);
    const wellKnown = '/.well-known/http-message-signatures-directory';
    const { keys } = JSON.parse(
      (await on.scene.running.send({ method: 'GET', url: wellKnown })).text,
    ) as Pick<SentDeliveries, 'keys'>;
    return { events: on.receiver.at(webhook.path), url: webhook.url, secret: webhook.secret, keys };
  } finally {
    await on.close();
  }
}

/** Returns the deliveries for a library of RFC 9421, and the same with one thing changed each. */
export function signatureCases(
  { events, url, keys }: SentDeliveries,
  checksBody: boolean,
): { readonly sent: readonly DeliveryCase<PeerTask>[]; readonly changed: readonly DeliveryCase<PeerTask>[] } {
  const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
  const tasks = events.map(({ headers, rawHeaders, body }): PeerTask => {
    const [, created, expires, keyid = ''] =
      /;created=(\d+);expires=(\d+);keyid="([^"]+)"/.exec(headers['signature-input'] ?? '') ?? [];
    const { kty, crv, x } = keys.find(({ kid }) => kid === keyid)!;
    const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
    return {
      operation: 'verify',
      algorithm: 'ed25519',
      key: key.export({ type: 'spki', format: 'pem' }),
      label: 'countersign',
      request: { method: 'POST', url, headers: linesOf(rawHeaders), body },
      components: ['@method', '@target-uri', 'content-digest', 'content-type', 'webhook-id'].map((name) => ({
        name,
      })),
      times: { created: Number(created), expires: Number(expires) },
      texts: { keyid, alg: 'ed25519', tag: 'countersign-webhook' },
    };
  });
  return {
    sent: tasks.map((task, index) => ({ what: `attempt ${index + 1}`, task })),
    changed: tamperedTasks(tasks[0]!, other, checksBody),
  };
}

/** Returns the deliveries for a library of Standard Webhooks, and the same with one thing changed each. */
export function standardCases({ events, secret }: SentDeliveries): {
  readonly sent: readonly DeliveryCase<StandardTask>[];
  readonly changed: readonly DeliveryCase<StandardTask>[];
} {
  const tasks = events.map(({ rawHeaders, body }): StandardTask => {
    return { operation: 'webhook', secret, headers: linesOf(rawHeaders), body };
  });
  const [task] = tasks as [StandardTask];
  const withHeader = (name: string, change: (value: string) => string): StandardTask => ({
    ...task,
    headers: task.headers.map(([each, value]) => (each === name ? [each, change(value)] : [each, value])),
  });
  const inSeconds = (seconds: number) => (value: string) => String(Number(value) + seconds);
  const otherSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  return {
    sent: tasks.map((each, index) => ({ what: `attempt ${index + 1}`, task: each })),
    changed: [
      { what: 'the body', task: { ...task, body: task.body.replace('client.added', 'client.moved') } },
      { what: 'a space in the body', task: { ...task, body: `${task.body} ` } },
      { what: 'the secret', task: { ...task, secret: otherSecret } },
      { what: 'webhook-id', task: withHeader('webhook-id', (value) => `${value}0`) },
      { what: 'a second', task: withHeader('webhook-timestamp', inSeconds(1)) },
      { what: 'an old time', task: withHeader('webhook-timestamp', inSeconds(-600)) },
      { what: 'a future time', task: withHeader('webhook-timestamp', inSeconds(600)) },
      {
        what: 'the signature',
        task: withHeader('webhook-signature', (value) => value.replace(/^v1,./, 'v1,-')),
      },
      {
        what: 'another version',
        task: withHeader('webhook-signature', (value) => value.replace('v1,', 'v2,')),
      },
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((missing) => ({
        what: `no ${missing}`,
        task: { ...task, headers: task.headers.filter(([name]) => name !== missing) },
      })),
    ],
  };
}

function linesOf(rawHeaders: readonly string[]): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index]!,
    rawHeaders[2 * index + 1]!,
  ]);
}
