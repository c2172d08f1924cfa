import { keyTimes, pendingChangeLimits, type RevocationReason } from '@countersign/contract';
import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { GuardedChange } from '../guarded-change.ts';
import { RegistryError } from '../registry-error.ts';
import { changeRegistry } from './changes.ts';
import { checkHasNoDirectory } from './client-directories.ts';
import { changeClient, type ClientEvent, recordClientEvent } from './client-change.ts';
import { type ClientRecord, readClients } from './client-records.ts';
import type { ChangeContext, StoreContext } from './context.ts';
import { isCurrentKey, keyEndMs, type KeyRecord } from './key-state.ts';
import { algorithmToRegister } from './key-algorithm.ts';
import { insertKey, type OfferedKey, readKeyToRegister } from './keys.ts';
import { isSecondPersonRequired, requireSecondPerson } from './second-person.ts';

export interface NewKey {
  readonly publicKey: OfferedKey;
  /** The only algorithm that it is for. Default what the key says, or the usual one of its kind. */
  readonly algorithm?: string | undefined;
  readonly startsAtMs?: number | undefined;
  readonly endsAtMs?: number | undefined;
  /** The previous key verifies for this long after this one's first valid request. Default 72 hours. */
  readonly overlapMs?: number | undefined;
}

const dayMs = 86_400_000;
const overlapDefaultMs = keyTimes.overlapSecondsDefault * 1000;

/**
 * Adds a public key to a client. It verifies from now on (or from its start), alongside the client's existing key,
 * which starts to end at the new key's first valid request.
 *
 * @throws RegistryError like `changeClient`, and `key_refused`, `key_registered`, `keys_too_many`,
 *   `key_dates_invalid`, `keys_in_directory`, `key_not_for_profile`
 */
export async function addKey(
  database: Database,
  clientId: string,
  key: NewKey,
  context: StoreContext,
): Promise<ClientRecord> {
  const publicKey = readKeyToRegister(key.publicKey, context.keyPolicy);
  const { startsAtMs, endsAtMs, overlapMs = overlapDefaultMs } = key;
  if (endsAtMs !== undefined && endsAtMs <= Math.max(startsAtMs ?? 0, context.nowMs))
    throw datesInvalid("Choose an expiry in the future and after the key's start.");
  return changeClient(database, clientId, context, { widens: true }, async (transaction, client) => {
    checkHasNoDirectory(client.directory);
    const dates = { startsAtMs, endsAtMs, overlapMs };
    const { profile } = client;
    const wanted = { key: publicKey, said: key.algorithm, profile };
    const algorithm = algorithmToRegister(wanted, context.profileAlgorithms);
    const registered = { key: publicKey, algorithm };
    const added = await insertKey(transaction, client, registered, dates, context.nowMs);
    const { keyId, fingerprint, replacesKeyId } = added;
    const after = { fingerprint, status: 'pending', replacesKeyId, ...timesOf({ startsAtMs, endsAtMs }) };
    return [{ action: 'key.added', target: { type: 'key', id: keyId }, after }];
  });
}

export interface Retirement {
  /** Default in 72 hours. */
  readonly endsAtMs?: number | undefined;
  /** True if the client must keep another key that verifies now and isn't ending. */
  readonly keepsAnother?: boolean;
}

/**
 * Sets a key's end. If the key is already ending, its end can only move earlier; `extendKey` moves it later.
 *
 * @throws RegistryError like `changeClient`, and `key_unknown`, `key_ended`, `key_dates_invalid`, `key_is_last`,
 *   `keys_in_directory`
 */
export async function retireKey(
  database: Database,
  clientId: string,
  keyReference: string,
  { endsAtMs, keepsAnother = false }: Retirement,
  context: ChangeContext,
): Promise<ClientRecord> {
  const { nowMs } = context;
  const endMs = endsAtMs ?? nowMs + overlapDefaultMs;
  return changeClient(database, clientId, context, { widens: false }, async (transaction, client) => {
    checkHasNoDirectory(client.directory);
    const key = findCurrentKey(client, keyReference, nowMs);
    checkEnd(endMs, nowMs);
    const presentEndMs = keyEndMs(key, client.keyAgeDaysMax);
    if (presentEndMs !== undefined && endMs > presentEndMs) {
      if (endsAtMs !== undefined)
        throw datesInvalid(
          `The key expires at ${timestamp(presentEndMs)} : extend it to let it expire later.`,
        );
      if (key.status === 'retiring') return [];
    }
    if (keepsAnother) checkAnother(client, key, nowMs);
    const newEndMs = Math.min(endMs, presentEndMs ?? endMs);
    const { status } = key;
    if (!keepsAnother && newEndMs < nowMs + pendingChangeLimits.keyEndHours * 3_600_000)
      await guardKey(
        transaction,
        client,
        key,
        { status, ...timesOf(key) },
        { status: 'retiring', endsAt: timestamp(newEndMs) },
        context,
      );
    await transaction
      .updateTable('client_keys')
      .set({ status: 'retiring', ends_at_ms: newEndMs })
      .where('key_id', '=', key.keyId)
      .execute();
    return [endEvent('key.retiring', key, newEndMs)];
  });
}

/**
 * Postpones the end of an ending key.
 *
 * @throws RegistryError like `changeClient`, and `key_unknown`, `key_ended`, `key_dates_invalid`, `keys_in_directory`
 */
export async function extendKey(
  database: Database,
  clientId: string,
  keyReference: string,
  endsAtMs: number,
  context: ChangeContext,
): Promise<ClientRecord> {
  return changeClient(database, clientId, context, { widens: true }, async (transaction, client) => {
    checkHasNoDirectory(client.directory);
    const key = findCurrentKey(client, keyReference, context.nowMs);
    checkEnd(endsAtMs, context.nowMs);
    if (key.endsAtMs === undefined)
      throw datesInvalid('The key has no expiry to extend: retire it to set one.');
    if (endsAtMs < key.endsAtMs)
      throw datesInvalid(
        `The key expires at ${timestamp(key.endsAtMs)}: retire it to let it expire earlier.`,
      );
    if (endsAtMs > (client.expiresAtMs ?? Infinity))
      throw datesInvalid(
        `The client is temporary, and its keys expire with it at ${timestamp(client.expiresAtMs!)}.`,
      );
    if (endsAtMs === key.endsAtMs) return [];
    await transaction
      .updateTable('client_keys')
      .set({ ends_at_ms: endsAtMs })
      .where('key_id', '=', key.keyId)
      .execute();
    return [endEvent('key.extended', key, endsAtMs)];
  });
}

export interface Revocation {
  readonly reason: RevocationReason;
  /** True if the client must keep another key that verifies now and isn't ending. */
  readonly keepsAnother?: boolean;
}

/**
 * Revokes a client's key immediately and permanently. An already revoked key stays unchanged.
 *
 * @param keyReference the keyId or the fingerprint
 * @throws RegistryError like `changeClient`, and `key_unknown`, `key_is_last`
 */
export async function revokeKey(
  database: Database,
  clientId: string,
  keyReference: string,
  { reason, keepsAnother = false }: Revocation,
  context: ChangeContext,
): Promise<ClientRecord> {
  return changeClient(database, clientId, context, { widens: false }, async (transaction, client) => {
    const key = findKey(client, keyReference);
    if (key.status === 'revoked') return [];
    if (keepsAnother) checkAnother(client, key, context.nowMs);
    else
      await guardKey(
        transaction,
        client,
        key,
        { status: key.status },
        { status: 'revoked', reason },
        context,
      );
    await transaction
      .updateTable('client_keys')
      .set({ status: 'revoked', revoked_at_ms: context.nowMs, revocation_reason: reason })
      .where('key_id', '=', key.keyId)
      .execute();
    const { fingerprint, status, keyId } = key;
    return [
      {
        action: 'key.revoked',
        target: { type: 'key', id: keyId },
        before: { status },
        after: { status: 'revoked', fingerprint, reason },
      },
    ];
  });
}

/**
 * Records that a key has signed its first valid request, which starts the overlap after which the key it replaces
 * ends. Does nothing if this was recorded before, or if the client or key has changed since.
 */
export async function proveKey(
  database: Database,
  clientId: string,
  keyId: string,
  context: ChangeContext,
): Promise<void> {
  const { nowMs } = context;
  await changeRegistry(database, async (transaction) => {
    const [client] = await readClients(transaction, [clientId]);
    const key = client?.keys.find((one) => one.keyId === keyId);
    if (client === undefined || key?.status !== 'pending') return;
    if (!isCurrentKey(key, client.keyAgeDaysMax, nowMs)) return;
    await transaction
      .updateTable('client_keys')
      .set({ status: 'active', first_used_at_ms: nowMs })
      .where('key_id', '=', keyId)
      .execute();
    const { fingerprint } = key;
    const target = { type: 'key', id: keyId } as const;
    const proved: ClientEvent = {
      action: 'key.activated',
      target,
      before: { status: 'pending' },
      after: { status: 'active', fingerprint },
    };
    let version = await recordClientEvent(transaction, client, proved, context);
    const replaced = client.keys.find((one) => one.keyId === key.replacesKeyId);
    if (replaced !== undefined && isReplaceable(replaced, client, nowMs)) {
      const overlapMs = await overlapOf(transaction, client, key);
      const endMs = Math.min(nowMs + overlapMs, replaced.endsAtMs ?? Infinity);
      await transaction
        .updateTable('client_keys')
        .set({ status: 'retiring', ends_at_ms: endMs })
        .where('key_id', '=', replaced.keyId)
        .execute();
      version = await recordClientEvent(
        transaction,
        client,
        endEvent('key.retiring', replaced, endMs),
        context,
      );
    }
    await transaction
      .updateTable('clients')
      .set({ version, updated_at_ms: nowMs })
      .where('client_id', '=', clientId)
      .execute();
  });
}

/**
 * Returns how long the key that another one replaces still verifies. Where ending a key sooner would need a second person, the
 * overlap is no way around one.
 */
async function overlapOf(
  transaction: Transaction<Schema>,
  { accountId }: ClientRecord,
  { overlapMs = overlapDefaultMs }: KeyRecord,
): Promise<number> {
  if (!(await isSecondPersonRequired(transaction, accountId))) return overlapMs;
  return Math.max(overlapMs, pendingChangeLimits.keyEndHours * 3_600_000);
}

/** Records which keys have expired. They had already stopped verifying. */
export async function expireKeys(database: Database, limit: number, context: ChangeContext): Promise<number> {
  const { nowMs } = context;
  const due = await database
    .selectFrom('client_keys')
    .select(['key_id', 'client_id'])
    .where('ends_at_ms', '<=', nowMs)
    // A literal, not a parameter, so that the index of ending keys is used.
    .where(sql<boolean>`status in ('pending', 'active', 'retiring')`)
    .orderBy('ends_at_ms')
    .limit(limit)
    .execute();
  for (const { key_id: keyId, client_id: clientId } of due)
    await expireKey(database, clientId, keyId, context);
  return due.length;
}

/** Records that a key has expired. Does nothing if another node was faster, or if the key's end was postponed. */
export async function expireKey(
  database: Database,
  clientId: string,
  keyId: string,
  context: ChangeContext,
): Promise<void> {
  const { nowMs } = context;
  await changeRegistry(database, async (transaction) => {
    const [client] = await readClients(transaction, [clientId]);
    const key = client?.keys.find((one) => one.keyId === keyId);
    if (client === undefined || key === undefined || key.endsAtMs === undefined || key.endsAtMs > nowMs)
      return;
    if (key.status === 'expired' || key.status === 'revoked') return;
    await transaction
      .updateTable('client_keys')
      .set({ status: 'expired' })
      .where('key_id', '=', keyId)
      .execute();
    const event: ClientEvent = {
      action: 'key.expired',
      target: { type: 'key', id: keyId },
      before: { status: key.status },
      after: { status: 'expired', fingerprint: key.fingerprint },
    };
    const version = await recordClientEvent(transaction, client, event, context);
    await transaction
      .updateTable('clients')
      .set({ version, updated_at_ms: nowMs })
      .where('client_id', '=', clientId)
      .execute();
  });
}

function isReplaceable(key: KeyRecord, { keyAgeDaysMax }: ClientRecord, nowMs: number): boolean {
  return key.status !== 'retiring' && isCurrentKey(key, keyAgeDaysMax, nowMs);
}

/**
 * Has a change that ends a key for good wait for a second person. A client that may only rotate its own keys needs none: it
 * always keeps another key.
 */
async function guardKey(
  transaction: Transaction<Schema>,
  { clientId, accountId, name }: ClientRecord,
  { keyId }: KeyRecord,
  before: GuardedChange['before'],
  after: GuardedChange['after'],
  context: ChangeContext,
): Promise<void> {
  const target = { type: 'key', id: keyId, name, clientId } as const;
  await requireSecondPerson(transaction, { accountId, target, before, after }, context);
}

function findKey({ keys }: ClientRecord, keyReference: string): KeyRecord {
  const key = keys.find(({ keyId, fingerprint }) => keyId === keyReference || fingerprint === keyReference);
  if (key !== undefined) return key;
  throw new RegistryError(
    'key_unknown',
    'The client has no such key: specify its keyId or complete fingerprint.',
  );
}

function findCurrentKey(client: ClientRecord, keyReference: string, nowMs: number): KeyRecord {
  const key = findKey(client, keyReference);
  if (isCurrentKey(key, client.keyAgeDaysMax, nowMs)) return key;
  const ended = key.status === 'revoked' ? 'revoked' : 'expired';
  throw new RegistryError('key_ended', `The key is ${ended}, which is final: add a new key.`);
}

/** Throws `key_is_last` unless the client has another key that verifies now and isn't ending. */
function checkAnother(client: ClientRecord, than: KeyRecord, nowMs: number): void {
  const hasAnother = client.keys.some(
    (key) =>
      key.keyId !== than.keyId &&
      (key.startsAtMs ?? nowMs) <= nowMs &&
      isCurrentKey(key, client.keyAgeDaysMax, nowMs) &&
      key.endsAtMs === undefined,
  );
  if (hasAnother) return;
  throw new RegistryError(
    'key_is_last',
    'This is the only working key without an expiry: add the next key first, then retire this one.',
  );
}

function checkEnd(endsAtMs: number, nowMs: number): void {
  if (endsAtMs <= nowMs)
    throw datesInvalid('Choose an expiry in the future, or revoke the key to stop it immediately.');
  if (endsAtMs > nowMs + keyTimes.endDaysMax * dayMs)
    throw datesInvalid(`Choose an expiry within ${keyTimes.endDaysMax} days.`);
}

function datesInvalid(message: string): RegistryError {
  return new RegistryError('key_dates_invalid', message, { member: ['endsAt'] });
}

function endEvent(action: 'key.retiring' | 'key.extended', key: KeyRecord, endMs: number): ClientEvent {
  return {
    action,
    target: { type: 'key', id: key.keyId },
    before: { status: key.status, ...timesOf(key) },
    after: {
      status: action === 'key.retiring' ? 'retiring' : key.status,
      fingerprint: key.fingerprint,
      endsAt: timestamp(endMs),
    },
  };
}

function timesOf(key: Pick<NewKey, 'startsAtMs' | 'endsAtMs'>): { startsAt?: string; endsAt?: string } {
  return {
    ...(key.startsAtMs === undefined ? {} : { startsAt: timestamp(key.startsAtMs) }),
    ...(key.endsAtMs === undefined ? {} : { endsAt: timestamp(key.endsAtMs) }),
  };
}

function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
