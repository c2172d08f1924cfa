import type { HashName, Hashes } from '../explanation.ts';
import type { EncodedMessage, SigningKey } from '../keys/signing-key.ts';
import type { Budget } from './budget.ts';

/** The key that signed. */
export interface FoundSigner {
  readonly key: SigningKey;
  /** The message that it signed, if its signatures reveal that. */
  readonly encoded: EncodedMessage | undefined;
  readonly isReversed: boolean;
  /** The hash function that it signed with in place of its algorithm's, if only a test shows that. */
  readonly otherHash?: HashName | undefined;
}

/**
 * Applies each key until one reveals valid padding, which only the right key does. One whose padding may be there by
 * chance is returned only if no other fits.
 */
export function findSigner(
  signature: Uint8Array,
  keys: readonly SigningKey[],
  hashes: Hashes,
  budget: Budget,
): FoundSigner | undefined {
  let uncertain: FoundSigner | undefined;
  for (const isReversed of [false, true]) {
    const bytes = isReversed ? signature.toReversed() : signature;
    for (const key of keys) {
      if (key.signatureBytes !== bytes.length || !budget.look()) continue;
      const message = key.recover(bytes, hashes);
      if (message && !mayBeChance(message)) return { key, encoded: message, isReversed };
      if (message) uncertain ??= { key, encoded: message, isReversed };
    }
  }
  return uncertain;
}

/** Returns true for the little padding of RSA-PSS with the longest salt: one other message in thousands ends like it. */
export function mayBeChance(encoded: EncodedMessage | undefined): boolean {
  return encoded?.scheme === 'pss' && !encoded.isCertain;
}
