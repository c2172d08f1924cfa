import type { Hashes } from '../explanation.ts';
import type { EncodedMessage, SigningKey } from '../keys/signing-key.ts';
import type { Budget } from './budget.ts';

/** The key that signed. */
export interface FoundSigner {
  readonly key: SigningKey;
  /** The message that it signed, if its signatures reveal that. */
  readonly encoded: EncodedMessage | undefined;
  readonly isReversed: boolean;
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
