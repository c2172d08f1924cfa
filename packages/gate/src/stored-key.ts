import { readKeyText } from '@countersign/signature/keys';
import { type VerificationKey, verificationKey } from '@countersign/signature/node';
import { isKeyAlgorithm } from '@countersign/signature/rfc9421';
import type { UsableKey } from './registry.ts';

/** A registered key with the period in which it verifies. */
export interface StoredKey extends UsableKey {
  /** The time it starts verifying, in milliseconds since 1970; undefined for no start. */
  readonly startsAtMs: number | undefined;
}

/** A key as a registry stores it: validated when it was registered, and not revoked. */
export type StoredKeyRecord = Omit<StoredKey, keyof VerificationKey> & {
  readonly spkiPem: string;
  /** The only algorithm that it is used with; undefined for the usual one of its kind. */
  readonly algorithm?: string | undefined;
};

/**
 * Parses a stored key and makes it ready to verify. Undefined if it cannot be read: such a key verifies
 * nothing, and the client's other keys still work.
 */
export function readStoredKey(record: StoredKeyRecord): StoredKey | undefined {
  const { keyId, fingerprint, isPending, startsAtMs, endsAtMs } = record;
  const key = readVerificationKey(record.spkiPem, record.algorithm);
  return key && { ...key, keyId, fingerprint, isPending, startsAtMs, endsAtMs };
}

/** Returns the keys that verify at a time. */
export function keysUsableAt(keys: readonly StoredKey[], nowMs: number): readonly UsableKey[] {
  const isUsable = ({ startsAtMs, endsAtMs }: StoredKey): boolean =>
    (startsAtMs ?? nowMs) <= nowMs && nowMs < (endsAtMs ?? Infinity);
  return keys.filter(isUsable);
}

/**
 * Parses a stored key's PEM. Undefined if it can't be read, or isn't for the algorithm.
 *
 * @param registered the algorithm that it is registered for, if that is not the usual one of its kind
 */
export function readVerificationKey(spkiPem: string, registered?: string): VerificationKey | undefined {
  const text = readKeyText(spkiPem);
  if (text.kind !== 'pem') return undefined;
  if (registered !== undefined && !isKeyAlgorithm(registered)) return undefined;
  try {
    return verificationKey({ spkiDer: text.der, algorithm: registered });
  } catch {
    return undefined;
  }
}
