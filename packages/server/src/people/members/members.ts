import { type AuditTarget, leadingRole, type Permission } from '@countersign/contract';
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
  countLeaders,
  grantsOf,
  type PeopleAccount,
  peopleAccount,
  roleInWords,
  roleNamed,
  rolesIn,
} from './people-rules.ts';
import { checkGrant } from '../../registry/store/roles.ts';
import { canApproveEverything, canChangeAnything, type HeldRole } from '../../registry/store/member-roles.ts';
import { isSecondPersonRequired, requireSecondPerson } from '../../registry/store/second-person.ts';
import { removeUnsharedViews } from '../../registry/store/saved-views.ts';

/** A member of an account. */
export interface MemberRecord {
  readonly userId: string;
  readonly name: string;
  /** Lowercase. */
  readonly email: string;
  /** The name of a built-in role, or the ID of one of the account's own. */
  readonly role: string;
  readonly roleName: string;
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
 * Changes a member's role. The caller must hold everything that the new role grants, and that the old one does: nobody takes what
 * they could not give.
 *
 * @param name the name of the new role
 * @throws RegistryError `member_unknown`, `member_role_invalid`, `leading_role_held`, `permission_not_held`,
 *   `last_owner`, `caller_not_permitted`
 */
export async function changeMember(
  database: Database,
  userId: string,
  name: string,
  initialContext: ChangeContext,
): Promise<MemberRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const account = await peopleAccount(transaction, context);
    const member = await readMember(transaction, account.accountId, userId);
    const roles = await rolesIn(transaction, account, context);
    const role = roleNamed(roles, name);
    if (role.role === member.role) return member;
    checkLead(account, context, member.role, role.role);
    checkGrant(role.permissions, context.grantable ?? new Set());
    const before = roles.get(member.role);
    checkReach(before, context);
    await checkNotLast(transaction, account, member);
    await checkKeepsApprover(transaction, account, { before, after: role }, context);
    await guardRaise(transaction, account, { member, before, after: role }, context);
    await transaction
      .updateTable('members')
      .set({ role: role.role })
      .where('account_id', '=', account.accountId)
      .where('user_id', '=', userId)
      .execute();
    await record(transaction, 'member.role_changed', account.accountId, userId, {
      before: { role: member.roleName },
      after: { role: role.name },
      context,
    });
    await withdrawInvitationsOf(transaction, account, { userId, role }, context);
    return { ...member, role: role.role, roleName: role.name };
  });
}

/**
 * Removes a member. Their sessions can no longer do anything in the account, and the invitations they sent are
 * withdrawn, because they may have kept a link. The views that they did not share are removed.
 *
 * @throws RegistryError `member_unknown`, `leading_role_held`, `permission_not_held`, `last_owner`,
 *   `caller_not_permitted`
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
    const held = (await rolesIn(transaction, account, context)).get(member.role);
    if (userId !== context.actor.id) checkReach(held, context);
    await checkNotLast(transaction, account, member);
    await checkKeepsApprover(transaction, account, { before: held, after: undefined }, context);
    await transaction
      .deleteFrom('members')
      .where('account_id', '=', account.accountId)
      .where('user_id', '=', userId)
      .execute();
    const { name, email, roleName: role } = member;
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
  { member: { userId, name, roleName }, before, after }: RoleChange,
  context: ChangeContext,
): Promise<void> {
  const isRaised = [...after.permissions].some((permission) => before?.permissions.has(permission) !== true);
  const isLeading = after.role === leadingRole(account);
  if (!canChangeAnything(after) || !(isRaised || isLeading)) return;
  const target = { type: 'member', id: userId, name } as const;
  const { accountId } = account;
  const granted = await grantsOf(transaction, account, after);
  const change = { accountId, target, before: { role: roleName }, after: roleInWords(after), ...granted };
  await requireSecondPerson(transaction, change, context);
}

interface RoleChange {
  readonly member: MemberRecord;
  /** Undefined for a role that no longer exists. */
  readonly before: HeldRole | undefined;
  readonly after: HeldRole;
}

/**
 * Checks that the caller holds everything that a member's role grants: someone who may only manage people with few permissions
 * demotes and removes nobody with more.
 *
 * @throws RegistryError `permission_not_held`
 */
function checkReach(held: HeldRole | undefined, { grantable = new Set<Permission>() }: ChangeContext): void {
  const missing = [...(held?.permissions ?? [])].filter((permission) => !grantable.has(permission));
  if (missing.length === 0) return;
  throw new RegistryError(
    'permission_not_held',
    `This member has permissions that you do not have: ${missing.toSorted().join(', ')}.`,
  );
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
  { before, after }: { readonly before: HeldRole | undefined; readonly after: HeldRole | undefined },
  { actor }: ChangeContext,
): Promise<void> {
  const isLost =
    before !== undefined &&
    canApproveEverything(before) &&
    !(after !== undefined && canApproveEverything(after));
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
  readonly role: string;
  readonly role_name: string;
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
    .leftJoin('roles as own_role', 'own_role.role_id', 'members.role')
    .select((query) => [
      'members.user_id',
      'persons.name',
      'persons.email',
      'members.role',
      query.fn.coalesce('own_role.name', 'members.role').as('role_name'),
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
    roleName: row.role_name,
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
