import type { Transaction } from 'kysely';
import { z } from 'zod';
import { addAccount, changeRegistry, listAccounts } from '../../registry/store.ts';
import type { Schema } from '../../storage/schema.ts';
import { ProblemError } from '@countersign/gate';
import { type Endpoint, endpoint, nextStep, ok, type PeopleParts, type PeopleRequest } from '../endpoint.ts';
import { beginSession } from '../finish-sign-in.ts';
import { joinAccount } from '../joining.ts';
import { hashNewPassword } from '../new-password.ts';
import { canonicalEmail, isAnybodyThere } from '../persons.ts';
import { isSetUpLink } from '../set-up-links.ts';
import { beginAttempt } from '../sign-in-attempts.ts';
import { emailSchema, givenPasswordSchema, personNameSchema, tokenSchema } from '../texts.ts';
import { tokenHash } from '../tokens.ts';

/** The first person, who has the link from the console of the service. */
export const setUpEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'set-up/check',
    needs: 'nothing',
    body: z.strictObject({ token: tokenSchema }),
    answer: async (request, { token }, parts) => {
      await checkLink(request, parts, token);
      return ok({ serviceName: parts.serviceName });
    },
  }),
  endpoint({
    method: 'POST',
    path: 'set-up',
    needs: 'nothing',
    body: z.strictObject({
      token: tokenSchema,
      name: personNameSchema,
      email: emailSchema,
      password: givenPasswordSchema,
    }),
    answer: async (request, { token, name, email: given, password }, parts) => {
      await checkLink(request, parts, token);
      const email = canonicalEmail(given);
      const { serviceName, database } = parts;
      const passwordHash = await hashNewPassword(password, { name, email, serviceName });
      const identity = await parts.identity();
      const userId = await changeRegistry(database, async (transaction) => {
        await useLink(transaction, token);
        // Whoever has the console may have typed the address of somebody else.
        const person = { name, email, passwordHash, isEmailVerified: false };
        const first = await identity.addPerson(transaction, person, request.nowMs);
        const accountId = await operatorAccount(transaction, request, { userId: first, name });
        await joinAccount(transaction, { userId: first, name, email }, accountId, 'operator', request);
        return first;
      });
      await beginSession(request, parts, { userId, email, passwordHash }, 'password');
      return nextStep('portal');
    },
  }),
];

async function checkLink(request: PeopleRequest, parts: PeopleParts, token: string): Promise<void> {
  const attempt = await beginAttempt(request, parts, undefined);
  if (!(await isSetUpLink(parts.database, token))) throw new ProblemError('link_invalid');
  await attempt.takeBack();
}

/** Of several who use links at once, one is the first person: changes of the registry are made one after the other. */
async function useLink(transaction: Transaction<Schema>, token: string): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('set_up_links')
    .where('token_hash', '=', tokenHash(token))
    .executeTakeFirst();
  if (numDeletedRows === 0n || (await isAnybodyThere(transaction))) throw new ProblemError('link_invalid');
  await transaction.deleteFrom('set_up_links').execute();
}

/** The account of the service's operator: the oldest there is, or a new one. */
async function operatorAccount(
  transaction: Transaction<Schema>,
  { nowMs, source, requestId }: PeopleRequest,
  person: { readonly userId: string; readonly name: string },
): Promise<string> {
  const accounts = await listAccounts(transaction);
  const found = accounts.find(({ isOperator }) => isOperator);
  if (found !== undefined) return found.accountId;
  const actor = {
    kind: 'person',
    id: person.userId,
    name: person.name,
    sourceAddress: source.text,
    requestId,
  } as const;
  return (await addAccount(transaction, { name: 'Operator', isOperator: true }, { nowMs, actor })).accountId;
}
