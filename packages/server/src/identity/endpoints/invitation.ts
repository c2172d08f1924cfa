import type { InvitationOffer, MemberRole } from '@countersign/contract';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { changeRegistry } from '../../registry/store.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { ProblemError } from '@countersign/gate';
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
import { joinAccount } from '../joining.ts';
import { hashNewPassword } from '../new-password.ts';
import { findPerson, type PersonRecord } from '../persons.ts';
import { secondFactorsOf } from '../second-factors.ts';
import { beginAttempt } from '../sign-in-attempts.ts';
import { givenPasswordSchema, personNameSchema, tokenSchema } from '../texts.ts';
import { tokenHash } from '../tokens.ts';
import { checkPassword } from './sign-in.ts';

/** How people come into accounts. */
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
  /** Whether the link went by mail, and was shown to nobody. */
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
  const { database, serviceName } = parts;
  const passwordHash = await hashNewPassword(password, { name, email, serviceName });
  const identity = await parts.identity();
  const userId = await changeRegistry(database, async (transaction) => {
    // Another invitation of the same person was accepted meanwhile: then it proves who it is.
    if ((await findPerson(transaction, { email })) !== undefined) throw new ProblemError('session_required');
    // A link that was shown to the inviter proves nothing of who has the address.
    const person = { name, email, passwordHash, isEmailVerified: offer.isMailed };
    const added = await identity.addPerson(transaction, person, request.nowMs);
    await acceptOffer(transaction, offer, { userId: added, name, email }, request);
    return added;
  });
  await beginSession(request, parts, { userId, email, passwordHash }, 'password');
  return nextStep('portal');
}

/** The link alone opens nobody's session: who is known here proves who it is, as at any sign-in. */
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
    const { hasTotp, passkeyCount } = await secondFactorsOf(database, person.userId);
    // The link goes on working: it is accepted when the second factor was given.
    if (hasTotp || passkeyCount > 0) return afterFirstFactor(request, parts, person);
  }
  await changeRegistry(database, (transaction) => acceptOffer(transaction, offer, person, request));
  if (!isSignedIn) await beginSession(request, parts, person, 'password');
  return nextStep('portal');
}

/** Accepts every step of an offer at once; of several who come with one link, one is in time. */
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

/** The open invitations of an email address. */
export async function openOffers(database: Database, email: string, nowMs: number): Promise<Offer[]> {
  return (await selectOffers(database, nowMs).where('invitations.email', '=', email).execute()).map(offerOf);
}

async function readOffer(request: PeopleRequest, parts: PeopleParts, token: string): Promise<Offer> {
  const attempt = await beginAttempt(request, parts, undefined);
  const row = await selectOffers(parts.database, request.nowMs)
    .where('invitations.token_hash', '=', tokenHash(token))
    .executeTakeFirst();
  if (row === undefined) throw new ProblemError('link_invalid');
  await attempt.takeBack();
  return offerOf(row);
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
