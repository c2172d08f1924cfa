import { newId, passwordResetMinutes } from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import { newToken, tokenHash } from './tokens.ts';

/** The purposes of stored values, each with its lifetime in minutes. */
export const oneTimeMinutes = {
  /** A sign-in that waits for its second factor. */
  'sign-in': 10,
  'password-reset': passwordResetMinutes,
  'identity-provider': 10,
  /** A new authenticator app's secret that waits for its first code. */
  totp: 30,
  'passkey-registration': 5,
  'passkey-proof': 5,
} as const;

/** Part of the stored key, so that a token works for one purpose only. */
export type OneTimePurpose = keyof typeof oneTimeMinutes;

/** Stores a value for the holder of a token, and returns the token. Only its hash is stored. */
export async function keepOnce(
  database: Database,
  purpose: OneTimePurpose,
  value: string,
  nowMs: number,
): Promise<string> {
  const token = newToken();
  await insert(database, purpose, token, value, nowMs);
  await database.deleteFrom('person_verifications').where('expires_at_ms', '<=', nowMs).execute();
  return token;
}

/** Stores a value under a known name, such as a person's ID, replacing the previous one. */
export async function keepFor(
  database: Database,
  purpose: OneTimePurpose,
  name: string,
  value: string,
  nowMs: number,
): Promise<void> {
  await forgetFor(database, purpose, name);
  await insert(database, purpose, name, value, nowMs);
}

export async function forgetFor(database: Database, purpose: OneTimePurpose, name: string): Promise<void> {
  await database
    .deleteFrom('person_verifications')
    .where('identifier', '=', identifierOf(purpose, name))
    .execute();
}

/** Reads a value without using it up; undefined if there is none or it has expired. */
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

/** Takes a value. Of several simultaneous requests with the same token, only one gets it. */
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

async function insert(
  database: Database,
  purpose: OneTimePurpose,
  token: string,
  value: string,
  nowMs: number,
): Promise<void> {
  await database
    .insertInto('person_verifications')
    .values({
      verification_id: newId('verification', nowMs),
      identifier: identifierOf(purpose, token),
      value,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
      expires_at_ms: nowMs + oneTimeMinutes[purpose] * 60_000,
    })
    .execute();
}

function identifierOf(purpose: OneTimePurpose, token: string): string {
  return `${purpose}:${tokenHash(token)}`;
}
