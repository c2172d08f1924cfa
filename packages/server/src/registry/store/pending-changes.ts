import {
  type AuditAction,
  newId,
  type OperationId,
  pendingChangeLimits,
  type PendingChangeStatus,
} from '@countersign/contract';
import type { Selectable, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { GuardedChange } from '../guarded-change.ts';
import { RegistryError } from '../registry-error.ts';
import type { PendingChangesTable } from '../tables.ts';
import { readAccount } from './accounts.ts';
import { recordAudited } from './audit.ts';
import { changeFor, notPermitted } from './caller.ts';
import { changeRegistry } from './changes.ts';
import type { ChangeContext } from './context.ts';
import { countApprovers, reasonNotToApprove } from './second-person.ts';

/** The request that would have made the change, to be made again once it is approved. */
export interface PendingRequest {
  readonly operation: OperationId;
  readonly parameters: Readonly<Record<string, string>>;
  /** JSON; undefined if the operation takes no body. */
  readonly body: string | undefined;
  /** The state that the requester had seen. */
  readonly ifMatch: string | undefined;
}

/** The person who asked for a change. */
export interface Requester {
  readonly userId: string;
  readonly name: string;
  /** The reason why they acted for the account. */
  readonly actingReason?: string | undefined;
  readonly sourceAddress?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A change that waits for a second person, or did. */
export interface PendingChangeRecord {
  readonly pendingChangeId: string;
  readonly accountId: string;
  readonly request: PendingRequest;
  readonly change: GuardedChange;
  readonly requester: Requester;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
  /** A change that has just expired is `expired` even before that is recorded. */
  readonly status: PendingChangeStatus;
  readonly decidedBy: { readonly userId: string; readonly name: string } | undefined;
  readonly decidedAtMs: number | undefined;
  readonly reason: string | undefined;
}

/**
 * Stores a change for a second person, in the name of the person who asks for it. Asking for the same again while it waits
 * stores nothing.
 *
 * @throws RegistryError `pending_changes_too_many`
 */
export async function addPendingChange(
  database: Database,
  request: PendingRequest,
  change: GuardedChange,
  initialContext: ChangeContext,
): Promise<PendingChangeRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const { nowMs, actor, accountId } = context;
    if (accountId !== change.accountId || actor.kind !== 'person') throw notPermitted();
    const { operation, ...rest } = request;
    const text = JSON.stringify(rest);
    const same = await waitingOf(transaction, accountId, nowMs)
      .selectAll()
      .where('requested_by', '=', actor.id)
      .where('operation', '=', operation)
      .where('request', '=', text)
      .executeTakeFirst();
    if (same !== undefined) return recordOf(same, nowMs);
    const description = JSON.stringify(change);
    await checkRoom(transaction, { accountId, userId: actor.id, description, nowMs });
    const { id: userId, name = '', actingReason, sourceAddress, requestId } = actor;
    const requester: Requester = { userId, name, actingReason, sourceAddress, requestId };
    const row: Selectable<PendingChangesTable> = {
      pending_change_id: newId('change', nowMs),
      account_id: accountId,
      operation,
      request: text,
      description,
      requested_by: userId,
      requester: JSON.stringify(requester),
      requested_at_ms: nowMs,
      expires_at_ms: nowMs + pendingChangeLimits.days * dayMs,
      status: 'waiting',
      decided_by: null,
      decider_name: null,
      decided_at_ms: null,
      reason: null,
    };
    await transaction.insertInto('pending_changes').values(row).execute();
    const record = recordOf(row, nowMs);
    await audit(transaction, 'pending_change.requested', record, undefined, context);
    return record;
  });
}

/** Other changes wait for the registry while this one is stored, and everyone who may approve reads it. */
async function checkRoom(
  transaction: Transaction<Schema>,
  {
    accountId,
    userId,
    description,
    nowMs,
  }: {
    readonly accountId: string;
    readonly userId: string;
    readonly description: string;
    readonly nowMs: number;
  },
): Promise<void> {
  const { waitingMax, waitingOfPersonMax, descriptionCharactersMax } = pendingChangeLimits;
  if (description.length > descriptionCharactersMax) {
    const message = 'It is too large to be shown to a second person: shorten the network whitelist first.';
    throw new RegistryError('pending_changes_too_many', message);
  }
  const waiting = await waitingOf(transaction, accountId, nowMs)
    .select('requested_by')
    .limit(waitingMax)
    .execute();
  if (waiting.length >= waitingMax) {
    const message = `At most ${waitingMax} changes of an account can wait.`;
    throw new RegistryError('pending_changes_too_many', message);
  }
  if (waiting.filter((row) => row.requested_by === userId).length >= waitingOfPersonMax) {
    const message = `At most ${waitingOfPersonMax} changes that one person asked for can wait.`;
    throw new RegistryError('pending_changes_too_many', message);
  }
}

export interface PendingChangeFilter {
  readonly accountId: string;
  /** Shows the changes that this person asked for, and those of these operations. */
  readonly userId: string;
  readonly operations: readonly OperationId[];
  readonly onlyWaiting: boolean;
  readonly beforeId?: string | undefined;
  readonly limit: number;
  readonly nowMs: number;
}

/** Lists a page of an account's pending changes, newest first. */
export async function listPendingChanges(
  database: Database,
  { accountId, userId, operations, onlyWaiting, beforeId, limit, nowMs }: PendingChangeFilter,
): Promise<PendingChangeRecord[]> {
  let query = onlyWaiting
    ? waitingOf(database, accountId, nowMs).selectAll()
    : database.selectFrom('pending_changes').selectAll().where('account_id', '=', accountId);
  query = query.where((row) =>
    row.or([row('requested_by', '=', userId), row('operation', 'in', ['', ...operations])]),
  );
  if (beforeId !== undefined) query = query.where('pending_change_id', '<', beforeId);
  const rows = await query.orderBy('pending_change_id', 'desc').limit(limit).execute();
  return rows.map((row) => recordOf(row, nowMs));
}

/** Reads one of an account's pending changes; undefined if there is none with this ID. */
export async function readPendingChange(
  database: Database,
  accountId: string,
  pendingChangeId: string,
  nowMs: number,
): Promise<PendingChangeRecord | undefined> {
  const row = await database
    .selectFrom('pending_changes')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('pending_change_id', '=', pendingChangeId)
    .executeTakeFirst();
  return row && recordOf(row, nowMs);
}

/** How a pending change ends by someone's decision. */
export interface Decision {
  readonly pendingChangeId: string;
  readonly status: 'approved' | 'rejected' | 'withdrawn' | 'failed';
  /** Why it is rejected, or could not be made. */
  readonly reason?: string | undefined;
}

/**
 * Ends a pending change in the name of the person in the context: whoever asked for it withdraws it, and someone else
 * approves or rejects it. Decisions are serialized, so a change is approved at most once.
 *
 * @returns the change as it is now
 * @throws RegistryError `second_person_required` for a person who may not decide it, `pending_change_unknown`,
 *   `pending_change_decided`
 */
export async function decidePendingChange(
  database: Database,
  { pendingChangeId, status, reason }: Decision,
  initialContext: ChangeContext,
): Promise<PendingChangeRecord> {
  return changeFor(database, initialContext, async (transaction, context) => {
    const { nowMs, actor, accountId = '' } = context;
    const record = await readPendingChange(transaction, accountId, pendingChangeId, nowMs);
    if (record === undefined)
      throw new RegistryError('pending_change_unknown', 'There is no such pending change.');
    if (status === 'withdrawn') {
      if (record.requester.userId !== actor.id)
        throw notPermitted('Only the person who asked for a change can withdraw it.');
    } else await checkSecondPerson(transaction, record, context);
    if (record.status !== 'waiting')
      throw new RegistryError('pending_change_decided', `The change is no longer pending: ${record.status}.`);
    await transaction
      .updateTable('pending_changes')
      .set({
        status,
        decided_by: actor.id,
        decider_name: actor.name ?? '',
        decided_at_ms: nowMs,
        reason: reason ?? null,
      })
      .where('pending_change_id', '=', pendingChangeId)
      .execute();
    await audit(transaction, `pending_change.${status}`, record, reason, context);
    const decidedBy = { userId: actor.id, name: actor.name ?? '' };
    return { ...record, status, reason, decidedBy, decidedAtMs: nowMs };
  });
}

/**
 * Throws unless the person in the context is a second person: somebody else, a member of the account, and able to make the
 * change. If the account has only one person left who could approve, someone of the provider who acts for it can be the second.
 */
async function checkSecondPerson(
  transaction: Transaction<Schema>,
  { accountId, requester, change }: PendingChangeRecord,
  { actor, grantable = new Set(), memberRole, addedPermissions = {} }: ChangeContext,
): Promise<void> {
  if (actor.kind !== 'person' || actor.id === requester.userId) {
    throw new RegistryError(
      'second_person_required',
      'You asked for this change yourself: someone else must decide it.',
    );
  }
  if (actor.actingReason !== undefined && !(await isWithoutSecond(transaction, accountId))) {
    throw new RegistryError(
      'second_person_required',
      'You are acting for this account: one of its own members must decide the change.',
    );
  }
  const reason = reasonNotToApprove(change, { permissions: grantable, memberRole }, addedPermissions);
  if (reason !== undefined) throw new RegistryError('second_person_required', reason);
}

/** Returns true if an account has fewer than two members who could approve every change. */
export async function isWithoutSecond(database: Database, accountId: string): Promise<boolean> {
  return (await countApprovers(database, await readAccount(database, accountId))) < 2;
}

/**
 * Records which pending changes have expired, and deletes those that ended long ago.
 *
 * @returns the number of expired changes, at most `limit`
 */
export async function expirePendingChanges(
  database: Database,
  limit: number,
  context: ChangeContext,
): Promise<number> {
  const { nowMs } = context;
  const due = await database
    .selectFrom('pending_changes')
    .select('pending_change_id')
    .where('status', '=', 'waiting')
    .where('expires_at_ms', '<=', nowMs)
    .limit(limit)
    .execute();
  for (const { pending_change_id: id } of due) await expire(database, id, context);
  await database
    .deleteFrom('pending_changes')
    .where('requested_at_ms', '<=', nowMs - (pendingChangeLimits.keptDays + pendingChangeLimits.days) * dayMs)
    .where('status', '!=', 'waiting')
    .execute();
  return due.length;
}

async function expire(database: Database, id: string, context: ChangeContext): Promise<void> {
  await changeRegistry(database, async (transaction) => {
    const row = await transaction
      .updateTable('pending_changes')
      .set((column) => ({ status: 'expired', decided_at_ms: column.ref('expires_at_ms') }))
      .where('pending_change_id', '=', id)
      .where('status', '=', 'waiting')
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined)
      await audit(transaction, 'pending_change.expired', recordOf(row, context.nowMs), undefined, context);
  });
}

const dayMs = 86_400_000;

function waitingOf(database: Database, accountId: string, nowMs: number) {
  return database
    .selectFrom('pending_changes')
    .where('account_id', '=', accountId)
    .where('status', '=', 'waiting')
    .where('expires_at_ms', '>', nowMs);
}

async function audit(
  transaction: Transaction<Schema>,
  action: AuditAction,
  { pendingChangeId, accountId, request, change, requester }: PendingChangeRecord,
  reason: string | undefined,
  context: ChangeContext,
): Promise<void> {
  const { type, id, clientId } = change.target;
  const isOwn = action === 'pending_change.requested' || action === 'pending_change.withdrawn';
  const { userId, name } = requester;
  await recordAudited(
    transaction,
    {
      subject: 'member',
      subjectId: pendingChangeId,
      accountId,
      action,
      targets: [
        { type: 'pending_change', id: pendingChangeId },
        { type, id },
        ...(clientId === undefined ? [] : [{ type: 'client', id: clientId } as const]),
      ],
      after: {
        operation: request.operation,
        ...(!isOwn && { requestedBy: { userId, name } }),
        ...(isOwn && change.after),
        ...(reason !== undefined && { reason }),
      },
    },
    context,
  );
}

function recordOf(row: Selectable<PendingChangesTable>, nowMs: number): PendingChangeRecord {
  const isExpired = row.status === 'waiting' && row.expires_at_ms <= nowMs;
  return {
    pendingChangeId: row.pending_change_id,
    accountId: row.account_id,
    request: {
      operation: row.operation as OperationId,
      ...(JSON.parse(row.request) as Omit<PendingRequest, 'operation'>),
    },
    change: JSON.parse(row.description) as GuardedChange,
    requester: JSON.parse(row.requester) as Requester,
    requestedAtMs: row.requested_at_ms,
    expiresAtMs: row.expires_at_ms,
    status: isExpired ? 'expired' : row.status,
    decidedBy: row.decided_by === null ? undefined : { userId: row.decided_by, name: row.decider_name ?? '' },
    decidedAtMs: row.decided_at_ms ?? undefined,
    reason: row.reason ?? undefined,
  };
}
