import { type AuditAction, invitationDays, leadingRole, newId, type Permission } from '@countersign/contract';
import type { SelectQueryBuilder, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { recordAudited } from '../../registry/store/audit.ts';
import { changeFor, notPermitted } from '../../registry/store/caller.ts';
import type { ChangeContext } from '../../registry/store/context.ts';
import {
  checkLead,
  grantsOf,
  hasLeader,
  type PeopleAccount,
  peopleAccount,
  roleInWords,
  roleNamed,
  rolesIn,
} from './people-rules.ts';
import { checkGrant } from '../../registry/store/roles.ts';
import { canChangeAnything, type HeldRole } from '../../registry/store/member-roles.ts';
import { isSecondPersonRequired, requireSecondPerson } from '../../registry/store/second-person.ts';

/** A pending invitation. */
export interface InvitationRecord {
  readonly invitationId: string;
  readonly accountId: string;
  readonly accountName: string;
  /** Lowercase. */
  readonly email: string;
  /** The name of a built-in role, or the ID of one of the account's own. */
  readonly role: string;
  readonly roleName: string;
  readonly invitedBy: { readonly userId: string; readonly name: string };
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** An invitation with a new link. */
export interface SentInvitation extends InvitationRecord {
  /** True if its role can approve changes, in an account that requires a second person. */
  readonly isGuarded: boolean;
}

export interface NewInvitation {
  readonly email: string;
  /** The name of the role. */
  readonly role: string;
  /** The hash of the token in the link. */
  readonly tokenHash: string;
}

/** Lists a page of an account's invitations, oldest first. */
export async function listInvitations(
  database: Database,
  {
    accountId,
    afterInvitationId,
    limit,
  }: { readonly accountId: string; readonly afterInvitationId?: string | undefined; readonly limit: number },
): Promise<InvitationRecord[]> {
  let query = selectInvitations(database, accountId).orderBy('invitation_id').limit(limit);
  if (afterInvitationId !== undefined) query = query.where('invitation_id', '>', afterInvitationId);
  return (await query.execute()).map(recordOf);
}

/**
 * Invites a person to the caller's account. Only holders of the leading role can invite others to it. While it
 * has no holder, a person acting for the account can invite the first.
 *
 * @throws RegistryError `member_role_invalid`, `leading_role_held`, `permission_not_held`, `member_exists`,
 *   `invitation_pending`, `invitations_too_many`
 */
export async function addInvitation(
  database: Database,
  { email: text, role: name, tokenHash }: NewInvitation,
  initialContext: ChangeContext,
): Promise<SentInvitation> {
  const email = text.toLowerCase();
  return changeFor(database, initialContext, async (transaction, context) => {
    const account = await peopleAccount(transaction, context);
    const { accountId } = account;
    const role = roleNamed(await rolesIn(transaction, account, context), name);
    await checkMayInvite(transaction, account, role, context);
    await checkIsNew(transaction, accountId, email, context);
    if (canChangeAnything(role)) {
      const target = { type: 'account', id: accountId, name: account.name } as const;
      const granted = await grantsOf(transaction, account, role);
      const change = { accountId, target, after: { email, ...roleInWords(role) }, ...granted };
      await requireSecondPerson(transaction, change, context);
    }
    return insertInvitation(transaction, account, { email, role, tokenHash }, context);
  });
}

/**
 * Invites the first owner of an account that was just added in the same transaction. It takes the permission to act for
 * accounts, like an invitation while acting, and is withdrawn with it.
 *
 * @throws RegistryError `caller_not_permitted`
 */
export async function inviteFirstOwner(
  database: Database,
  account: PeopleAccount,
  { email: text, tokenHash }: Omit<NewInvitation, 'role'>,
  initialContext: ChangeContext,
): Promise<SentInvitation> {
  const email = text.toLowerCase();
  return changeFor(database, initialContext, async (transaction, context) => {
    const mayInvite = context.memberRole !== undefined && context.grantable?.has('accounts:act') === true;
    if (!mayInvite) throw notPermitted();
    if (await isOwnAddress(transaction, email, context))
      throw notPermitted('You cannot make yourself a member of an account that you add.');
    const role = roleNamed(await rolesIn(transaction, account, context), leadingRole(account));
    return insertInvitation(transaction, account, { email, role, tokenHash }, context);
  });
}

async function insertInvitation(
  transaction: Transaction<Schema>,
  { accountId }: PeopleAccount,
  { email, role, tokenHash }: { readonly email: string; readonly role: HeldRole; readonly tokenHash: string },
  context: ChangeContext,
): Promise<SentInvitation> {
  const { nowMs, actor } = context;
  const invitationId = newId('invitation', nowMs);
  await transaction
    .insertInto('invitations')
    .values({
      invitation_id: invitationId,
      account_id: accountId,
      email,
      role: role.role,
      token_hash: tokenHash,
      invited_by: actor.id,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + lifetimeMs,
      accepted_at_ms: null,
    })
    .execute();
  const invitation = await readInvitation(transaction, accountId, invitationId);
  await record(transaction, 'member.invited', invitation, context);
  return sent(transaction, role, invitation);
}

/**
 * Gives an invitation a new link and a later end. The previous link stops working.
 *
 * @throws RegistryError `invitation_unknown`, `leading_role_held`, `permission_not_held`,
 *   `invitation_just_sent`
 */
export async function renewInvitation(
  database: Database,
  invitationId: string,
  tokenHash: string,
  initialContext: ChangeContext,
): Promise<SentInvitation> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const account = await peopleAccount(transaction, context);
    const { nowMs } = context;
    const invitation = await readInvitation(transaction, account.accountId, invitationId);
    const roles = await rolesIn(transaction, account, context);
    const role = roleNamed(roles, invitation.roleName);
    await checkMayInvite(transaction, account, role, context);
    const waitMs = invitation.expiresAtMs - lifetimeMs + sendAgainMs - nowMs;
    if (waitMs > 0) {
      throw new RegistryError('invitation_just_sent', 'The invitation was sent less than a minute ago.', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      });
    }
    const expiresAtMs = nowMs + lifetimeMs;
    await transaction
      .updateTable('invitations')
      // The person who resends an invitation becomes its inviter.
      .set({ token_hash: tokenHash, is_mailed: 0, expires_at_ms: expiresAtMs, invited_by: context.actor.id })
      .where('invitation_id', '=', invitationId)
      .execute();
    await record(transaction, 'member.invited', invitation, context);
    return sent(transaction, role, await readInvitation(transaction, account.accountId, invitationId));
  });
}

/**
 * Withdraws an invitation. Its link stops working.
 *
 * @throws RegistryError `invitation_unknown`, `leading_role_held`
 */
export async function removeInvitation(
  database: Database,
  invitationId: string,
  initialContext: ChangeContext,
): Promise<InvitationRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const account = await peopleAccount(transaction, context);
    const invitation = await readInvitation(transaction, account.accountId, invitationId);
    if (await hasLeader(transaction, account)) checkLead(account, context, invitation.role);
    await withdraw(transaction, invitation, context);
    return invitation;
  });
}

/**
 * Withdraws the invitations that a person sent and may no longer send: the links may be in the wrong hands,
 * even the person's own. A person who leaves the operator, or may no longer act for accounts, may also have
 * sent some in accounts they acted for.
 *
 * @param inviter with their new role in the account; undefined for none
 */
export async function withdrawInvitationsOf(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  { userId, role }: { readonly userId: string; readonly role: HeldRole | undefined },
  context: ChangeContext,
): Promise<void> {
  const roles = await rolesIn(transaction, account, context);
  const isHeld = (name: Permission): boolean => role?.permissions.has(name) === true;
  const own = await selectInvitations(transaction, account.accountId)
    .where('invited_by', '=', userId)
    .execute();
  const leading = leadingRole(account);
  const lost = own.filter(
    (row) =>
      !isHeld('members:write') ||
      (row.role === leading && role?.role !== leading) ||
      [...(roles.get(row.role)?.permissions ?? [])].some((name) => !isHeld(name)),
  );
  const sentWhileActing =
    account.isOperator && !isHeld('accounts:act')
      ? await selectInvitationsOfAll(transaction)
          .where('invited_by', '=', userId)
          .where('invitations.account_id', '!=', account.accountId)
          .where((invitation) =>
            invitation.not(
              invitation.exists(
                invitation
                  .selectFrom('members')
                  .select('members.user_id')
                  .whereRef('members.account_id', '=', 'invitations.account_id')
                  .where('members.user_id', '=', userId),
              ),
            ),
          )
          .execute()
      : [];
  for (const row of [...lost, ...sentWhileActing]) await withdraw(transaction, recordOf(row), context);
}

/**
 * Withdraws the invitations to roles that can approve changes. Otherwise someone could invite a second account of their own
 * first, then have changes wait for a second person, and then be both.
 */
export async function withdrawApprovers(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  context: ChangeContext,
): Promise<void> {
  const roles = await rolesIn(transaction, account, context);
  const rows = await selectInvitations(transaction, account.accountId).execute();
  for (const row of rows) {
    const role = roles.get(row.role);
    if (role === undefined || canChangeAnything(role)) await withdraw(transaction, recordOf(row), context);
  }
}

/** Withdraws every invitation to a role. */
export async function withdrawInvitationsTo(
  transaction: Transaction<Schema>,
  { accountId }: PeopleAccount,
  role: string,
  context: ChangeContext,
): Promise<void> {
  const rows = await selectInvitations(transaction, accountId).where('invitations.role', '=', role).execute();
  for (const row of rows) await withdraw(transaction, recordOf(row), context);
}

async function sent(
  transaction: Transaction<Schema>,
  role: HeldRole,
  invitation: InvitationRecord,
): Promise<SentInvitation> {
  const isGuarded =
    canChangeAnything(role) && (await isSecondPersonRequired(transaction, invitation.accountId));
  return { ...invitation, isGuarded };
}

const lifetimeMs = invitationDays * 86_400_000;
/** The minimum time between two mails of an invitation, so that resending doesn't flood a mailbox. */
const sendAgainMs = 60_000;
const pendingMax = 100;

async function checkMayInvite(
  transaction: Transaction<Schema>,
  account: PeopleAccount,
  { role, permissions }: HeldRole,
  context: ChangeContext,
): Promise<void> {
  const isFirst =
    role === leadingRole(account) &&
    context.actor.actingReason !== undefined &&
    !(await hasLeader(transaction, account));
  if (!isFirst) checkLead(account, context, role);
  checkGrant(permissions, context.grantable ?? new Set());
}

async function checkIsNew(
  transaction: Transaction<Schema>,
  accountId: string,
  email: string,
  context: ChangeContext,
): Promise<void> {
  if (context.actor.actingReason !== undefined && (await isOwnAddress(transaction, email, context)))
    throw notPermitted('You cannot make yourself a member of an account you are acting for.');
  const member = await transaction
    .selectFrom('members')
    .innerJoin('persons', 'persons.user_id', 'members.user_id')
    .select(['members.user_id'])
    .where('members.account_id', '=', accountId)
    .where('persons.email', '=', email)
    .executeTakeFirst();
  if (member !== undefined)
    throw new RegistryError('member_exists', 'This address already belongs to a member.');
  const invitations = await selectInvitations(transaction, accountId).execute();
  const same = invitations.map(recordOf).find((one) => one.email === email);
  if (same !== undefined && same.expiresAtMs > context.nowMs) {
    throw new RegistryError('invitation_pending', 'This address already has a pending invitation.');
  }
  // The invitation has expired, and an address has at most one.
  if (same !== undefined) await withdraw(transaction, same, context);
  else if (invitations.length >= pendingMax) {
    throw new RegistryError(
      'invitations_too_many',
      `An account has at most ${pendingMax} pending invitations.`,
    );
  }
}

async function isOwnAddress(
  transaction: Transaction<Schema>,
  email: string,
  { actor }: ChangeContext,
): Promise<boolean> {
  const person = await transaction
    .selectFrom('persons')
    .select('user_id')
    .where('user_id', '=', actor.id)
    .where('email', '=', email)
    .executeTakeFirst();
  return person !== undefined;
}

async function withdraw(
  transaction: Transaction<Schema>,
  invitation: InvitationRecord,
  context: ChangeContext,
): Promise<void> {
  await transaction.deleteFrom('invitations').where('invitation_id', '=', invitation.invitationId).execute();
  await record(transaction, 'invitation.revoked', invitation, context);
}

async function record(
  transaction: Transaction<Schema>,
  action: AuditAction & ('member.invited' | 'invitation.revoked'),
  { invitationId, accountId, email, roleName: role }: InvitationRecord,
  context: ChangeContext,
): Promise<void> {
  const state = action === 'member.invited' ? { after: { email, role } } : { before: { email, role } };
  await recordAudited(
    transaction,
    {
      subject: 'member',
      subjectId: invitationId,
      accountId,
      action,
      targets: [
        { type: 'invitation', id: invitationId },
        { type: 'account', id: accountId },
      ],
      ...state,
    },
    context,
  );
}

async function readInvitation(
  transaction: Transaction<Schema>,
  accountId: string,
  invitationId: string,
): Promise<InvitationRecord> {
  const row = await selectInvitations(transaction, accountId)
    .where('invitation_id', '=', invitationId)
    .executeTakeFirst();
  if (row === undefined) throw new RegistryError('invitation_unknown', 'There is no such invitation.');
  return recordOf(row);
}

interface InvitationRow {
  readonly invitation_id: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly email: string;
  readonly role: string;
  readonly role_name: string;
  readonly invited_by: string;
  readonly inviter_name: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
}

function selectInvitations(
  database: Database,
  accountId: string,
): SelectQueryBuilder<Schema, 'invitations' | 'accounts', InvitationRow> {
  return selectInvitationsOfAll(database).where('invitations.account_id', '=', accountId);
}

function selectInvitationsOfAll(
  database: Database,
): SelectQueryBuilder<Schema, 'invitations' | 'accounts', InvitationRow> {
  return database
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.account_id', 'invitations.account_id')
    .leftJoin('persons', 'persons.user_id', 'invitations.invited_by')
    .leftJoin('roles as own_role', 'own_role.role_id', 'invitations.role')
    .select(({ fn }) => fn.coalesce('own_role.name', 'invitations.role').as('role_name'))
    .select([
      'invitations.invitation_id',
      'invitations.account_id',
      'accounts.name as account_name',
      'invitations.email',
      'invitations.role',
      'invitations.invited_by',
      'persons.name as inviter_name',
      'invitations.created_at_ms',
      'invitations.expires_at_ms',
    ])
    .where('accepted_at_ms', 'is', null);
}

function recordOf(row: InvitationRow): InvitationRecord {
  return {
    invitationId: row.invitation_id,
    accountId: row.account_id,
    accountName: row.account_name,
    email: row.email,
    role: row.role,
    roleName: row.role_name,
    invitedBy: { userId: row.invited_by, name: row.inviter_name ?? '' },
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}
