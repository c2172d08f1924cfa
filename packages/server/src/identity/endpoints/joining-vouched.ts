import { isReadableName } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { changeRegistry } from '../../registry/store.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { PeopleParts, PeopleRequest } from '../endpoint.ts';
import { endUnprovedSignIn } from '../first-proof.ts';
import type { Identity } from '../identity.ts';
import type { VouchedPerson } from '../identity-provider.ts';
import { canonicalEmail, findPerson, holdPerson, type PersonRecord } from '../persons.ts';
import { acceptOffer, openOffers } from './invitation.ts';

/** A person whom the provider vouches for. */
export interface JoinedPerson {
  readonly person: PersonRecord;
  /** Whether everything that could sign in as the person before has just ended. */
  readonly hasEndedEarlier: boolean;
}

/**
 * Somebody whom the provider has vouched for before, whoever has the email address, or somebody new whom an open invitation
 * waits for; nobody else. A person that is linked to one subject is never taken for another one.
 *
 * Whoever has never proved its email address until now may be somebody else, the inviter for one: in the same transaction
 * all that could sign in as it before ends.
 */
export async function joinVouched(
  request: PeopleRequest,
  parts: PeopleParts,
  vouched: VouchedPerson,
): Promise<JoinedPerson | undefined> {
  const { database } = parts;
  const { nowMs } = request;
  const linked = await linkedPerson(database, vouched.subject);
  if (linked?.isEmailVerified === true) return { person: linked, hasEndedEarlier: false };
  const identity = await parts.identity();
  return changeRegistry(database, async (transaction) => {
    const known = await knownPerson(transaction, vouched);
    if (known === 'somebody-else') return undefined;
    const userId = known?.userId ?? (await addVouched(transaction, identity, vouched, request));
    if (userId === undefined) return undefined;
    await holdPerson(transaction, userId);
    if (!(await hasSubject(transaction, userId)))
      await identity.linkProvider(transaction, userId, providerId, vouched.subject, nowMs);
    const hasEndedEarlier = known?.isEmailVerified === false;
    if (hasEndedEarlier) await endUnprovedSignIn(transaction, userId, nowMs);
    const person = await findPerson(transaction, { userId });
    return person && { person, hasEndedEarlier };
  });
}

/** Who is here already: linked to the subject, or with its email address; that may be linked to another one. */
async function knownPerson(
  database: Database,
  { subject, email }: VouchedPerson,
): Promise<PersonRecord | 'somebody-else' | undefined> {
  const linked = await linkedPerson(database, subject);
  if (linked !== undefined) return linked;
  const known = await findPerson(database, { email });
  return known !== undefined && (await hasSubject(database, known.userId)) ? 'somebody-else' : known;
}

/** Makes a person of somebody who is invited, and accepts; who is known here accepts an invitation with its link. */
async function addVouched(
  transaction: Transaction<Schema>,
  identity: Identity,
  vouched: VouchedPerson,
  request: PeopleRequest,
): Promise<string | undefined> {
  const email = canonicalEmail(vouched.email);
  const offers = await openOffers(transaction, email, request.nowMs);
  if (offers.length === 0) return undefined;
  const name = vouched.name !== undefined && isReadableName(vouched.name) ? vouched.name : email;
  const person = { name, email, isEmailVerified: true };
  const userId = await identity.addPerson(transaction, person, request.nowMs);
  for (const offer of offers) await acceptOffer(transaction, offer, { userId, name, email }, request);
  return userId;
}

/** The person that the provider names by a subject. */
export async function linkedPerson(database: Database, subject: string): Promise<PersonRecord | undefined> {
  const row = await database
    .selectFrom('person_credentials')
    .select('user_id')
    .where('provider_id', '=', providerId)
    .where('provider_account_id', '=', subject)
    .executeTakeFirst();
  return row && findPerson(database, { userId: row.user_id });
}

async function hasSubject(database: Database, userId: string): Promise<boolean> {
  const row = await database
    .selectFrom('person_credentials')
    .select('user_id')
    .where('provider_id', '=', providerId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

const providerId = 'oidc';
