import { newId } from '@countersign/contract';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransportFuture,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { Database } from '../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
import { passkeyCookie } from './cookies.ts';
import type { PeopleParts, PeopleRequest } from './endpoint.ts';
import { keepOnce, takeOnce } from './one-time.ts';
import { findPerson, type PersonRecord } from './persons.ts';
import { attempt } from './attempts.ts';

/** What a browser returns from a passkey prompt. Only the ceremony looks inside. */
export type PasskeyResponse = Readonly<Record<string, unknown>>;

export const passkeyResponseSchema: z.ZodType<PasskeyResponse> = z.record(z.string(), z.unknown(), {
  error: 'Send what the browser has given for the passkey.',
});

/* The WebAuthn library is slow to load and most requests don't need it, so each ceremony imports it. */

/** How long a browser may take to answer a challenge. */
const challengeMinutes = 5;
const userVerification = 'required';

/** Starts registering a passkey (WebAuthn section 7.1) and sets the cookie that ties the challenge to this browser. */
export async function beginRegistration(
  request: PeopleRequest,
  parts: PeopleParts,
  { userId, email }: Pick<PersonRecord, 'userId' | 'email'>,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const known = await passkeysOf(parts.database, userId);
  const options = await generateRegistrationOptions({
    rpName: parts.serviceName,
    rpID: relyingPartyId(parts),
    userName: email,
    userDisplayName: email,
    attestationType: 'none',
    excludeCredentials: known.map((row) => ({
      id: row.credential_id,
      ...(row.transports && { transports: row.transports.split(',') as AuthenticatorTransportFuture[] }),
    })),
    authenticatorSelection: { residentKey: 'required', userVerification },
  });
  await keepChallenge(request, parts.database, 'passkey-registration', `${userId} ${options.challenge}`);
  return options;
}

/**
 * Verifies and stores a new passkey. Call it in a transaction that holds the person.
 *
 * @param token the challenge cookie's value
 * @returns the passkey's ID; undefined when the response doesn't match a challenge this person was given
 */
export async function finishRegistration(
  transaction: Database,
  { addresses }: PeopleParts,
  { userId, name, nowMs, token }: NewPasskey,
  response: PasskeyResponse,
): Promise<string | undefined> {
  const kept = await takeOnce(transaction, 'passkey-registration', token, nowMs);
  const [owner, expectedChallenge] = kept?.split(' ') ?? [];
  if (expectedChallenge === undefined || owner !== userId) return undefined;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge,
    expectedOrigin: [...addresses.passkeyOrigins],
    expectedRPID: new URL(addresses.baseUrl).hostname,
    requireUserVerification: true,
  }).catch(refuseHostile);
  if (verified?.verified !== true) return undefined;
  const { credential, aaguid, credentialDeviceType, credentialBackedUp } = verified.registrationInfo;
  const passkeyId = newId('passkey', nowMs);
  await transaction
    .insertInto('person_passkeys')
    .values({
      passkey_id: passkeyId,
      user_id: userId,
      name,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64'),
      counter: credential.counter,
      device_type: credentialDeviceType,
      is_backed_up: credentialBackedUp ? 1 : 0,
      transports: credential.transports?.join(',') ?? '',
      aaguid,
      created_at_ms: nowMs,
      last_used_at_ms: null,
    })
    .execute();
  return passkeyId;
}

interface NewPasskey {
  readonly userId: string;
  readonly name: string;
  readonly nowMs: number;
  readonly token: string;
}

/**
 * Starts a proof by passkey (WebAuthn section 7.2).
 *
 * @param ownerId limits the prompt to this person's passkeys; without it, the browser offers every passkey it has
 */
export async function beginProof(
  request: PeopleRequest,
  parts: PeopleParts,
  ownerId?: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const known = ownerId === undefined ? undefined : await passkeysOf(parts.database, ownerId);
  const options = await generateAuthenticationOptions({
    rpID: relyingPartyId(parts),
    userVerification,
    ...(known && { allowCredentials: known.map((row) => ({ id: row.credential_id })) }),
  });
  await keepChallenge(request, parts.database, 'passkey-proof', options.challenge);
  return options;
}

/**
 * Returns the owner of the passkey that answered this browser's challenge, as stored before the proof was checked.
 *
 * @param ownerId rejects everybody else's passkeys
 * @throws ProblemError `second_factor_invalid`, `too_many_attempts`
 */
export async function provePasskey(
  request: PeopleRequest,
  parts: PeopleParts,
  response: PasskeyResponse,
  ownerId?: string,
): Promise<PersonRecord> {
  const { database } = parts;
  const { cookies, nowMs } = request;
  // Nobody guesses a passkey, but every try costs CPU time, so it counts against the address.
  return attempt(request, parts, undefined, async () => {
    const token = cookies.read(passkeyCookie);
    cookies.remove(passkeyCookie);
    const passkey = await findPasskey(database, response);
    const person = passkey && (await findPerson(database, { userId: passkey.user_id }));
    // Checked before the ceremony, so that somebody else's passkey doesn't count as used.
    const isOwner = ownerId === undefined || person?.userId === ownerId;
    if (token === undefined || passkey === undefined || person === undefined || !isOwner)
      throw new ProblemError('second_factor_invalid');
    const expectedChallenge = await takeOnce(database, 'passkey-proof', token, nowMs);
    const counter = expectedChallenge && (await verifyProof(parts, passkey, response, expectedChallenge));
    if (typeof counter !== 'number') throw new ProblemError('second_factor_invalid');
    await database
      .updateTable('person_passkeys')
      .set({ counter, last_used_at_ms: nowMs })
      .where('credential_id', '=', passkey.credential_id)
      .execute();
    return person;
  });
}

/** Returns the authenticator's new signature counter; undefined when the proof is invalid. */
async function verifyProof(
  { addresses }: PeopleParts,
  passkey: StoredPasskey,
  response: PasskeyResponse,
  expectedChallenge: string,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge,
    expectedOrigin: [...addresses.passkeyOrigins],
    expectedRPID: new URL(addresses.baseUrl).hostname,
    credential: {
      id: passkey.credential_id,
      publicKey: Buffer.from(passkey.public_key, 'base64'),
      counter: passkey.counter,
    },
    // A passkey replaces both factors only if its owner gave a fingerprint, a face or a PIN.
    requireUserVerification: true,
  }).catch(refuseHostile);
  return verified?.verified === true ? verified.authenticationInfo.newCounter : undefined;
}

/** The library throws for anything invalid, and the response can be any JSON at all. */
function refuseHostile(): undefined {
  return undefined;
}

/** @throws ProblemError `not_found` when this base URL cannot have passkeys */
export function requirePasskeysPossible({ baseUrl }: PeopleRequest, { addresses }: PeopleParts): void {
  if (!addresses.arePasskeysPossible(baseUrl)) throw new ProblemError('not_found');
}

function relyingPartyId({ addresses }: PeopleParts): string {
  return new URL(addresses.baseUrl).hostname;
}

async function keepChallenge(
  { cookies, nowMs }: PeopleRequest,
  database: Database,
  purpose: 'passkey-registration' | 'passkey-proof',
  value: string,
): Promise<void> {
  const expiresAtMs = nowMs + challengeMinutes * 60_000;
  const token = await keepOnce(database, purpose, value, { nowMs, expiresAtMs });
  cookies.set(passkeyCookie, token, challengeMinutes * 60);
}

interface StoredPasskey {
  readonly user_id: string;
  readonly credential_id: string;
  readonly public_key: string;
  readonly counter: number;
}

async function findPasskey(database: Database, { id }: PasskeyResponse): Promise<StoredPasskey | undefined> {
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,1400}$/.test(id)) return undefined;
  return database
    .selectFrom('person_passkeys')
    .select(['user_id', 'credential_id', 'public_key', 'counter'])
    .where('credential_id', '=', id)
    .executeTakeFirst();
}

function passkeysOf(
  database: Database,
  userId: string,
): Promise<{ readonly credential_id: string; readonly transports: string | null }[]> {
  return database
    .selectFrom('person_passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userId)
    .execute();
}
