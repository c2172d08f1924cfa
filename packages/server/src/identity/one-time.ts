import { newId } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';
import { newToken, tokenHash } from './tokens.ts';

/** What a stored value is for. It is part of the key, so that a token works for one purpose only. */
export type OneTimePurpose =
  | 'sign-in'
  | 'password-reset'
  | 'identity-provider'
  | 'totp'
  | 'passkey-registration'
  | 'passkey-proof';

/** Stores a value for whoever returns with the token, and returns the token. Only its hash is stored. */
export async function keepOnce(
  database: Database,
  purpose: OneTimePurpose,
  value: string,
  times: { readonly nowMs: number; readonly expiresAtMs: number },
): Promise<string> {
  const token = newToken();
  await insert(database, identifierOf(purpose, token), value, times);
  await removeExpired(database, times.nowMs);
  return token;
}

/** Stores a value under a known name, such as a person's ID, in place of the previous one. */
export async function keepFor(
  database: Database,
  purpose: OneTimePurpose,
  name: string,
  value: string,
  times: { readonly nowMs: number; readonly expiresAtMs: number },
): Promise<void> {
  await forgetFor(database, purpose, name);
  await insert(database, identifierOf(purpose, name), value, times);
}

export async function forgetFor(database: Database, purpose: OneTimePurpose, name: string): Promise<void> {
  await database
    .deleteFrom('person_verifications')
    .where('identifier', '=', identifierOf(purpose, name))
    .execute();
}

/** Reads a value without using it up; undefined when there is none or it has expired. */
export async function readOnce(
  database: Database,
  purpose: OneTimePurpose,
  token: string,
  nowMs: number,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('person_verifications')
    .select('value')
    .where('identifier', '=', identifierOf(purpose, token))
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  return row?.value;
}

/** Takes a value. Of several simultaneous requests with the same token, one gets it. */
export async function takeOnce(
  database: Database,
  purpose: OneTimePurpose,
  token: string,
  nowMs: number,
): Promise<string | undefined> {
  const row = await database
    .deleteFrom('person_verifications')
    .where('identifier', '=', identifierOf(purpose, token))
    .where('expires_at_ms', '>', nowMs)
    .returning('value')
    .executeTakeFirst();
  return row?.value;
}

/** Deletes everything that was stored with this value for one purpose. */
export async function forgetValue(database: Database, purpose: OneTimePurpose, value: string): Promise<void> {
  await database
    .deleteFrom('person_verifications')
    .where('identifier', 'like', `${purpose}:%`)
    .where('value', '=', value)
    .execute();
}

function insert(
  database: Database,
  identifier: string,
  value: string,
  { nowMs, expiresAtMs }: { readonly nowMs: number; readonly expiresAtMs: number },
): Promise<unknown> {
  return database
    .insertInto('person_verifications')
    .values({
      verification_id: newId('verification', nowMs),
      identifier,
      value,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
    })
    .execute();
}

function identifierOf(purpose: OneTimePurpose, token: string): string {
  return `${purpose}:${tokenHash(token)}`;
}

/** Deletes what nobody came back for. */
async function removeExpired(database: Database, nowMs: number): Promise<void> {
  await database.deleteFrom('person_verifications').where('expires_at_ms', '<=', nowMs).execute();
}
