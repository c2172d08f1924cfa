import { newId, type MemberRole } from '@countersign/contract';
import { changeRegistry } from '../registry/store.ts';
import type { Database } from '../storage/transaction.ts';
import type { Identity } from './identity.ts';
import { joinAccount } from './joining.ts';
import { hashPassword } from './passwords.ts';
import { canonicalEmail, changePassword, findPerson } from './persons.ts';

/** A person who is made a member without an invitation. */
export interface NewMember {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly accountId: string;
  readonly role: MemberRole;
}

/**
 * Makes a member of an account, and the person where there is none with that email address; otherwise it gets the password.
 *
 * @returns the userId
 */
export async function addMember(
  database: Database,
  identity: Identity,
  { name, email: given, password, accountId, role }: NewMember,
  nowMs: number,
): Promise<string> {
  const email = canonicalEmail(given);
  const passwordHash = await hashPassword(password);
  return changeRegistry(database, async (transaction) => {
    const known = await findPerson(transaction, { email });
    const userId =
      known?.userId ??
      (await identity.addPerson(transaction, { name, email, passwordHash, isEmailVerified: false }, nowMs));
    // A demonstration that was stopped half way knew another password.
    if (known) await changePassword(transaction, userId, passwordHash, nowMs);
    const source = { address: undefined, text: '' };
    const request = { nowMs, source, requestId: newId('request', nowMs) };
    if (!(await joinAccount(transaction, { userId, name, email }, accountId, role, request)))
      throw new Error(`Nobody can be ${role} of that account.`);
    return userId;
  });
}
