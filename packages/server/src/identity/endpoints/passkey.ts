import { z } from 'zod';
import { ProblemError } from '@countersign/gate';
import { passkeyCookie, readCookie, removeCookie } from '../cookies.ts';
import { type Endpoint, endpoint, nextStep, ok, type PeopleParts, type PeopleRequest } from '../endpoint.ts';
import { beginSession } from '../finish-sign-in.ts';
import { removeExpired } from '../one-time.ts';
import { findPerson, type PersonRecord } from '../persons.ts';
import { beginAttempt } from '../sign-in-attempts.ts';

/** What a browser gives for a passkey; what is in it, the ceremony looks at. */
export const passkeyResponseSchema: z.ZodType<Record<string, unknown>> = z.record(z.string(), z.unknown(), {
  error: 'Send what the browser has given for the passkey.',
});

/** Sign-in by a passkey alone: it is something that the person has, unlocked by what it is or knows. */
export const passkeyEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'passkey/options',
    needs: 'nothing',
    body: z.strictObject({}),
    answer: async ({ setCookies, baseUrl, nowMs }, _input, { database, identity, addresses }) => {
      if (!addresses.arePasskeysPossible(baseUrl)) throw new ProblemError('not_found');
      await removeExpired(database, nowMs);
      const { options, setCookie } = await (await identity()).beginPasskeyProof();
      setCookies.push(...setCookie);
      return ok(options);
    },
  }),
  endpoint({
    method: 'POST',
    path: 'passkey/sign-in',
    needs: 'nothing',
    body: z.strictObject({ response: passkeyResponseSchema }),
    answer: async (request, { response }, parts) => {
      const person = await provePasskey(request, parts, response);
      await beginSession(request, parts, person, 'factor');
      return nextStep('portal');
    },
  }),
];

/**
 * Whose passkey has answered the challenge of this browser, as that person was before the proof was looked at.
 *
 * @param owner the only person whose passkey counts; anybody's unless given
 * @throws ProblemError `second_factor_invalid`, `too_many_attempts`
 */
export async function provePasskey(
  request: PeopleRequest,
  parts: PeopleParts,
  response: Record<string, unknown>,
  owner?: string,
): Promise<PersonRecord> {
  // A passkey cannot be guessed; but each try costs, so the address is counted.
  const attempt = await beginAttempt(request, parts, undefined);
  const challenge = readCookie(request.request.headers.cookie, passkeyCookie);
  request.setCookies.push(removeCookie(passkeyCookie));
  const person = await ownerOf(parts, response);
  if (challenge === undefined || person === undefined || (owner !== undefined && person.userId !== owner))
    throw new ProblemError('second_factor_invalid');
  const proof = await (await parts.identity()).finishPasskeyProof(response, challenge);
  if (proof?.userId !== person.userId) throw new ProblemError('second_factor_invalid');
  await attempt.takeBack();
  await parts.database
    .updateTable('person_passkeys')
    .set({ last_used_at_ms: request.nowMs })
    .where('credential_id', '=', proof.credentialId)
    .execute();
  return person;
}

/** Whose passkey it is. Looked at before the ceremony: somebody else's is not to count as used. */
async function ownerOf(
  { database }: PeopleParts,
  { id }: Record<string, unknown>,
): Promise<PersonRecord | undefined> {
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,1400}$/.test(id)) return undefined;
  const row = await database
    .selectFrom('person_passkeys')
    .select('user_id')
    .where('credential_id', '=', id)
    .executeTakeFirst();
  return row && findPerson(database, { userId: row.user_id });
}
