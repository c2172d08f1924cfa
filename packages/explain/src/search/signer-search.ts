import type { Budget } from '../budget.ts';
import type { Hashes } from './digest-search.ts';
import { type EncodedMessage, readEncodedMessage } from '../rsa/encoded-message.ts';
import type { CandidateKey } from '../explanation.ts';
import { readModulus, recoverEncodedMessage, type RsaModulus } from '../rsa/rsa-public-operation.ts';

/** A candidate whose numbers were read. */
export interface ReadKey extends RsaModulus {
  readonly candidate: CandidateKey;
  readonly modulusBits: number;
}

/** The key that made a signature, and what was put into the operation. */
export interface FoundSigner {
  readonly key: ReadKey;
  readonly encoded: EncodedMessage;
  /** Whether the bytes came in reversed order. */
  readonly isReversed: boolean;
}

/** Reads the candidates, with those first that are most likely to have signed for this keyid. */
export function readCandidates(
  candidates: readonly CandidateKey[],
  keyid: string | undefined,
): readonly ReadKey[] {
  return candidates
    .toSorted((a, b) => distance(a, keyid) - distance(b, keyid))
    .slice(0, candidatesMax)
    .flatMap((candidate) => {
      const read = readModulus(candidate.spkiPem);
      return read ? [{ ...read, candidate, modulusBits: read.modulus.toString(2).length }] : [];
    });
}

/** Whether requests signed with a key are accepted for this keyid. */
export function isUsable(
  { clientId, keyState, environment }: CandidateKey,
  keyid: string | undefined,
): boolean {
  return clientId === keyid && environment === undefined && usableStates.has(keyState);
}

/** Applies each key to a signature until one gives a message with a padding, which only the right one does. */
export function findSigner(
  signature: Uint8Array,
  keys: readonly ReadKey[],
  hashes: Hashes,
  budget: Budget,
): FoundSigner | undefined {
  for (const isReversed of [false, true]) {
    const bytes = isReversed ? signature.toReversed() : signature;
    for (const key of keys) {
      if (key.modulusBytes !== bytes.length || !budget.look()) continue;
      const encoded = recoverEncodedMessage(bytes, key);
      const message = encoded && readEncodedMessage(encoded, key.modulusBits, hashes);
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
