import type { Key, KeyInspection } from '@countersign/contract';
import { algorithmOfPem } from '@countersign/signature/keys';
import type { OfferedPublicKey } from '@countersign/signature/keys';
import { algorithmsToChoose } from '@countersign/signature/rfc9421';
import type { ClientRecord } from '../../registry/store/client-records.ts';
import { rotationOf, rotationTimes } from '../../registry/store/key-rotation.ts';
import { keyEndMs, type KeyRecord, keyStatusAt } from '../../registry/store/key-state.ts';
import { timestamp, timestampIfAny } from '../timestamp.ts';

const dayMs = 86_400_000;

/** Returns a key as the API shows it, as of a time. */
export function showKey(
  key: KeyRecord,
  client: Pick<ClientRecord, 'clientId' | 'keyAgeDaysMax' | 'expiresAtMs'>,
  lastUsedMs: number | undefined,
  nowMs: number,
): Key {
  const { keyAgeDaysMax, expiresAtMs } = client;
  // The keys of a temporary client end with it, so that none is due.
  const rotation = expiresAtMs === undefined ? rotationOf(key, keyAgeDaysMax, nowMs) : undefined;
  return {
    keyId: key.keyId,
    clientId: client.clientId,
    fingerprint: key.fingerprint,
    algorithm: algorithmOfPem(key.spkiPem, key.algorithm),
    modulusBits: key.bits,
    publishedId: key.publishedId,
    status: keyStatusAt(key, keyAgeDaysMax, nowMs),
    createdAt: timestamp(key.createdAtMs),
    startsAt: timestampIfAny(key.startsAtMs),
    endsAt: timestampIfAny(keyEndMs(key, keyAgeDaysMax)),
    firstUsedAt: timestampIfAny(key.firstUsedAtMs),
    lastUsedAt: timestampIfAny(lastUsedMs),
    revokedAt: timestampIfAny(key.revokedAtMs),
    revocationReason: key.revocationReason,
    replacesKeyId: key.replacesKeyId,
    overlapSeconds: key.overlapMs === undefined ? undefined : key.overlapMs / 1000,
    ageDays: Math.max(0, Math.floor((nowMs - key.createdAtMs) / dayMs)),
    rotation,
    rotationDueAt: rotation === undefined ? undefined : timestamp(rotationTimes(key, keyAgeDaysMax).dueMs),
  };
}

/** Returns a key that could be registered, as the API shows it. */
export function showAcceptableKey(
  { format, bits, kind, claimed }: OfferedPublicKey,
  fingerprint: string,
  registeredForClientId: string | undefined,
): KeyInspection {
  const { possible } = algorithmsToChoose({ kind, claimed, allowed: undefined });
  return {
    isAcceptable: true,
    format,
    modulusBits: bits,
    fingerprint,
    algorithms: [...possible],
    registeredForClientId,
  };
}
