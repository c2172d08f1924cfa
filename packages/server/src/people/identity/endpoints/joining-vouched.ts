import { isReadableName } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { changeRegistry } from '../../../registry/store/changes.ts';
import type { Schema } from '../../../storage/schema.ts';
import type { Database } from '../../../storage/transaction.ts';
import type { Call } from '../endpoint.ts';
import type { VouchedPerson } from '../identity-provider.ts';
import { forgetFor, forgetValue } from '../one-time.ts';
import {
  addPerson,
  canonicalEmail,
  findPerson,
  findSubject,
  hasSubject,
  holdPerson,
  linkSubject,
  type PersonRecord,
} from '../persons.ts';
import { endSessions } from '../sessions.ts';
import { acceptOffer, isAcceptableFrom, openOffers } from './invitation.ts';

/** A person whom the provider has identified. */
export interface JoinedPerson {
  readonly person: PersonRecord;
  /** True if all earlier credentials have just ended. */
  readonly hasEndedEarlier: boolean;
}

/**
 * Returns the person linked to the provider's subject, the person with the email address, or a new person with
 * an open invitation; otherwise undefined. A person linked to one subject is never linked to another.
 *
 * Until an email address is proved, its sign-in may have been set up by another person, such as the inviter.
 * All such credentials end in the same transaction.
 */
export async function joinVouched(call: Call, vouched: VouchedPerson): Promise<JoinedPerson | undefined> {
  const { database, nowMs } = call;
  const linked = await findSubject(database, vouched.subject);
  if (linked?.isEmailVerified === true) return { person: linked, hasEndedEarlier: false };
  return changeRegistry(database, async (transaction) => {
    const known = await knownPerson(transaction, vouched);
    if (known === 'somebody-else') return undefined;
    const userId = known?.userId ?? (await addVouched(transaction, vouched, call));
    if (userId === undefined) return undefined;
    await holdPerson(transaction, userId);
    if (!(await hasSubject(transaction, userId)))
      await linkSubject(transaction, userId, vouched.subject, nowMs);
    const hasEndedEarlier = known?.isEmailVerified === false;
    if (hasEndedEarlier) await endUnprovedSignIn(transaction, userId, nowMs);
    const person = await findPerson(transaction, { userId });
    return person && { person, hasEndedEarlier };
  });
}

async function knownPerson(
  database: Database,
  { subject, email }: VouchedPerson,
): Promise<PersonRecord | 'somebody-else' | undefined> {
  const linked = await findSubject(database, subject);
  if (linked !== undefined) return linked;
  const known = await findPerson(database, { email });
  return known !== undefined && (await hasSubject(database, known.userId)) ? 'somebody-else' : known;
}

/** Adds an invited person and accepts the invitation. People with an account accept invitations by their links. */
async function addVouched(
  transaction: Transaction<Schema>,
  vouched: VouchedPerson,
  call: Call,
): Promise<string | undefined> {
  const email = canonicalEmail(vouched.email);
  const open = await openOffers(transaction, email, call.nowMs);
  // The others stay open, for when the person follows their links from an allowed network.
  const offers = open.filter((offer) => isAcceptableFrom(offer, call));
  if (offers.length === 0) return undefined;
  const name = vouched.name !== undefined && isReadableName(vouched.name) ? vouched.name : email;
  const person = { name, email, isEmailVerified: true, passwordHash: undefined };
  const userId = await addPerson(transaction, person, call.nowMs);
  for (const offer of offers) await acceptOffer(transaction, offer, { userId, name, email }, call);
  return userId;
}

/**
 * Ends everything that could sign in as a person, and marks their email address as proved. Hold the person
 * first.
 *
 * It doesn't undo earlier actions in the person's name; the audit logs show them.
 */
async function endUnprovedSignIn(
  transaction: Transaction<Schema>,
  userId: string,
  nowMs: number,
): Promise<void> {
  await transaction
    .deleteFrom('person_credentials')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .execute();
  for (const table of ['person_passkeys', 'person_second_factors', 'person_recovery_codes'] as const)
    await transaction.deleteFrom(table).where('user_id', '=', userId).execute();
  // Acting for an account ends with its session.
  await endSessions(transaction, userId, 'all');
  // Also end everything that was begun and could be completed with one of these.
  await forgetValue(transaction, 'sign-in', userId);
  await forgetValue(transaction, 'password-reset', userId);
  await forgetFor(transaction, 'totp', userId);
  await transaction
    .updateTable('persons')
    .set({ is_email_verified: 1, updated_at_ms: nowMs })
    .where('user_id', '=', userId)
    .execute();
}
