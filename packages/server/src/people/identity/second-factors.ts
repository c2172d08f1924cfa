import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { TotpSecret } from '@countersign/contract';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { type Cipher, managedNonce } from '@noble/ciphers/utils.js';
import { Secret, TOTP } from 'otpauth';
import type { Database } from '../../storage/transaction.ts';
import { tokenHash } from './tokens.ts';

/** A person's means of proof, in addition to a password. */
export interface SecondFactors {
  readonly hasTotp: boolean;
  readonly passkeyCount: number;
  readonly recoveryCodesLeft: number;
}

export async function secondFactorsOf(database: Database, userId: string): Promise<SecondFactors> {
  const count = async (
    table: 'person_second_factors' | 'person_passkeys' | 'person_recovery_codes',
  ): Promise<number> => {
    const { rows } = await database
      .selectFrom(table)
      .where('user_id', '=', userId)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();
    return rows;
  };
  return {
    hasTotp: (await count('person_second_factors')) > 0,
    passkeyCount: await count('person_passkeys'),
    recoveryCodesLeft: await count('person_recovery_codes'),
  };
}

/** Returns true if the person signs in with an authenticator app or a passkey. Recovery codes alone don't count. */
export async function hasSecondFactor(database: Database, userId: string): Promise<boolean> {
  const { hasTotp, passkeyCount } = await secondFactorsOf(database, userId);
  return hasTotp || passkeyCount > 0;
}

/** SHA-1, six digits and 30 seconds (RFC 6238), because every authenticator app supports them. */
const totp = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** RFC 4226 section 4 recommends 160 bits. */
const totpSecretBytes = 24;

/** Creates an authenticator app's secret, to be stored encrypted and shown once. */
export function newTotpSecret(
  key: string,
  serviceName: string,
  email: string,
): TotpSecret & { readonly encrypted: string } {
  // The app's key consists of this text's bytes; it is also stored as text.
  const text = randomBytes(totpSecretBytes).toString('base64url');
  const secret = Secret.fromUTF8(text).base32;
  const { digits, period } = totp;
  const parameters = new URLSearchParams({
    secret,
    issuer: serviceName,
    digits: String(digits),
    period: String(period),
  });
  const label = `${encodeURIComponent(serviceName)}:${encodeURIComponent(email)}`;
  return {
    encrypted: Buffer.from(secretCipher(key).encrypt(Buffer.from(text))).toString('hex'),
    secret,
    otpauthUrl: `otpauth://totp/${label}?${parameters.toString()}`,
  };
}

/**
 * Returns the time step of an authenticator app's code; undefined if the code is wrong or not newer than the
 * last one used (RFC 6238 section 5.2). The steps before and after the current one are accepted too.
 */
export function totpStep(
  key: string,
  { encrypted, code, lastUsedStep }: { encrypted: string; code: string; lastUsedStep: number },
  nowMs: number,
): number | undefined {
  const text = decrypt(key, encrypted);
  if (text === undefined) return undefined;
  const delta = TOTP.validate({
    ...totp,
    token: code,
    secret: Secret.fromUTF8(text),
    timestamp: nowMs,
    window: 1,
  });
  if (delta === null) return undefined;
  const step = Math.floor(nowMs / (totp.period * 1000)) + delta;
  return step > lastUsedStep ? step : undefined;
}

/** XChaCha20-Poly1305 under the secret's SHA-256, with the nonce in front. */
function secretCipher(key: string): Cipher {
  return managedNonce(xchacha20poly1305)(createHash('sha256').update(key).digest());
}

/** Decrypts a stored secret; undefined if the service's secret has changed. Recovery codes still work then. */
function decrypt(key: string, encrypted: string): string | undefined {
  try {
    return Buffer.from(secretCipher(key).decrypt(Buffer.from(encrypted, 'hex'))).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Returns true if a code from the person's authenticator app is right. It and all earlier ones are then used up. */
export async function useTotpCode(
  database: Database,
  key: string,
  userId: string,
  code: string,
  nowMs: number,
): Promise<boolean> {
  const factor = await database
    .selectFrom('person_second_factors')
    .select(['secret', 'last_used_step'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (factor === undefined) return false;
  const given = { encrypted: factor.secret, code, lastUsedStep: factor.last_used_step };
  const step = totpStep(key, given, nowMs);
  if (step === undefined) return false;
  // Of several requests with the same code, only one changes the row.
  const { numUpdatedRows } = await database
    .updateTable('person_second_factors')
    .set({ last_used_step: step })
    .where('user_id', '=', userId)
    .where('last_used_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Stores a confirmed authenticator app, replacing the previous one. */
export async function keepTotp(
  database: Database,
  userId: string,
  secret: string,
  step: number,
  nowMs: number,
): Promise<void> {
  const values = { secret, created_at_ms: nowMs, last_used_step: step };
  await database
    .insertInto('person_second_factors')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute();
}

/** Removes the authenticator app, and the recovery codes if no other factor is left. */
export async function removeTotp(database: Database, userId: string): Promise<void> {
  await database.deleteFrom('person_second_factors').where('user_id', '=', userId).execute();
  await removeCodesWithoutFactor(database, userId);
}

/** Removes a person's recovery codes if no second factor is left for them to replace. */
export async function removeCodesWithoutFactor(database: Database, userId: string): Promise<void> {
  if (await hasSecondFactor(database, userId)) return;
  await database.deleteFrom('person_recovery_codes').where('user_id', '=', userId).execute();
}

/** Replaces a person's recovery codes and returns the new ones. Only their hashes are stored. */
export async function newRecoveryCodes(database: Database, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
  await database.deleteFrom('person_recovery_codes').where('user_id', '=', userId).execute();
  await database
    .insertInto('person_recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_hash: tokenHash(canonicalCode(code)) })))
    .execute();
  return codes;
}

/** Returns true if a recovery code is right. It is then used up. */
export async function useRecoveryCode(database: Database, userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('person_recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', tokenHash(canonicalCode(code)))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

const recoveryCodeCount = 10;
/** Excludes letters and digits that look alike. 16 characters have 79 random bits. */
const recoveryAlphabet = '23456789abcdefghjkmnpqrstuvwxyz';

function newRecoveryCode(): string {
  const group = (): string =>
    Array.from({ length: 4 }, () => recoveryAlphabet.charAt(randomInt(recoveryAlphabet.length))).join('');
  return [group(), group(), group(), group()].join('-');
}

/** Returns the form in which codes are compared: people omit the hyphens and type capitals. */
function canonicalCode(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, '');
}
