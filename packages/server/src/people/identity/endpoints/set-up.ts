import { ProblemError } from '@countersign/gate';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { addAccount, listAccounts } from '../../../registry/store/accounts.ts';
import { changeRegistry } from '../../../registry/store/changes.ts';
import type { Schema } from '../../../storage/schema.ts';
import { type Database, inTransaction } from '../../../storage/transaction.ts';
import { attempt } from '../attempts.ts';
import { emailSchema, givenPasswordSchema, personNameSchema, tokenSchema } from '../body-schemas.ts';
import { type Endpoint, endpoint, nextStep, ok, type Call } from '../endpoint.ts';
import { beginSession } from '../finish-sign-in.ts';
import { actorOf, joinAccount } from '../members.ts';
import { hashNewPassword } from '../password-strength.ts';
import { addPerson, canonicalEmail, hasPersons } from '../persons.ts';
import { newToken, tokenHash } from '../tokens.ts';

/** The endpoints that create the first person, who has the link from the service's console. */
export const setUpEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'set-up/check',
    needs: 'nothing',
    body: z.strictObject({ token: tokenSchema }),
    answer: async (call, { token }) => {
      await checkLink(call, token);
      return ok({ serviceName: call.serviceName });
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
    answer: async (call, { token, name, email: given, password }) => {
      await checkLink(call, token);
      const email = canonicalEmail(given);
      const passwordHash = await hashNewPassword(call, password, { name, email });
      // Access to the console proves nothing about the address.
      const person = { name, email, passwordHash, isEmailVerified: false };
      const userId = await changeRegistry(call.database, async (transaction) => {
        await useLink(transaction, token);
        const first = { ...person, userId: await addPerson(transaction, person, call.nowMs) };
        const accountId = await operatorAccount(transaction, call, first);
        await joinAccount(transaction, first, accountId, 'operator', call);
        return first.userId;
      });
      await beginSession(call, { userId, ...person }, 'password');
      return nextStep('portal');
    },
  }),
];

/**
 * Creates the link that the console shows and returns its token; undefined if there already is a person.
 * Earlier links end, except those of other nodes that started recently and still show them on their consoles.
 */
export async function newSetUpLink(
  database: Database,
  nowMs: number,
  hasOtherNodes: boolean,
): Promise<string | undefined> {
  return inTransaction(database, async (transaction) => {
    if (await hasPersons(transaction)) return undefined;
    const token = newToken();
    const endedMs = hasOtherNodes ? nowMs - otherNodesMs : nowMs;
    await transaction.deleteFrom('set_up_links').where('created_at_ms', '<=', endedMs).execute();
    await transaction
      .insertInto('set_up_links')
      .values({ token_hash: tokenHash(token), created_at_ms: nowMs })
      .execute();
    return token;
  });
}

const otherNodesMs = 3_600_000;

async function checkLink(call: Call, token: string): Promise<void> {
  const { database } = call;
  await attempt(call, undefined, async () => {
    const link = await database
      .selectFrom('set_up_links')
      .select('token_hash')
      .where('token_hash', '=', tokenHash(token))
      .executeTakeFirst();
    if (link === undefined || (await hasPersons(database))) throw new ProblemError('link_invalid');
  });
}

/** Uses up every link. Changes of the registry run one after the other, so only one person can be the first. */
async function useLink(transaction: Transaction<Schema>, token: string): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('set_up_links')
    .where('token_hash', '=', tokenHash(token))
    .executeTakeFirst();
  if (numDeletedRows === 0n || (await hasPersons(transaction))) throw new ProblemError('link_invalid');
  await transaction.deleteFrom('set_up_links').execute();
}

/** Returns the ID of the oldest operator account, or of a new one. */
async function operatorAccount(
  transaction: Transaction<Schema>,
  call: Call,
  person: { readonly userId: string; readonly name: string },
): Promise<string> {
  const accounts = await listAccounts(transaction);
  const found = accounts.find(({ isOperator }) => isOperator);
  if (found !== undefined) return found.accountId;
  const context = { nowMs: call.nowMs, actor: actorOf(person, call) };
  return (await addAccount(transaction, { name: 'Operator', isOperator: true }, context)).accountId;
}
