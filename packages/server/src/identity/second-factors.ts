import { randomInt } from 'node:crypto';
import type { Database } from '../storage/transaction.ts';
import type { Identity } from './identity.ts';
import { tokenHash } from './tokens.ts';

/** What a person has besides its password. */
export interface SecondFactors {
  readonly hasTotp: boolean;
  readonly passkeyCount: number;
  readonly recoveryCodesLeft: number;
}

/** What a person has besides its password. */
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

/** Whether a code of the person's authenticator app is right; then it, and what came before it, is used up. */
export async function useTotpCode(
  database: Database,
  identity: Identity,
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
  const step = await identity.totpStep(factor.secret, code, factor.last_used_step, nowMs);
  if (step === undefined) return false;
  // Of several who come with one code at once, one changes the row.
  const { numUpdatedRows } = await database
    .updateTable('person_second_factors')
    .set({ last_used_step: step })
    .where('user_id', '=', userId)
    .where('last_used_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Keeps the secret of an authenticator app, whose first code was right; the app before it, if any, ends. */
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

/** Ends the authenticator app of a person. Recovery codes stand in for a factor: without one they end too. */
export async function removeTotp(database: Database, userId: string): Promise<void> {
  await database.deleteFrom('person_second_factors').where('user_id', '=', userId).execute();
  await removeCodesWithoutFactor(database, userId);
}

/** Takes the recovery codes away from a person that has no second factor that they could stand in for. */
export async function removeCodesWithoutFactor(database: Database, userId: string): Promise<void> {
  const { hasTotp, passkeyCount } = await secondFactorsOf(database, userId);
  if (hasTotp || passkeyCount > 0) return;
  await database.deleteFrom('person_recovery_codes').where('user_id', '=', userId).execute();
}

/** Makes ten new recovery codes; those before them end. They are shown once: only hashes are kept. */
export async function newRecoveryCodes(database: Database, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
  await database.deleteFrom('person_recovery_codes').where('user_id', '=', userId).execute();
  await database
    .insertInto('person_recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_hash: tokenHash(canonicalCode(code)) })))
    .execute();
  return codes;
}

/** Whether a recovery code is right; then it is used up. */
export async function useRecoveryCode(database: Database, userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('person_recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', tokenHash(canonicalCode(code)))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

const recoveryCodeCount = 10;
/** Without letters and digits that look like others. 16 of them have 79 random bits. */
const recoveryAlphabet = '23456789abcdefghjkmnpqrstuvwxyz';

function newRecoveryCode(): string {
  const group = (): string =>
    Array.from({ length: 4 }, () => recoveryAlphabet.charAt(randomInt(recoveryAlphabet.length))).join('');
  return [group(), group(), group(), group()].join('-');
}

/** People leave out the hyphens, and write capitals. */
function canonicalCode(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, '');
}
