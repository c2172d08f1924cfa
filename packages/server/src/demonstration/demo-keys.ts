import type { KeyObject } from 'node:crypto';
import { type DemoClient, demoClients } from './demo-clients.ts';
import { makeDemoKeyPair } from './demo-key-pair.ts';

/** A key of a demo client. Its private half signs the failing requests, and is then discarded. */
export interface DemoKey {
  readonly publicKey: string;
  readonly privateKey: KeyObject;
  readonly addedAtMs: number;
  /** When the client began to sign with it. */
  readonly usedFromMs: number;
  /** When it stopped verifying; infinite for the client's last key. */
  readonly endsAtMs: number;
}

const dayMs = 86_400_000;
/** A new key is deployed a few hours after it was added. */
const deployedAfterMs = 5 * 3_600_000;
const overlapMs = 3 * dayMs;

/** Generates the keys of all demo clients, oldest first, one at a time in a thread of Node's pool. */
export async function makeDemoKeys(endMs: number): Promise<ReadonlyMap<DemoClient, readonly DemoKey[]>> {
  const made = new Map<DemoClient, readonly DemoKey[]>();
  for (const client of demoClients) {
    const added = [client.addedDaysAgo, ...client.rotatedDaysAgo].map((days) =>
      Math.round(endMs - days * dayMs),
    );
    const keys: DemoKey[] = [];
    for (const [index, addedAtMs] of added.entries()) {
      const pair = await makeDemoKeyPair();
      const next = added[index + 1];
      keys.push({
        publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }),
        privateKey: pair.privateKey,
        addedAtMs,
        usedFromMs: addedAtMs + (index === 0 ? 600_000 : deployedAfterMs),
        endsAtMs: next === undefined ? Infinity : next + deployedAfterMs + overlapMs,
      });
    }
    made.set(client, keys);
  }
  return made;
}

/** Returns the key that a client signs with at a time. */
export function signingKeyAt(keys: readonly DemoKey[], timeMs: number): DemoKey {
  return keys.findLast(({ usedFromMs }) => usedFromMs <= timeMs) ?? keys[0]!;
}
