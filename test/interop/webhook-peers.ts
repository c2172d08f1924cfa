import { Webhook } from 'standardwebhooks';
import type { Peer, PeerResult } from '../../packages/signature/test/messages/interop-peers.ts';
import {
  type DeliveryCase,
  type SentDeliveries,
  signatureCases,
  standardCases,
  type StandardTask,
} from './webhook-deliveries.ts';

/** A library of Standard Webhooks that nobody here wrote. */
export interface StandardPeer {
  readonly name: string;
  readonly run: (tasks: readonly StandardTask[]) => Promise<readonly PeerResult[]>;
}

/** https://www.npmjs.com/package/standardwebhooks */
export const standardWebhooks: StandardPeer = {
  name: 'standardwebhooks (npm)',
  run: async (tasks) =>
    tasks.map(({ secret, headers, body }) => {
      try {
        new Webhook(secret).verify(body, Object.fromEntries(headers));
        return { verified: true };
      } catch (error) {
        return { problem: String(error) };
      }
    }),
};

/** What a library made of the deliveries of a service: both lists are empty if all is well. */
export interface WebhookOutcome {
  readonly rejected: readonly string[];
  readonly accepted: readonly string[];
  /** The changed deliveries that it had to reject. */
  readonly changes: number;
}

/** Lets a library verify by RFC 9421. */
export async function tryPeer(peer: Peer, deliveries: SentDeliveries): Promise<WebhookOutcome> {
  return outcomeOf(peer.run, signatureCases(deliveries, peer.checksBody === true));
}

/** Lets a library verify by Standard Webhooks. */
export async function tryStandardPeer(
  peer: StandardPeer,
  deliveries: SentDeliveries,
): Promise<WebhookOutcome> {
  return outcomeOf(peer.run, standardCases(deliveries));
}

async function outcomeOf<Task>(
  run: (tasks: readonly Task[]) => Promise<readonly PeerResult[]>,
  { sent, changed }: Record<'sent' | 'changed', readonly DeliveryCase<Task>[]>,
): Promise<WebhookOutcome> {
  const results = await run([...sent, ...changed].map(({ task }) => task));
  const isVerified = (index: number): boolean => results[index]?.verified === true;
  return {
    rejected: sent.flatMap(({ what }, index) =>
      isVerified(index) ? [] : [`${what}: ${results[index]?.problem ?? 'not verified'}`],
    ),
    accepted: changed.flatMap(({ what }, index) => (isVerified(sent.length + index) ? [what] : [])),
    changes: changed.length,
  };
}
