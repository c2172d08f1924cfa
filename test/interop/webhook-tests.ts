import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { backends } from '@countersign/testing/backends';
import type { Peer } from '../../packages/signature/test/messages/interop-peers.ts';
import { collectDeliveries, type SentDeliveries } from './webhook-deliveries.ts';
import { type StandardPeer, tryPeer, tryStandardPeer, type WebhookOutcome } from './webhook-peers.ts';

/** Tests that libraries accept what a started service sends to a webhook, and reject it when anything was changed. */
export function testWebhooks(
  name: string,
  { peers, standardPeer }: { readonly peers: readonly Peer[]; readonly standardPeer: StandardPeer },
  skip: string | false = false,
): void {
  describe(`webhooks verified by libraries: ${name}`, { skip: skip || backends[0]!.skip }, () => {
    let deliveries: SentDeliveries;
    before(async () => {
      deliveries = await collectDeliveries();
      assert.equal(deliveries.events.length, 2);
    });

    for (const peer of peers)
      test(`by RFC 9421 with ${peer.name}`, async () => assertWell(await tryPeer(peer, deliveries)));
    test(`by Standard Webhooks with ${standardPeer.name}`, async () =>
      assertWell(await tryStandardPeer(standardPeer, deliveries)));
  });
}

function assertWell({ rejected, accepted, changes }: WebhookOutcome): void {
  assert.deepEqual({ rejected, accepted }, { rejected: [], accepted: [] });
  assert.ok(changes >= 8, `${changes} changes`);
}
