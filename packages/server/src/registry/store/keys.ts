import { newId } from '@countersign/contract';
import {
  keyFingerprint,
  type PublicKeyPolicy,
  readPublicKey,
  type RsaPublicKey,
} from '@countersign/signature/node';
import type { Transaction } from 'kysely';
import type { KeyStatus, Schema } from '../../storage/schema.ts';
import { RegistryError } from '../registry-error.ts';

/** A registered public key. */
export interface KeyRecord {
  readonly keyId: string;
  readonly fingerprint: string;
  readonly modulusBits: number;
  readonly status: KeyStatus;
  readonly spkiPem: string;
  readonly createdAtMs: number;
  /** Not usable before; undefined for no limit. */
  readonly startsAtMs: number | undefined;
  /** Not usable from then on; undefined for no limit. */
  readonly endsAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
}

/** How many keys of a client can verify at a time: the old and the new one during a rollover. */
const usableKeysMax = 2;

/**
 * Reads a text that is offered as a public key.
 *
 * @throws RegistryError `key_refused`; its `reason` is the code of the signature package
 */
export function readOfferedKey(text: string, policy: PublicKeyPolicy): RsaPublicKey {
  const reading = readPublicKey(text, policy);
  if (!reading.ok) throw new RegistryError('key_refused', reading.message, reading.code);
  return reading.key;
}

/**
 * Registers a key for a client.
 *
 * @throws RegistryError `key_registered` when the account has it already, revoked or not; `keys_too_many`
 */
export async function insertKey(
  transaction: Transaction<Schema>,
  owner: { readonly accountId: string; readonly clientId: string },
  key: RsaPublicKey,
  nowMs: number,
): Promise<void> {
  const fingerprint = keyFingerprint(key);
  await checkNotRegistered(transaction, owner.accountId, fingerprint);
  if ((await countUsable(transaction, owner.clientId, nowMs)) >= usableKeysMax) {
    throw new RegistryError(
      'keys_too_many',
      `The client has ${usableKeysMax} usable keys already: revoke the one that is no longer used, then add the new one.`,
    );
  }
  await transaction
    .insertInto('client_keys')
    .values({
      key_id: newId('key', nowMs),
      client_id: owner.clientId,
      account_id: owner.accountId,
      spki_pem: key.spkiPem,
      fingerprint,
      modulus_bits: key.modulusBits,
      status: 'active',
      created_at_ms: nowMs,
      starts_at_ms: null,
      ends_at_ms: null,
      revoked_at_ms: null,
    })
    .execute();
}

async function checkNotRegistered(
  transaction: Transaction<Schema>,
  accountId: string,
  fingerprint: string,
): Promise<void> {
  const known = await transaction
    .selectFrom('client_keys')
    .select(['client_id', 'status'])
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst();
  if (known === undefined) return;
  throw new RegistryError(
    'key_registered',
    known.status === 'revoked'
      ? `This key was revoked for the client ${known.client_id}, and a revoked key never comes back: make a new key pair.`
      : `This key is registered for the client ${known.client_id} already: make a new key pair for every client.`,
  );
}

async function countUsable(
  transaction: Transaction<Schema>,
  clientId: string,
  nowMs: number,
): Promise<number> {
  const { count } = await transaction
    .selectFrom('client_keys')
    .select((column) => column.fn.countAll<number | bigint>().as('count'))
    .where('client_id', '=', clientId)
    .where('status', 'in', ['pending', 'active', 'retiring'])
    .where((column) => column.or([column('ends_at_ms', 'is', null), column('ends_at_ms', '>', nowMs)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}
