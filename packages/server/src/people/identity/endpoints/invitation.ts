import type { InvitationOffer } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { changeRegistry } from '../../../registry/store/changes.ts';
import {
  addressInWords,
  isAllowedFrom,
  readPortalNetworks,
} from '../../../registry/store/portal-networks.ts';
import type { Schema } from '../../../storage/schema.ts';
import type { Database } from '../../../storage/transaction.ts';
import { attempt } from '../attempts.ts';
import { givenPasswordSchema, personNameSchema, tokenSchema } from '../body-schemas.ts';
import { type Call, type Endpoint, endpoint, nextStep, ok, type PeopleAnswer } from '../endpoint.ts';
import { afterFirstFactor, beginSession } from '../finish-sign-in.ts';
import { joinAccount } from '../members.ts';
import { hashNewPassword } from '../password-strength.ts';
import { addPerson, findPerson, type PersonRecord } from '../persons.ts';
import { hasSecondFactor } from '../second-factors.ts';
import { tokenHash } from '../tokens.ts';
import { checkPassword } from './sign-in.ts';

/** The endpoints for viewing and accepting an invitation by its link. */
export const invitationEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: 'invitation/check',
    needs: 'nothing',
    body: z.strictObject({ token: tokenSchema }),
    answer: async (call, { token }) => {
      const { accountName, email, roleName: role, inviterName } = await readOffer(call, token);
      const isKnownPerson = (await findPerson(call.database, { email })) !== undefined;
      const shown = { accountName, email, role, inviterName: inviterName ?? '', isKnownPerson };
      return ok(shown satisfies InvitationOffer);
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
    answer: async (call, { token, name, password }) => {
      const offer = await readOffer(call, token);
      requireNetwork(offer, call);
      const person = await findPerson(call.database, { email: offer.email });
      if (person === undefined) return acceptAsNew(call, offer, { name, password });
      return acceptAsKnown(call, offer, person, password);
    },
  }),
];

/**
 * Joining an account is the first use of it.
 *
 * @throws ProblemError `portal_network_not_allowed`
 */
function requireNetwork(offer: Offer, call: Call): void {
  if (isAcceptableFrom(offer, call)) return;
  const reason = `the account does not allow its people ${addressInWords(call.source.address)}`;
  const members = { reason, ...(call.source.text !== '' && { sourceAddress: call.source.text }) };
  throw new ProblemError('portal_network_not_allowed', { detail: reason, members });
}

async function acceptAsNew(
  call: Call,
  offer: Offer,
  { name, password }: { readonly name: string | undefined; readonly password: string | undefined },
): Promise<PeopleAnswer> {
  if (name === undefined || password === undefined) {
    const errors = [
      ...(name === undefined ? [{ pointer: '/name', detail: 'Write your name.' }] : []),
      ...(password === undefined ? [{ pointer: '/password', detail: 'Choose a password.' }] : []),
    ];
    throw new ProblemError('body_invalid', { members: { errors } });
  }
  const { email } = offer;
  const passwordHash = await hashNewPassword(call, password, { name, email });
  // A link that was shown to the inviter proves nothing about the address.
  const person = { name, email, passwordHash, isEmailVerified: offer.isMailed === 1 };
  const userId = await changeRegistry(call.database, async (transaction) => {
    // The person has just accepted another invitation to this address, and now has to sign in.
    if ((await findPerson(transaction, { email })) !== undefined) throw new ProblemError('session_required');
    const added = await addPerson(transaction, person, call.nowMs);
    await acceptOffer(transaction, offer, { userId: added, name, email }, call);
    return added;
  });
  await beginSession(call, { userId, ...person }, 'password');
  return nextStep('portal');
}

/**
 * Accepts an invitation for an existing person. The link alone opens no session: people with an account prove
 * their identity, as at any sign-in.
 */
async function acceptAsKnown(
  call: Call,
  offer: Offer,
  person: PersonRecord,
  password: string | undefined,
): Promise<PeopleAnswer> {
  const { database } = call;
  const isSignedIn = call.session?.userId === person.userId;
  if (!isSignedIn) {
    if (password === undefined) throw new ProblemError('session_required');
    await checkPassword(call, person.email, password);
    // The link keeps working: the page accepts it again after the second factor.
    if (await hasSecondFactor(database, person.userId)) return nextStep(await afterFirstFactor(call, person));
  }
  await changeRegistry(database, (transaction) => acceptOffer(transaction, offer, person, call));
  if (!isSignedIn) await beginSession(call, person, 'password');
  return nextStep('portal');
}

/** Accepts an offer in one step, so that a link works only once. */
export async function acceptOffer(
  transaction: Transaction<Schema>,
  { tokenHash: hash, accountId, role }: Offer,
  person: Pick<PersonRecord, 'userId' | 'name' | 'email'>,
  call: Call,
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('invitations')
    .set({ accepted_at_ms: call.nowMs })
    .where('token_hash', '=', hash)
    .where('email', '=', person.email)
    .where('role', '=', role)
    .where('accepted_at_ms', 'is', null)
    .where('expires_at_ms', '>', call.nowMs)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n || !(await joinAccount(transaction, person, accountId, role, call)))
    throw new ProblemError('link_invalid');
}

/** Returns an email address's open invitations. */
export async function openOffers(database: Database, email: string, nowMs: number): Promise<Offer[]> {
  return selectOffers(database, nowMs).where('invitations.email', '=', email).execute();
}

/** Returns true if the account allows its people the address that the call comes from. */
export function isAcceptableFrom({ portalNetworks }: Offer, { source }: Pick<Call, 'source'>): boolean {
  return isAllowedFrom(readPortalNetworks(portalNetworks), source.address);
}

async function readOffer(call: Call, token: string): Promise<Offer> {
  return attempt(call, undefined, async () => {
    const offer = await selectOffers(call.database, call.nowMs)
      .where('invitations.token_hash', '=', tokenHash(token))
      .executeTakeFirst();
    if (offer === undefined) throw new ProblemError('link_invalid');
    return offer;
  });
}

/** An open invitation. */
interface Offer {
  readonly tokenHash: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly email: string;
  /** The name of a built-in role, or the ID of one of the account's own. */
  readonly role: string;
  readonly roleName: string;
  readonly inviterName: string | null;
  /** The networks from which the account may be used, as they are stored. */
  readonly portalNetworks: string | null;
  /** 1 if the link was only mailed, so that no one else has seen it. */
  readonly isMailed: 0 | 1;
}

function selectOffers(database: Database, nowMs: number) {
  return database
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.account_id', 'invitations.account_id')
    .leftJoin('persons', 'persons.user_id', 'invitations.invited_by')
    .leftJoin('security_policies', 'security_policies.account_id', 'invitations.account_id')
    .leftJoin('roles as own_role', 'own_role.role_id', 'invitations.role')
    .where('invitations.accepted_at_ms', 'is', null)
    .where('invitations.expires_at_ms', '>', nowMs)
    .select(({ fn }) => fn.coalesce('own_role.name', 'invitations.role').as('roleName'))
    .select([
      'invitations.token_hash as tokenHash',
      'invitations.account_id as accountId',
      'accounts.name as accountName',
      'invitations.email',
      'invitations.role',
      'persons.name as inviterName',
      'security_policies.portal_networks as portalNetworks',
      'invitations.is_mailed as isMailed',
    ]);
}
