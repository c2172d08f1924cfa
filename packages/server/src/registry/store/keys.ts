import { newId } from '@countersign/contract';
import { type OfferedKeyPolicy, type OfferedPublicKey, readOfferedKey } from '@countersign/signature/keys';
import { keyFingerprint, type PublicKey } from '@countersign/signature/node';
import type { KeyAlgorithm } from '@countersign/signature/rfc9421';
import type { Selectable, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { algorithmColumn } from './key-algorithm.ts';
import { isCurrentKey, type KeyRecord } from './key-state.ts';

/** Limits how many of a client's keys can verify at once: the old and the new one during a rollover. */
const currentKeysMax = 2;

/** A public key's text, or the key itself if the policy has already parsed the text, which is slow. */
export type OfferedKey = string | OfferedPublicKey;

/**
 * Parses a public key offered for registration.
 *
 * @throws RegistryError `key_refused`; its `reason` is the signature package's code
 */
export function readKeyToRegister(text: OfferedKey, policy: OfferedKeyPolicy): OfferedPublicKey {
  if (typeof text !== 'string') return text;
  const reading = readOfferedKey(text, policy);
  if (!reading.ok) {
    throw new RegistryError('key_refused', reading.message, {
      reason: reading.code,
      member: ['publicKey'],
    });
  }
  return reading.key;
}

/** The parts of a client that matter for its keys. */
export interface KeyOwner {
  readonly accountId: string;
  readonly clientId: string;
  readonly keys: readonly KeyRecord[];
  readonly keyAgeDaysMax: number | undefined;
  /** When a temporary client expires, and every key of it at the latest; undefined for never. */
  readonly expiresAtMs: number | undefined;
}

export interface KeyDates {
  readonly startsAtMs?: number | undefined;
  readonly endsAtMs?: number | undefined;
  /** The previous key verifies for this long after this one's first valid request; callers set the default. */
  readonly overlapMs: number;
}

/**
 * Registers a key for a client. If the client has another key, the new one replaces it: see `proveKey`.
 *
 * @returns the keyId, the fingerprint, and the key that it replaces
 * @throws RegistryError `key_registered` if the account already has the key, revoked or not; `keys_too_many`
 */
export async function insertKey(
  transaction: Transaction<Schema>,
  owner: KeyOwner,
  { key, algorithm }: { readonly key: PublicKey; readonly algorithm: KeyAlgorithm },
  dates: KeyDates,
  nowMs: number,
): Promise<{ keyId: string; fingerprint: string; replacesKeyId: string | undefined }> {
  const fingerprint = keyFingerprint(key);
  await checkNotRegistered(transaction, owner.accountId, fingerprint);
  const current = owner.keys.filter((one) => isCurrentKey(one, owner.keyAgeDaysMax, nowMs));
  if (current.length >= currentKeysMax) {
    throw new RegistryError(
      'keys_too_many',
      `The client has ${currentKeysMax} usable keys already: revoke the one no longer in use, then add the new one.`,
    );
  }
  const keyId = newId('key', nowMs);
  const replacesKeyId = current.find((one) => one.status !== 'retiring')?.keyId;
  await transaction
    .insertInto('client_keys')
    .values({
      key_id: keyId,
      client_id: owner.clientId,
      account_id: owner.accountId,
      spki_pem: key.spkiPem,
      fingerprint,
      modulus_bits: key.bits,
      algorithm: algorithmColumn(algorithm),
      status: 'pending',
      created_at_ms: nowMs,
      starts_at_ms: dates.startsAtMs ?? null,
      ends_at_ms: earlier(dates.endsAtMs, owner.expiresAtMs) ?? null,
      revoked_at_ms: null,
      replaces_key_id: replacesKeyId ?? null,
      overlap_ms: replacesKeyId === undefined ? null : dates.overlapMs,
    })
    .execute();
  return { keyId, fingerprint, replacesKeyId };
}

function earlier(oneMs: number | undefined, otherMs: number | undefined): number | undefined {
  return oneMs === undefined || otherMs === undefined ? (oneMs ?? otherMs) : Math.min(oneMs, otherMs);
}

/** Reads a row of the table of keys. */
export function keyOfRow(row: Selectable<Schema['client_keys']>): KeyRecord {
  return {
    keyId: row.key_id,
    fingerprint: row.fingerprint,
    bits: row.modulus_bits,
    algorithm: row.algorithm ?? undefined,
    status: row.status,
    spkiPem: row.spki_pem,
    createdAtMs: row.created_at_ms,
    startsAtMs: row.starts_at_ms ?? undefined,
    endsAtMs: row.ends_at_ms ?? undefined,
    revokedAtMs: row.revoked_at_ms ?? undefined,
    revocationReason: row.revocation_reason ?? undefined,
    replacesKeyId: row.replaces_key_id ?? undefined,
    overlapMs: row.overlap_ms ?? undefined,
    firstUsedAtMs: row.first_used_at_ms ?? undefined,
    publishedId: row.published_id ?? undefined,
    isPublished: row.is_published === 1,
  };
}

/** Finds the account's client that has a key with this fingerprint, revoked or not. */
export async function findKeyOwner(
  database: Database,
  accountId: string,
  fingerprint: string,
): Promise<{ clientId: string; isRevoked: boolean } | undefined> {
  const known = await database
    .selectFrom('client_keys')
    .select(['client_id', 'status'])
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  return known && { clientId: known.client_id, isRevoked: known.status === 'revoked' };
}

async function checkNotRegistered(
  transaction: Transaction<Schema>,
  accountId: string,
  fingerprint: string,
): Promise<void> {
  const known = await findKeyOwner(transaction, accountId, fingerprint);
  if (known === undefined) return;
  throw new RegistryError(
    'key_registered',
    known.isRevoked
      ? `This key belonged to client ${known.clientId} and was revoked, which is final: create a new key pair.`
      : `This key is already registered for client ${known.clientId}: create a separate key pair for every client.`,
  );
}
