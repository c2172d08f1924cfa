import { newId } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransportFuture,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { Database } from '../../storage/transaction.ts';
import { attempt } from './attempts.ts';
import { passkeyCookie } from './cookies.ts';
import type { Call, SignedInCall } from './endpoint.ts';
import type { GuessSubject } from './guess-limit.ts';
import { keepOnce, oneTimeMinutes, takeOnce } from './one-time.ts';
import { findPerson, type PersonRecord } from './persons.ts';
import type { PortalAddresses } from './portal-addresses.ts';

/* The WebAuthn library is slow to load and most requests don't need it, so each ceremony imports it. */

/** A browser's response to a passkey prompt. Only the WebAuthn library interprets it. */
export type PasskeyResponse = Readonly<Record<string, unknown>>;

export const passkeyResponseSchema: z.ZodType<PasskeyResponse> = z.record(z.string(), z.unknown(), {
  error: 'Send what the browser returned for the passkey.',
});

const userVerification = 'required';

/** @throws ProblemError `not_found` if pages at this base URL can't use passkeys */
export function requirePasskeysPossible({ baseUrl, addresses }: Call): void {
  if (!addresses.arePasskeysPossible(baseUrl)) throw new ProblemError('not_found');
}

/** Starts registering a passkey (WebAuthn section 7.1) and sets the cookie that ties the challenge to this browser. */
export async function beginRegistration(call: SignedInCall): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const { userId, email } = call.session;
  const options = await generateRegistrationOptions({
    rpName: call.serviceName,
    rpID: relyingPartyOf(call.addresses).expectedRPID,
    userName: email,
    userDisplayName: email,
    attestationType: 'none',
    excludeCredentials: await passkeysOf(call.database, userId),
    authenticatorSelection: { residentKey: 'required', userVerification },
  });
  await keepChallenge(call, 'passkey-registration', `${userId} ${options.challenge}`);
  return options;
}

/**
 * Verifies and stores a new passkey and returns its ID; undefined if the response doesn't match a challenge
 * that this person was given.
 *
 * @param transaction holds the person
 * @param token the challenge cookie's value
 */
export async function finishRegistration(
  transaction: Database,
  { session: { userId }, addresses, nowMs }: SignedInCall,
  token: string,
  { name, response }: { readonly name: string; readonly response: PasskeyResponse },
): Promise<string | undefined> {
  const kept = await takeOnce(transaction, 'passkey-registration', token, nowMs);
  const [owner, expectedChallenge] = kept?.split(' ') ?? [];
  if (expectedChallenge === undefined || owner !== userId) return undefined;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge,
    ...relyingPartyOf(addresses),
    requireUserVerification: true,
  }).catch(asInvalidProof);
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

/** Starts a proof by passkey (WebAuthn section 7.2). The browser offers every passkey it has for this service. */
export async function beginProof(call: Call): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const rpID = relyingPartyOf(call.addresses).expectedRPID;
  const options = await generateAuthenticationOptions({ rpID, userVerification });
  await keepChallenge(call, 'passkey-proof', options.challenge);
  return options;
}

/** Starts a proof like `beginProof`, but the browser offers only the signed-in person's passkeys. */
export async function beginOwnProof(call: SignedInCall): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const passkeys = await passkeysOf(call.database, call.session.userId);
  const allowCredentials = passkeys.map(({ id }) => ({ type: 'public-key', id }) as const);
  return { ...(await beginProof(call)), allowCredentials };
}

/**
 * Returns the owner of the passkey that responded to this browser's challenge, as stored before the proof was
 * checked.
 *
 * @param ownerId rejects all other people's passkeys
 * @throws ProblemError `second_factor_invalid`, `too_many_attempts`
 */
export async function provePasskey(
  call: Call,
  response: PasskeyResponse,
  ownerId?: string,
): Promise<PersonRecord> {
  const { database, cookies, nowMs, addresses } = call;
  // A passkey can't be guessed, but every attempt costs CPU time, so it counts: for the person of a session, or
  // for the address.
  const subject: GuessSubject =
    ownerId !== undefined && call.session?.userId === ownerId
      ? { kind: 'proof', email: call.session.email }
      : { kind: 'passkey-from', address: call.source.address };
  return attempt(call, subject, async () => {
    const token = cookies.read(passkeyCookie);
    cookies.remove(passkeyCookie);
    const passkey = await findPasskey(database, response);
    const person = passkey && (await findPerson(database, { userId: passkey.user_id }));
    // Checked before the ceremony, so that another person's passkey doesn't count as used.
    const isOwner = ownerId === undefined || person?.userId === ownerId;
    if (token === undefined || passkey === undefined || person === undefined || !isOwner)
      throw new ProblemError('second_factor_invalid');
    const challenge = await takeOnce(database, 'passkey-proof', token, nowMs);
    const counter = challenge && (await verifyProof(addresses, passkey, response, challenge));
    if (typeof counter !== 'number') throw new ProblemError('second_factor_invalid');
    await database
      .updateTable('person_passkeys')
      .set({ counter, last_used_at_ms: nowMs })
      .where('credential_id', '=', passkey.credential_id)
      .execute();
    return person;
  });
}

/** Returns the authenticator's new signature counter; undefined if the proof is invalid. */
async function verifyProof(
  addresses: PortalAddresses,
  { credential_id: id, public_key: publicKey, counter }: StoredPasskey,
  response: PasskeyResponse,
  expectedChallenge: string,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge,
    ...relyingPartyOf(addresses),
    credential: { id, publicKey: Buffer.from(publicKey, 'base64'), counter },
    // A passkey replaces both factors only if its owner gave a fingerprint, a face or a PIN.
    requireUserVerification: true,
  }).catch(asInvalidProof);
  return verified?.verified === true ? verified.authenticationInfo.newCounter : undefined;
}

/**
 * Treats any exception as an invalid proof: the library throws for everything invalid, and the response can be
 * any JSON.
 */
function asInvalidProof(): undefined {
  return undefined;
}

function relyingPartyOf({ baseUrl, passkeyOrigins }: PortalAddresses): {
  readonly expectedOrigin: string[];
  readonly expectedRPID: string;
} {
  return { expectedOrigin: [...passkeyOrigins], expectedRPID: new URL(baseUrl).hostname };
}

async function keepChallenge(
  { cookies, database, nowMs }: Call,
  purpose: 'passkey-registration' | 'passkey-proof',
  value: string,
): Promise<void> {
  const token = await keepOnce(database, purpose, value, nowMs);
  cookies.set(passkeyCookie, token, oneTimeMinutes[purpose] * 60);
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

async function passkeysOf(
  database: Database,
  userId: string,
): Promise<{ id: string; transports?: AuthenticatorTransportFuture[] }[]> {
  const rows = await database
    .selectFrom('person_passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ credential_id: id, transports }) => ({
    id,
    ...(transports && { transports: transports.split(',') as AuthenticatorTransportFuture[] }),
  }));
}
