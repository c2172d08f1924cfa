import { createPublicKey, type KeyObject } from 'node:crypto';
import type { UsableKey } from './registry.ts';

/** A registered key with the times between which it verifies. */
export interface StoredKey extends UsableKey {
  /** The time it starts verifying, in milliseconds since 1970; undefined for no start. */
  readonly startsAtMs: number | undefined;
}

/** A key as a registry stores it: examined when it was registered, and not revoked. */
export type StoredKeyRecord = Omit<StoredKey, 'keyObject' | 'modulusBytes'> & {
  readonly spkiPem: string;
  readonly modulusBits: number;
};

/** Parses a stored key. Undefined if it can't be read: such a key verifies nothing, and the client's others still do. */
export function readStoredKey(record: StoredKeyRecord): StoredKey | undefined {
  const { keyId, fingerprint, isPending, startsAtMs, endsAtMs } = record;
  let keyObject: KeyObject;
  try {
    keyObject = createPublicKey(record.spkiPem);
  } catch {
    return undefined;
  }
  // crypto.verify ignores the padding for other key types.
  if (keyObject.asymmetricKeyType !== 'rsa') return undefined;
  const modulusBytes = Math.ceil(record.modulusBits / 8);
  return { keyId, fingerprint, keyObject, modulusBytes, isPending, startsAtMs, endsAtMs };
}

/** Returns the keys that verify at a time. */
export function keysUsableAt(keys: readonly StoredKey[], nowMs: number): readonly UsableKey[] {
  return keys.filter(
    ({ startsAtMs, endsAtMs }) => (startsAtMs ?? nowMs) <= nowMs && nowMs < (endsAtMs ?? Infinity),
  );
}
