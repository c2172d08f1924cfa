import { type StepUpAnswer, stepUpMinutes } from '@countersign/contract';
import { z } from 'zod';
import { ProblemError } from '@countersign/gate';
import { attempt } from '../attempts.ts';
import { codeSchema, givenPasswordSchema, recoveryCodeSchema } from '../body-schemas.ts';
import {
  emptyBody,
  type Endpoint,
  endpoint,
  ok,
  type PeopleParts,
  type PeopleRequest,
  sessionOf,
} from '../endpoint.ts';
import { beginProof, passkeyResponseSchema, provePasskey, requirePasskeysPossible } from '../passkeys.ts';
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

/** Fresh proofs within a session, required before anything sensitive. */
export const stepUpEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'step-up/options',
    needs: 'session',
    body: emptyBody,
    answer: async (request, _input, parts) => {
      requirePasskeysPossible(request, parts);
      return ok(await beginProof(request, parts, sessionOf(request).userId));
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
  // With a second factor, a stolen password must not be enough.
  if ('password' in proof && hasSecondFactor)
    throw new ProblemError('step_up_required', { members: { methods: stepUpMethods } });
  await attempt(request, parts, { kind: 'proof', email }, async () => {
    if (!('password' in proof)) return proveSecondFactor(parts, userId, proof, request.nowMs);
    const person = await findPerson(parts.database, { userId });
    if (!(await parts.passwords.verify(proof.password, person?.passwordHash)))
      throw new ProblemError('credentials_invalid');
  });
}
