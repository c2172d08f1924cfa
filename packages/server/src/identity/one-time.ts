import { newId } from '@countersign/contract';
import type { Database } from '../storage/transaction.ts';
import { newToken, tokenHash } from './tokens.ts';

/** What can be begun, and ended once with the token that was given out. */
export type OneTimePurpose = 'sign-in' | 'password-reset' | 'identity-provider' | 'totp';

/**
 * Keeps something for whoever comes back with the token. Of the token only a hash is kept.
 *
 * @returns the token
 */
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

/** Keeps something under a name that is known: the person that it belongs to. What was kept so before is replaced. */
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

/** Takes away what is kept under a name. */
export async function forgetFor(database: Database, purpose: OneTimePurpose, name: string): Promise<void> {
  await database
    .deleteFrom('person_verifications')
    .where('identifier', '=', identifierOf(purpose, name))
    .execute();
}

/** What was kept for a token, left where it is; undefined when there is nothing, or its time is over. */
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

/** Takes what was kept for a token: of several who come with it at once, one gets it. */
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

/** Takes away everything of a purpose that was kept with this value. */
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

/** Purposes are part of what is looked for, so that no token opens what another one is for. */
function identifierOf(purpose: OneTimePurpose, token: string): string {
  return `${purpose}:${tokenHash(token)}`;
}

/** Takes away what nobody has come back for. */
export async function removeExpired(database: Database, nowMs: number): Promise<void> {
  await database.deleteFrom('person_verifications').where('expires_at_ms', '<=', nowMs).execute();
}
