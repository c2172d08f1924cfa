import type { InvitationOffer, MemberRole } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { changeRegistry } from '../../registry/store/changes.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
import { attempt } from '../attempts.ts';
import { givenPasswordSchema, personNameSchema, tokenSchema } from '../body-schemas.ts';
import {
  type Endpoint,
  endpoint,
  nextStep,
  ok,
  type PeopleAnswer,
  type PeopleParts,
  type PeopleRequest,
} from '../endpoint.ts';
import { afterFirstFactor, beginSession } from '../finish-sign-in.ts';
import { joinAccount } from '../members.ts';
import { hashNewPassword } from '../password-strength.ts';
import { addPerson, findPerson, type PersonRecord } from '../persons.ts';
import { hasSecondFactor } from '../second-factors.ts';
import { tokenHash } from '../tokens.ts';
import { checkPassword } from './sign-in.ts';

/** Looking at and accepting an invitation by its link. */
export const invitationEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'invitation/check',
    needs: 'nothing',
    body: z.strictObject({ token: tokenSchema }),
    answer: async (request, { token }, parts) => {
      const { accountName, email, role, inviterName } = await readOffer(request, parts, token);
      const isKnownPerson = (await findPerson(parts.database, { email })) !== undefined;
      return ok({ accountName, email, role, inviterName, isKnownPerson } satisfies InvitationOffer);
    },
  }),
  endpoint({
    method: 'POST',
    path: 'invitation/accept',
    needs: 'nothing',
    body: z.strictObject({
      token: tokenSchema,
      name: z.optional(personNameSchema),
      password: z.optional(givenPasswordSchema),
    }),
    answer: async (request, { token, name, password }, parts) => {
      const offer = await readOffer(request, parts, token);
      const person = await findPerson(parts.database, { email: offer.email });
      if (person === undefined) return acceptAsNew(request, parts, offer, { name, password });
      return acceptAsKnown(request, parts, offer, person, password);
    },
  }),
];

interface Offer {
  readonly tokenHash: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly inviterName: string;
  /** Whether the link was mailed, so that nobody else has seen it. */
  readonly isMailed: boolean;
}

async function acceptAsNew(
  request: PeopleRequest,
  parts: PeopleParts,
  offer: Offer,
  { name, password }: { readonly name: string | undefined; readonly password: string | undefined },
): Promise<PeopleAnswer> {
  const missing = [
    ...(name === undefined ? [{ pointer: '/name', detail: 'Write your name.' }] : []),
    ...(password === undefined ? [{ pointer: '/password', detail: 'Choose a password.' }] : []),
  ];
  if (name === undefined || password === undefined)
    throw new ProblemError('body_invalid', { members: { errors: missing } });
  const { email } = offer;
  const { database, serviceName, passwords } = parts;
  const passwordHash = await hashNewPassword(passwords, password, { name, email, serviceName });
  // A link that was shown to the inviter proves nothing about the address.
  const person = { name, email, passwordHash, isEmailVerified: offer.isMailed };
  const userId = await changeRegistry(database, async (transaction) => {
    // Somebody has just accepted another invitation to this address, and now has to sign in.
    if ((await findPerson(transaction, { email })) !== undefined) throw new ProblemError('session_required');
    const added = await addPerson(transaction, person, request.nowMs);
    await acceptOffer(transaction, offer, { userId: added, name, email }, request);
    return added;
  });
  await beginSession(request, parts, { userId, ...person }, 'password');
  return nextStep('portal');
}

/** The link alone opens no session: people with an account prove who they are, as at any sign-in. */
async function acceptAsKnown(
  request: PeopleRequest,
  parts: PeopleParts,
  offer: Offer,
  person: PersonRecord,
  password: string | undefined,
): Promise<PeopleAnswer> {
  const { database } = parts;
  const isSignedIn = request.session?.userId === person.userId;
  if (!isSignedIn) {
    if (password === undefined) throw new ProblemError('session_required');
    await checkPassword(request, parts, person.email, password);
    // The link keeps working: the page accepts it again after the second factor.
    if (await hasSecondFactor(database, person.userId)) return afterFirstFactor(request, parts, person);
  }
  await changeRegistry(database, (transaction) => acceptOffer(transaction, offer, person, request));
  if (!isSignedIn) await beginSession(request, parts, person, 'password');
  return nextStep('portal');
}

/** Accepts an offer in one step, so that a link works once. */
export async function acceptOffer(
  transaction: Transaction<Schema>,
  { tokenHash: hash, accountId, role }: Pick<Offer, 'tokenHash' | 'accountId' | 'role'>,
  person: { readonly userId: string; readonly name: string; readonly email: string },
  request: PeopleRequest,
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('invitations')
    .set({ accepted_at_ms: request.nowMs })
    .where('token_hash', '=', hash)
    .where('email', '=', person.email)
    .where('role', '=', role)
    .where('accepted_at_ms', 'is', null)
    .where('expires_at_ms', '>', request.nowMs)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n || !(await joinAccount(transaction, person, accountId, role, request)))
    throw new ProblemError('link_invalid');
}

/** Returns an email address's open invitations. */
export async function openOffers(database: Database, email: string, nowMs: number): Promise<Offer[]> {
  return (await selectOffers(database, nowMs).where('invitations.email', '=', email).execute()).map(offerOf);
}

async function readOffer(request: PeopleRequest, parts: PeopleParts, token: string): Promise<Offer> {
  return attempt(request, parts, undefined, async () => {
    const row = await selectOffers(parts.database, request.nowMs)
      .where('invitations.token_hash', '=', tokenHash(token))
      .executeTakeFirst();
    if (row === undefined) throw new ProblemError('link_invalid');
    return offerOf(row);
  });
}

function selectOffers(database: Database, nowMs: number) {
  return database
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.account_id', 'invitations.account_id')
    .leftJoin('persons', 'persons.user_id', 'invitations.invited_by')
    .where('invitations.accepted_at_ms', 'is', null)
    .where('invitations.expires_at_ms', '>', nowMs)
    .select([
      'invitations.token_hash',
      'invitations.account_id',
      'accounts.name as account_name',
      'invitations.email',
      'invitations.role',
      'persons.name as inviter_name',
      'invitations.is_mailed',
    ]);
}

function offerOf(row: {
  readonly token_hash: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly inviter_name: string | null;
  readonly is_mailed: 0 | 1;
}): Offer {
  return {
    tokenHash: row.token_hash,
    accountId: row.account_id,
    accountName: row.account_name,
    email: row.email,
    role: row.role,
    inviterName: row.inviter_name ?? '',
    isMailed: row.is_mailed === 1,
  };
}
