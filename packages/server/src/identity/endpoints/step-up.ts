import { type StepUpAnswer, stepUpMinutes } from '@countersign/contract';
import { z } from 'zod';
import { ProblemError } from '@countersign/gate';
import { type Endpoint, endpoint, ok, type PeopleParts, type PeopleRequest, sessionOf } from '../endpoint.ts';
import { findPerson } from '../persons.ts';
import { noteProof } from '../sessions.ts';
import { beginAttempt, isPasswordRight } from '../sign-in-attempts.ts';
import { codeSchema, givenPasswordSchema, recoveryCodeSchema } from '../texts.ts';
import { passkeyResponseSchema, provePasskey } from './passkey.ts';
import { isSecondFactor } from './sign-in.ts';

const proofSchema = z.union([
  z.strictObject({ password: givenPasswordSchema }),
  z.strictObject({ code: codeSchema }),
  z.strictObject({ recoveryCode: recoveryCodeSchema }),
  z.strictObject({ passkey: passkeyResponseSchema }),
]);

type Proof = z.infer<typeof proofSchema>;

/** A fresh proof within a session, before anything that matters. */
export const stepUpEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'step-up/options',
    needs: 'session',
    body: z.strictObject({}),
    answer: async (request, _input, { database, identity, addresses }) => {
      const { userId } = sessionOf(request);
      if (!addresses.arePasskeysPossible(request.baseUrl)) throw new ProblemError('not_found');
      const passkeys = await database
        .selectFrom('person_passkeys')
        .select('credential_id')
        .where('user_id', '=', userId)
        .execute();
      const { options, setCookie } = await (await identity()).beginPasskeyProof();
      request.setCookies.push(...setCookie);
      const allowCredentials = passkeys.map((row) => ({ type: 'public-key', id: row.credential_id }));
      return ok({ ...options, allowCredentials });
    },
  }),
  endpoint({
    method: 'POST',
    path: 'step-up',
    needs: 'session',
    body: proofSchema,
    answer: async (request, proof, parts) => {
      const { sessionId } = sessionOf(request);
      await prove(request, parts, proof);
      await noteProof(parts.database, sessionId, 'password' in proof ? 'password' : 'factor', request.nowMs);
      const provedUntil = new Date(request.nowMs + stepUpMinutes * 60_000).toISOString();
      return ok({ provedUntil } satisfies StepUpAnswer);
    },
  }),
];

async function prove(request: PeopleRequest, parts: PeopleParts, proof: Proof): Promise<void> {
  const { userId, email, hasSecondFactor, stepUpMethods } = sessionOf(request);
  if ('passkey' in proof) {
    await provePasskey(request, parts, proof.passkey, userId);
    return;
  }
  // Who has a second factor gives that: a password that somebody has found out would be enough otherwise.
  if ('password' in proof && hasSecondFactor)
    throw new ProblemError('step_up_required', { members: { methods: stepUpMethods } });
  const attempt = await beginAttempt(request, parts, { own: email });
  if ('password' in proof) {
    const person = await findPerson(parts.database, { userId });
    if (!(await isPasswordRight(attempt, proof.password, person?.passwordHash)))
      throw new ProblemError('credentials_invalid');
  } else if (!(await isSecondFactor(parts, userId, proof, request.nowMs))) {
    throw new ProblemError('second_factor_invalid');
  }
  await attempt.takeBack();
}
