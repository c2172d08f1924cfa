import { type AuditTarget, leadingRole, type MemberRole, memberRoles } from '@countersign/contract';
import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { recordAudited } from '../../registry/store/audit.ts';
import { changeFor, notPermitted } from '../../registry/store/caller.ts';
import type { ChangeContext } from '../../registry/store/context.ts';
import { withdrawInvitationsOf } from './invitations.ts';
import {
  checkLead,
  checkRole,
  countLeaders,
  grantsOf,
  type PeopleAccount,
  peopleAccount,
} from './people-rules.ts';
import { checkGrant } from '../../registry/store/roles.ts';
import {
  approvingRoles,
  canChangePolicy,
  isSecondPersonRequired,
  requireSecondPerson,
} from '../../registry/store/second-person.ts';
import { removeUnsharedViews } from '../../registry/store/saved-views.ts';

/** A member of an account. */
export interface MemberRecord {
  readonly userId: string;
  readonly name: string;
  /** Lowercase. */
  readonly email: string;
  readonly role: MemberRole;
  /** True if the person has an authenticator app or a passkey. */
  readonly hasSecondFactor: boolean;
  readonly joinedAtMs: number;
  /** The last activity in any of the person's sessions; undefined without a session. */
  readonly lastSeenAtMs: number | undefined;
}

/** Lists a page of an account's members, in id order. */
export async function listMembers(
  database: Database,
  {
    accountId,
    afterUserId,
    limit,
  }: { readonly accountId: string; readonly afterUserId?: string | undefined; readonly limit: number },
): Promise<MemberRecord[]> {
  let query = selectMembers(database, accountId).orderBy('members.user_id').limit(limit);
  if (afterUserId !== undefined) query = query.where('members.user_id', '>', afterUserId);
  return (await query.execute()).map(recordOf);
}

/**
 * Changes a member's role.
 *
 * @throws RegistryError `member_unknown`, `member_role_invalid`, `leading_role_held`, `permission_not_held`,
 *   `last_owner`, `caller_not_permitted`
 */
export async function changeMember(
  database: Database,
  userId: string,
  role: MemberRole,
  initialContext: ChangeContext,
): Promise<MemberRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const account = await peopleAccount(transaction, context);
    const member = await readMember(transaction, account.accountId, userId);
    checkRole(role, account);
    if (role === member.role) return member;
    checkLead(account, context, member.role, role);
    checkGrant(memberRoles[role].permissions, context.grantable ?? new Set());
    await checkNotLast(transaction, account, member);
    await checkKeepsApprover(transaction, account, { before: member.role, after: role }, context);
    await guardRaise(transaction, account, member, role, context);
    await transaction
      .updateTable('members')
      .set({ role })
      .where('account_id', '=', account.accountId)
      .where('user_id', '=', userId)
      .execute();
    await record(transaction, 'member.role_changed', account.accountId, userId, {
      before: { role: member.role },
      after: { role },
      context,
    });
    await withdrawInvitationsOf(transaction, account, { userId, role }, context);
    return { ...member, role };
  });
}

/**
 * Removes a member. Their sessions can no longer do anything in the account, and the invitations they sent are
 * withdrawn, because they may have kept a link. The views that they did not share are removed.
 *
 * @throws RegistryError `member_unknown`, `leading_role_held`, `last_owner`, `caller_not_permitted`
 */
export async function removeMember(
  database: Database,
  userId: string,
  initialContext: ChangeContext,
): Promise<MemberRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const account = await peopleAccount(transaction, context);
    const member = await readMember(transaction, account.accountId, userId);
    checkLead(account, context, member.role);
    await checkNotLast(transaction, account, member);
    await checkKeepsApprover(transaction, account, { before: member.role, after: undefined }, context);
    await transaction
      .deleteFrom('members')
      .where('account_id', '=', account.accountId)
      .where('user_id', '=', userId)
      .execute();
    const { name, email, role } = member;
    await record(transaction, 'member.removed', account.accountId, userId, {
      before: { name, email, role },
      context,
    });
    await withdrawInvitationsOf(transaction, account, { userId, role: undefined }, context);
    await removeUnsharedViews(transaction, { accountId: account.accountId, userId });
    return member;
  });
}

/**
 * Has a role that grants a member more wait for a second person: whoever could give it to a second account of their own
 * could approve their own changes.
 */
async function guardRaise(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  { userId, name, role: before }: MemberRecord,
  role: MemberRole,
  context: ChangeContext,
): Promise<void> {
  const held = memberRoles[before].permissions;
  const isRaised = memberRoles[role].permissions.some((permission) => !held.includes(permission));
  const isLeading = role === leadingRole(account);
  if (!approvingRoles(account).includes(role) || !(isRaised || isLeading)) return;
  const target = { type: 'member', id: userId, name } as const;
  const { accountId } = account;
  const granted = await grantsOf(transaction, account, role);
  const change = { accountId, target, before: { role: before }, after: { role }, ...granted };
  await requireSecondPerson(transaction, change, context);
}

/**
 * Makes sure that a holder of the leading role remains. Changes of people are serialized, so the last two
 * holders can't both leave.
 */
async function checkNotLast(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  { role }: MemberRecord,
): Promise<void> {
  if (role !== leadingRole(account) || (await countLeaders(transaction, account)) > 1) return;
  throw new RegistryError(
    'last_owner',
    `Every account needs an ${role}: give that role to someone else first.`,
  );
}

/**
 * While an account requires a second person, whoever acts for it takes the permission to change the policy from none of its
 * members. Otherwise they could first leave only one such member, and then approve alone in the second person's place.
 */
async function checkKeepsApprover(
  transaction: Transaction<Schema>,
  { accountId }: PeopleAccount,
  { before, after }: { readonly before: MemberRole; readonly after: MemberRole | undefined },
  { actor }: ChangeContext,
): Promise<void> {
  const isLost = canChangePolicy(before) && !(after !== undefined && canChangePolicy(after));
  if (actor.actingReason === undefined || !isLost) return;
  if (!(await isSecondPersonRequired(transaction, accountId))) return;
  throw notPermitted(
    'This account requires a second person, and this member can be one: only another member can remove them or take the role away.',
  );
}

async function readMember(
  transaction: Transaction<Schema>,
  accountId: string,
  userId: string,
): Promise<MemberRecord> {
  const row = await selectMembers(transaction, accountId)
    .where('members.user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) throw new RegistryError('member_unknown', 'There is no such member.');
  return recordOf(row);
}

interface MemberRow {
  readonly user_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly joined_at_ms: number;
  readonly last_seen_at_ms: number | null;
  readonly has_second_factor: number;
}

function selectMembers(
  database: Database,
  accountId: string,
): SelectQueryBuilder<Schema, 'members' | 'persons', MemberRow> {
  return database
    .selectFrom('members')
    .innerJoin('persons', 'persons.user_id', 'members.user_id')
    .select((query) => [
      'members.user_id',
      'persons.name',
      'persons.email',
      'members.role',
      'members.created_at_ms as joined_at_ms',
      query
        .selectFrom('person_sessions')
        .whereRef('person_sessions.user_id', '=', 'members.user_id')
        .select((sessions) => sessions.fn.max('last_seen_at_ms').as('last'))
        .as('last_seen_at_ms'),
      sql<number>`case when exists (select 1 from person_passkeys where person_passkeys.user_id = members.user_id)
        or exists (select 1 from person_second_factors where person_second_factors.user_id = members.user_id)
        then 1 else 0 end`.as('has_second_factor'),
    ])
    .where('members.account_id', '=', accountId);
}

function recordOf(row: MemberRow): MemberRecord {
  return {
    userId: row.user_id,
    name: row.name,
    email: row.email,
    role: row.role,
    hasSecondFactor: row.has_second_factor === 1,
    joinedAtMs: row.joined_at_ms,
    lastSeenAtMs: row.last_seen_at_ms ?? undefined,
  };
}

async function record(
  transaction: Transaction<Schema>,
  action: 'member.role_changed' | 'member.removed',
  accountId: string,
  userId: string,
  {
    before,
    after,
    context,
  }: {
    readonly before: Readonly<Record<string, unknown>>;
    readonly after?: Readonly<Record<string, unknown>>;
    readonly context: ChangeContext;
  },
): Promise<void> {
  const targets: readonly AuditTarget[] = [
    { type: 'member', id: userId },
    { type: 'account', id: accountId },
  ];
  await recordAudited(
    transaction,
    { subject: 'member', subjectId: userId, accountId, action, targets, before, after },
    context,
  );
}
