import {
  type Features,
  isMemberRole,
  type MemberRole,
  memberRoles,
  type SignedInAccount,
  type SignInState,
} from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import {
  emptyBody,
  type Endpoint,
  endpoint,
  ok,
  type PeopleParts,
  type PeopleRequest,
  sessionOf,
} from '../endpoint.ts';
import { isAnybodyThere } from '../persons.ts';
import { secondFactorsOf } from '../second-factors.ts';
import { type FoundSession, methodsOf, noteActivity } from '../sessions.ts';
import { pendingPerson } from './sign-in.ts';

/** Who is signed in, which the portal asks first and then regularly; and reports of activity. */
export const stateEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: 'state',
    needs: 'nothing',
    answer: async (request, _input, parts) => ok(await stateOf(request, parts)),
  }),
  endpoint({
    method: 'POST',
    path: 'activity',
    needs: 'session',
    body: emptyBody,
    answer: async (request, _input, { database }) => {
      await noteActivity(database, sessionOf(request).sessionId, request.nowMs);
      return { status: 204 };
    },
  }),
];

async function stateOf(request: PeopleRequest, parts: PeopleParts): Promise<SignInState> {
  const features = await featuresOf(request, parts);
  const { session, nowMs } = request;
  if (session !== undefined) {
    const { userId, name, email, hasTotp, passkeyCount, hasPassword } = session;
    const person = { userId, name, email, hasTotp, passkeyCount, hasPassword };
    return {
      state: 'signed-in',
      features,
      person,
      accounts: await accountsOf(parts.database, session, nowMs),
    };
  }
  const pending = await pendingPerson(request, parts);
  if (pending === undefined) return { state: 'signed-out', features };
  const factors = await secondFactorsOf(parts.database, pending.userId);
  return { state: 'second-factor', features, methods: methodsOf({ ...factors, ...noFirstFactor }, true) };
}

/** Already given, so not offered again. */
const noFirstFactor = { hasPassword: false, isVouchedFor: false } as const;

async function featuresOf({ baseUrl }: PeopleRequest, parts: PeopleParts): Promise<Features> {
  const { database, serviceName, identityProvider, mailer, isDemonstration, addresses } = parts;
  const demonstration = parts.demoCredentials();
  return {
    serviceName,
    ...(identityProvider && { oidc: { name: identityProvider.name } }),
    isMailConfigured: mailer.kind === 'smtp',
    isDemonstration,
    ...(demonstration && { demonstration }),
    needsSetUp: !(await isAnybodyThere(database)),
    baseUrl,
    arePasskeysPossible: addresses.arePasskeysPossible(baseUrl),
  };
}

/** Returns the person's accounts, and the one that the session acts for. */
async function accountsOf(
  database: Database,
  { userId, sessionId }: FoundSession,
  nowMs: number,
): Promise<SignedInAccount[]> {
  const members = await database
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .leftJoin('security_policies', 'security_policies.account_id', 'members.account_id')
    .where('members.user_id', '=', userId)
    .select([
      'accounts.account_id',
      'accounts.name',
      'accounts.is_operator',
      'members.role',
      'security_policies.is_second_factor_required',
    ])
    .orderBy('accounts.name')
    .orderBy('accounts.account_id')
    .execute();
  const acting = await database
    .selectFrom('acting_sessions')
    .innerJoin('accounts', 'accounts.account_id', 'acting_sessions.account_id')
    .leftJoin('security_policies', 'security_policies.account_id', 'acting_sessions.account_id')
    .where('acting_sessions.session_id', '=', sessionId)
    .where('acting_sessions.ends_at_ms', '>', nowMs)
    .select([
      'accounts.account_id',
      'accounts.name',
      'acting_sessions.reason',
      'acting_sessions.ends_at_ms',
      'security_policies.is_second_factor_required',
    ])
    .executeTakeFirst();
  const accounts = members
    .filter(({ role }) => isMemberRole(role))
    .map((row) => ({
      ...accountAs(row.account_id, row.name, row.role, row.is_operator === 1),
      isSecondFactorRequired: row.is_second_factor_required === 1,
    }));
  if (acting === undefined) return accounts;
  const endsAt = new Date(acting.ends_at_ms).toISOString();
  return [
    ...accounts.filter(({ accountId }) => accountId !== acting.account_id),
    {
      ...accountAs(acting.account_id, acting.name, actingRole, false),
      isSecondFactorRequired: acting.is_second_factor_required === 1,
      acting: { reason: acting.reason, endsAt },
    },
  ];
}

/** Acting for a customer permits what the customer's administrators may do. */
const actingRole = 'admin';

function accountAs(
  accountId: string,
  name: string,
  role: MemberRole,
  isOperator: boolean,
): Omit<SignedInAccount, 'isSecondFactorRequired'> {
  return { accountId, name, role, isOperator, permissions: memberRoles[role].permissions };
}
