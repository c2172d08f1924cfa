import { type StepUpAnswer, stepUpMinutes } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import { z } from 'zod';
import { attempt } from '../attempts.ts';
import { codeSchema, givenPasswordSchema, recoveryCodeSchema } from '../body-schemas.ts';
import { emptyBody, type Endpoint, endpoint, ok, type SignedInCall } from '../endpoint.ts';
import { beginOwnProof, passkeyResponseSchema, provePasskey, requirePasskeysPossible } from '../passkeys.ts';
import { findPerson } from '../persons.ts';
import { noteProof } from '../sessions.ts';
import { proveSecondFactor } from './sign-in.ts';

const proofSchema = z.union([
  z.strictObject({ password: givenPasswordSchema }),
  z.strictObject({ code: codeSchema }),
  z.strictObject({ recoveryCode: recoveryCodeSchema }),
  z.strictObject({ passkey: passkeyResponseSchema }),
]);

type Proof = z.infer<typeof proofSchema>;

/** The endpoints for fresh proofs within a session, required before sensitive actions. */
export const stepUpEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'step-up/options',
    needs: 'session',
    body: emptyBody,
    answer: async (call) => {
      requirePasskeysPossible(call);
      return ok(await beginOwnProof(call));
    },
  }),
  endpoint({
    method: 'POST',
    path: 'step-up',
    needs: 'session',
    body: proofSchema,
    answer: async (call, proof) => {
      await prove(call, proof);
      const factor = 'password' in proof ? 'password' : 'factor';
      await noteProof(call.database, call.session.sessionId, factor, call.nowMs);
      const provedUntil = new Date(call.nowMs + stepUpMinutes * 60_000).toISOString();
      return ok({ provedUntil } satisfies StepUpAnswer);
    },
  }),
];

async function prove(call: SignedInCall, proof: Proof): Promise<void> {
  const { userId, email, hasSecondFactor, stepUpMethods } = call.session;
  if ('passkey' in proof) {
    await provePasskey(call, proof.passkey, userId);
    return;
  }
  // If the person has a second factor, a stolen password must not be enough.
  if ('password' in proof && hasSecondFactor)
    throw new ProblemError('step_up_required', { members: { methods: stepUpMethods } });
  await attempt(call, { kind: 'proof', email }, async () => {
    if (!('password' in proof)) return proveSecondFactor(call, userId, proof);
    const person = await findPerson(call.database, { userId });
    if (!(await call.passwords.verify(proof.password, person?.passwordHash)))
      throw new ProblemError('credentials_invalid');
  });
}
