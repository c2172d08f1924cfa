import type { CandidateKey, Hashes } from '../explanation.ts';
import { type EncodedMessage, readSigningKey, type SigningKey } from '../keys/signing-key.ts';
import type { Budget } from './budget.ts';

/** The key that signed, and the message that it signed. */
export interface FoundSigner {
  readonly key: SigningKey;
  readonly encoded: EncodedMessage;
  readonly isReversed: boolean;
}

/** Reads the candidates, the likeliest for this keyid first. */
export function readCandidates(
  candidates: readonly CandidateKey[],
  keyid: string | undefined,
): readonly SigningKey[] {
  return candidates
    .toSorted((a, b) => distance(a, keyid) - distance(b, keyid))
    .slice(0, candidatesMax)
    .flatMap((candidate) => readSigningKey(candidate) ?? []);
}

/** True if the service accepts requests signed with this key for this keyid. */
export function isUsable(
  { clientId, keyState, environment }: CandidateKey,
  keyid: string | undefined,
): boolean {
  return clientId === keyid && environment === undefined && usableStates.has(keyState);
}

/** Applies each key until one reveals valid padding, which only the right key does. */
export function findSigner(
  signature: Uint8Array,
  keys: readonly SigningKey[],
  hashes: Hashes,
  budget: Budget,
): FoundSigner | undefined {
  for (const isReversed of [false, true]) {
    const bytes = isReversed ? signature.toReversed() : signature;
    for (const key of keys) {
      if (key.signatureBytes !== bytes.length || !budget.look()) continue;
      const message = key.recover(bytes, hashes);
      if (message) return { key, encoded: message, isReversed };
    }
  }
  return undefined;
}

const usableStates: ReadonlySet<CandidateKey['keyState']> = new Set(['pending', 'active', 'retiring']);
const candidatesMax = 256;

function distance(candidate: CandidateKey, keyid: string | undefined): number {
  if (isUsable(candidate, keyid)) return 0;
  return (candidate.environment === undefined ? 1 : 3) + (candidate.clientId === keyid ? 0 : 1);
}
