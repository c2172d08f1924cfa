import { newId } from '@countersign/contract';
import { algorithmOfPem } from '@countersign/signature/keys';
import {
  algorithmsToChoose,
  isKeyAlgorithm,
  type KeyAlgorithm,
  keyAlgorithms,
} from '@countersign/signature/rfc9421';
import type { Transaction } from 'kysely';
import {
  type DirectoryContents,
  type DirectoryKey,
  type SkipReason,
  thumbprintOfPem,
} from '../../directories/directory-key.ts';
import type { Schema } from '../../storage/schema.ts';
import { difference, type Difference } from './audit.ts';
import type { ClientRecord } from './client-records.ts';
import type { ChangeContext } from './context.ts';
import { isLive, type KeyRecord } from './key-state.ts';
import { algorithmColumn, algorithmsOfProfile } from './key-algorithm.ts';
import { findKeyOwner } from './keys.ts';

/** Revoked keys are remembered for ever, so a directory that keeps publishing private halves brings no more keys. */
const revokedKeysMax = 500;

/** A key that the client shall have: the only algorithm that it is for, and the URL by which signatures name it if there is one. */
type FollowedKey = DirectoryKey & { readonly algorithm: KeyAlgorithm } & Pick<KeyRecord, 'publishedId'>;

/** What following a directory changed. */
export interface FollowedKeys {
  /** For the audit log; undefined if the keys are as before. */
  readonly changes: Difference | undefined;
  readonly keyCount: number;
  readonly skipped: DirectoryContents['skipped'];
}

/**
 * Gives a client exactly the keys of its directory. Keys that are no longer in it end; one that comes back verifies again,
 * unless it was revoked, which is final.
 */
export async function replaceKeys(
  transaction: Transaction<Schema>,
  client: ClientRecord,
  contents: DirectoryContents,
  { nowMs, profileAlgorithms }: ChangeContext,
  mustHaveSome: boolean,
): Promise<FollowedKeys> {
  const allowed = algorithmsOfProfile(client.profile, profileAlgorithms);
  const own = new Map(client.keys.map((key) => [key.fingerprint, key]));
  const wanted = new Map<string, FollowedKey>();
  const skipped = new Map(Object.entries(contents.skipped));
  const isFull = client.keys.filter(({ status }) => status === 'revoked').length >= revokedKeysMax;
  for (const key of contents.keys) {
    const algorithm = algorithmOf(key, allowed);
    const reason =
      algorithm === undefined
        ? 'algorithm_not_supported'
        : isFull && !own.has(key.fingerprint)
          ? 'too_many'
          : await reasonToSkip(transaction, client, own.get(key.fingerprint), key);
    // The names in a JWK Set are not unique: its keys are named by their thumbprints.
    const publishedId = client.directory?.form === 'actor' ? key.kid : undefined;
    if (reason === undefined) wanted.set(key.fingerprint, { ...key, algorithm: algorithm!, publishedId });
    else skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  }
  if (mustHaveSome && wanted.size === 0)
    return { changes: undefined, keyCount: 0, skipped: Object.fromEntries(skipped) };
  const compromised = new Set(contents.compromised);
  for (const key of client.keys) {
    if (compromised.size > 0 && compromised.has(thumbprintOfPem(key.spkiPem)))
      await revoke(transaction, key, nowMs);
    else if (!wanted.has(key.fingerprint)) await end(transaction, key, nowMs);
  }
  for (const [fingerprint, key] of wanted) {
    const known = own.get(fingerprint);
    if (known === undefined) await insert(transaction, client, key, nowMs);
    else await update(transaction, known, key);
  }
  return {
    changes: difference(
      { keys: client.keys.filter(isLive).map(keyText).toSorted() },
      { keys: [...wanted.values()].map((key) => keyText(storedForm(key))).toSorted() },
    ),
    keyCount: wanted.size,
    skipped: Object.fromEntries(skipped),
  };
}

/** Ends all keys of a client, because its directory no longer counts. Returns the change for the audit log. */
export async function endKeys(
  transaction: Transaction<Schema>,
  { keys }: Pick<ClientRecord, 'keys'>,
  nowMs: number,
): Promise<Difference | undefined> {
  for (const key of keys) await end(transaction, key, nowMs);
  return difference({ keys: keys.filter(isLive).map(keyText).toSorted() }, { keys: [] });
}

/**
 * Returns the algorithm that a key is registered for: what its directory says, or the usual one that the client's profile signs
 * with; undefined if there is none, or if there are several.
 */
function algorithmOf(
  { algorithm, spkiPem }: DirectoryKey,
  allowed: readonly string[] | undefined,
): KeyAlgorithm | undefined {
  const ofKind = algorithmOfPem(spkiPem);
  if (ofKind === undefined || (algorithm !== undefined && !isKeyAlgorithm(algorithm))) return undefined;
  const { keyKind: kind } = keyAlgorithms[ofKind];
  return algorithmsToChoose({ kind, claimed: algorithm && [algorithm], allowed }).usual;
}

/** The facts about a key as the registry stores them. */
function storedForm(key: FollowedKey): Parameters<typeof keyText>[0] {
  return { ...key, algorithm: algorithmColumn(key.algorithm) ?? undefined };
}

async function reasonToSkip(
  transaction: Transaction<Schema>,
  { accountId, clientId }: ClientRecord,
  known: KeyRecord | undefined,
  { fingerprint }: DirectoryKey,
): Promise<SkipReason | undefined> {
  if (known !== undefined) return known.status === 'revoked' ? 'revoked' : undefined;
  const owner = await findKeyOwner(transaction, accountId, fingerprint);
  return owner === undefined || owner.clientId === clientId ? undefined : 'registered_elsewhere';
}

async function insert(
  transaction: Transaction<Schema>,
  { clientId, accountId }: ClientRecord,
  key: FollowedKey,
  nowMs: number,
): Promise<void> {
  await transaction
    .insertInto('client_keys')
    .values({
      key_id: newId('key', nowMs),
      client_id: clientId,
      account_id: accountId,
      spki_pem: key.spkiPem,
      fingerprint: key.fingerprint,
      modulus_bits: key.bits,
      algorithm: algorithmColumn(key.algorithm),
      // Never pending: a first use must not end the keys beside it.
      status: 'active',
      created_at_ms: nowMs,
      starts_at_ms: key.startsAtMs ?? null,
      ends_at_ms: key.endsAtMs ?? null,
      revoked_at_ms: null,
      published_id: key.publishedId ?? null,
      is_published: 1,
    })
    .execute();
}

async function update(transaction: Transaction<Schema>, known: KeyRecord, key: FollowedKey): Promise<void> {
  const algorithm = algorithmColumn(key.algorithm);
  const isSame =
    known.status === 'active' &&
    known.startsAtMs === key.startsAtMs &&
    known.endsAtMs === key.endsAtMs &&
    known.publishedId === key.publishedId &&
    (known.algorithm ?? null) === algorithm;
  if (isSame) return;
  await transaction
    .updateTable('client_keys')
    .set({
      status: 'active',
      algorithm,
      starts_at_ms: key.startsAtMs ?? null,
      ends_at_ms: key.endsAtMs ?? null,
      published_id: key.publishedId ?? null,
    })
    .where('key_id', '=', known.keyId)
    .execute();
}

async function end(transaction: Transaction<Schema>, key: KeyRecord, nowMs: number): Promise<void> {
  if (!isLive(key)) return;
  await transaction
    .updateTable('client_keys')
    .set({ status: 'expired', ends_at_ms: Math.min(key.endsAtMs ?? nowMs, nowMs) })
    .where('key_id', '=', key.keyId)
    .execute();
}

async function revoke(transaction: Transaction<Schema>, key: KeyRecord, nowMs: number): Promise<void> {
  if (key.status === 'revoked') return;
  await transaction
    .updateTable('client_keys')
    .set({ status: 'revoked', revoked_at_ms: nowMs, revocation_reason: 'compromised' })
    .where('key_id', '=', key.keyId)
    .execute();
}

/** A key in an audit event. */
function keyText({
  fingerprint,
  algorithm,
  startsAtMs,
  endsAtMs,
  publishedId,
}: Pick<KeyRecord, 'fingerprint' | 'algorithm' | 'startsAtMs' | 'endsAtMs' | 'publishedId'>): string {
  const name = publishedId === undefined ? '' : ` as ${publishedId}`;
  const purpose = algorithm === undefined ? '' : ` for ${algorithm}`;
  const from = startsAtMs === undefined ? '' : ` from ${new Date(startsAtMs).toISOString()}`;
  const until = endsAtMs === undefined ? '' : ` until ${new Date(endsAtMs).toISOString()}`;
  return `${fingerprint}${name}${purpose}${from}${until}`;
}
