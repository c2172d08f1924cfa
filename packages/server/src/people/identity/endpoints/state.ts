import {
  type AccountStatus,
  countsInStatus,
  type Features,
  isPermission,
  memberRoles,
  type Permission,
  type SignedInAccount,
  type SignInState,
} from '@countersign/contract';
import { type HeldRole, readMemberRole } from '../../../registry/store/member-roles.ts';
import { isAllowedFrom, readPortalNetworks } from '../../../registry/store/portal-networks.ts';
import { type Call, emptyBody, type Endpoint, endpoint, ok } from '../endpoint.ts';
import { hasPersons, noteLanguage } from '../persons.ts';
import { secondFactorsOf } from '../second-factors.ts';
import { type FoundSession, methodsOf, noteActivity } from '../sessions.ts';
import { pendingPerson } from './sign-in.ts';

/**
 * The endpoints for the sign-in state, which the portal requests first and then regularly, and for reports of
 * activity.
 */
export const stateEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: 'state',
    needs: 'nothing',
    answer: async (call) => ok(await stateOf(call)),
  }),
  endpoint({
    method: 'POST',
    path: 'activity',
    needs: 'session',
    body: emptyBody,
    answer: async ({ database, session, nowMs }) => {
      await noteActivity(database, session.sessionId, nowMs);
      return { status: 204 };
    },
  }),
];

async function stateOf(call: Call): Promise<SignInState> {
  const features = await featuresOf(call);
  const { session, database, nowMs } = call;
  if (session !== undefined) {
    // Every page asks for it first, also the one in another language that the person has just chosen.
    if (session.language !== call.language) await noteLanguage(database, session.userId, call.language);
    const { userId, name, email, hasTotp, passkeyCount, hasPassword } = session;
    const person = { userId, name, email, hasTotp, passkeyCount, hasPassword };
    const accounts = await accountsOf(call, session);
    const sessionEnds = {
      idleSecondsLeft: secondsUntil(session.idleEndsAtMs, nowMs),
      secondsLeft: secondsUntil(session.expiresAtMs, nowMs),
    };
    return { state: 'signed-in', features, person, accounts, sessionEnds };
  }
  const pending = await pendingPerson(call);
  if (pending === undefined) return { state: 'signed-out', features };
  const factors = await secondFactorsOf(database, pending.userId);
  // The first factor has been given, so it isn't offered again.
  const methods = methodsOf({ ...factors, hasPassword: false, isVouchedFor: false }, true);
  return { state: 'second-factor', features, methods };
}

function secondsUntil(atMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((atMs - nowMs) / 1000));
}

async function featuresOf(call: Call): Promise<Features> {
  const { serviceName, identityProvider, isDemonstration, requestsKept, baseUrl } = call;
  const demonstration = call.demoCredentials();
  return {
    serviceName,
    ...(identityProvider && { oidc: { name: identityProvider.name } }),
    isMailConfigured: call.mailer.kind === 'smtp',
    isDemonstration,
    ...(demonstration && { demonstration }),
    requestsKept,
    needsSetUp: !(await hasPersons(call.database)),
    baseUrl,
    arePasskeysPossible: call.addresses.arePasskeysPossible(baseUrl),
  };
}

/** Returns the person's accounts, and the one that the session acts for. */
async function accountsOf(
  { database, nowMs, source, doOperatorsNeedSecondFactor }: Call,
  { userId, sessionId }: FoundSession,
): Promise<SignedInAccount[]> {
  const withSecondFactor = (account: SignedInAccount): SignedInAccount =>
    doOperatorsNeedSecondFactor ? { ...account, isSecondFactorRequired: true } : account;
  const accounts = database
    .selectFrom('accounts')
    .leftJoin('security_policies as policies', 'policies.account_id', 'accounts.account_id')
    .select([
      'accounts.account_id',
      'accounts.name',
      'accounts.is_operator',
      'accounts.status',
      'accounts.status_reason',
      'policies.is_second_factor_required',
      'policies.portal_networks',
      'policies.requests_kept_days',
      'policies.is_second_person_required',
    ])
    .select((query) =>
      query
        .exists(
          query
            .selectFrom('demo_data')
            .select('demo_data.account_id')
            .whereRef('demo_data.account_id', '=', 'accounts.account_id'),
        )
        .as('has_demo_data'),
    );
  const members = await accounts
    .innerJoin('members', 'members.account_id', 'accounts.account_id')
    .where('members.user_id', '=', userId)
    .select('members.role')
    .orderBy('accounts.name')
    .orderBy('accounts.account_id')
    .execute();
  const acting = await accounts
    .innerJoin('acting_sessions as acting', 'acting.account_id', 'accounts.account_id')
    .where('acting.session_id', '=', sessionId)
    .where('acting.ends_at_ms', '>', nowMs)
    .select(['acting.reason', 'acting.ends_at_ms'])
    .executeTakeFirst();
  const isAllowed = (row: { readonly portal_networks: string | null }): boolean =>
    isAllowedFrom(readPortalNetworks(row.portal_networks), source.address);
  const held = await heldRoles(database, members);
  const shown = held
    .map(({ row, role }) => withNetwork(accountAs(row, role, row.status), isAllowed(row), source.text))
    .map((account) => (account.isOperator ? withSecondFactor(account) : account));
  if (acting === undefined) return shown;
  const endsAt = new Date(acting.ends_at_ms).toISOString();
  const mayActFromHere = held.some(
    ({ row, role }) => row.is_operator === 1 && role.permissions.has('accounts:act') && isAllowed(row),
  );
  const asAdmin = accountAs(
    acting,
    { name: 'admin', permissions: adminPermissions },
    acting.status === 'suspended' ? 'active' : acting.status,
  );
  return [
    ...shown.filter(({ accountId }) => accountId !== acting.account_id),
    // Acting for a customer permits everything that the customer's administrators may do.
    {
      ...withSecondFactor(withNetwork(asAdmin, mayActFromHere, source.text)),
      isOperator: false,
      acting: { reason: acting.reason, endsAt },
    },
  ];
}

const adminPermissions: ReadonlySet<Permission> = new Set(memberRoles.admin.permissions);

/** Returns a person's memberships with their roles. A role that people in an account can't have opens nothing. */
async function heldRoles<Row extends { account_id: string; is_operator: 0 | 1; role: string }>(
  database: Call['database'],
  members: readonly Row[],
): Promise<{ readonly row: Row; readonly role: HeldRole }[]> {
  const held: { readonly row: Row; readonly role: HeldRole }[] = [];
  for (const row of members) {
    const account = { accountId: row.account_id, isOperator: row.is_operator === 1 };
    const role = await readMemberRole(database, account, row.role, {});
    if (role !== undefined) held.push({ row, role });
  }
  return held;
}

/**
 * Marks an account that can't be used from the person's address. Nothing in it is permitted; the person still sees
 * that it exists, and may use their other accounts.
 */
function withNetwork(account: SignedInAccount, isAllowed: boolean, sourceAddress: string): SignedInAccount {
  return isAllowed ? account : { ...account, permissions: [], blockedAddress: sourceAddress };
}

function accountAs(
  row: {
    readonly account_id: string;
    readonly name: string;
    readonly is_operator: 0 | 1;
    readonly status: AccountStatus;
    readonly status_reason: string | null;
    readonly is_second_factor_required: 0 | 1 | null;
    readonly requests_kept_days: number | null;
    readonly is_second_person_required: 0 | 1 | null;
    /** SQLite returns a number, PostgreSQL a boolean. */
    readonly has_demo_data: unknown;
  },
  role: Pick<HeldRole, 'name' | 'permissions'>,
  actsAs: AccountStatus,
): SignedInAccount {
  return {
    accountId: row.account_id,
    name: row.name,
    role: role.name,
    isOperator: row.is_operator === 1,
    permissions: [...role.permissions]
      .filter(isPermission)
      .filter((permission) => countsInStatus(actsAs, permission)),
    status: row.status,
    ...(row.status_reason !== null && { statusReason: row.status_reason }),
    isSecondFactorRequired: row.is_second_factor_required === 1,
    ...(row.requests_kept_days !== null && { requestsKeptDays: row.requests_kept_days }),
    isSecondPersonRequired: row.is_second_person_required === 1,
    hasDemoData: Boolean(row.has_demo_data),
  };
}
