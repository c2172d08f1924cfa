import { z } from 'zod';
import { emptyBody, type Endpoint, endpoint, nextStep, ok } from '../endpoint.ts';
import { beginSession } from '../finish-sign-in.ts';
import { beginProof, passkeyResponseSchema, provePasskey, requirePasskeysPossible } from '../passkeys.ts';

/** Sign-in with a passkey alone: something the person has, unlocked by something they are or know. */
export const passkeyEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'passkey/options',
    needs: 'nothing',
    body: emptyBody,
    answer: async (request, _input, parts) => {
      requirePasskeysPossible(request, parts);
      return ok(await beginProof(request, parts));
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
