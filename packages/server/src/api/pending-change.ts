import { type PendingChange, pendingChangeLimits } from '@countersign/contract';
import type { Answer } from '@countersign/gate';
import type { Transaction } from 'kysely';
import type { GuardedChange } from '../registry/guarded-change.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { ChangeContext } from '../registry/store/context.ts';
import {
  addPendingChange,
  type PendingChangeRecord,
  type PendingRequest,
} from '../registry/store/pending-changes.ts';
import type { Schema } from '../storage/schema.ts';
import type { ApiRequest } from './handler.ts';
import { timestamp } from './timestamp.ts';

/** A request that waits for a second person, and what it would change. */
export interface WaitingRequest {
  readonly request: PendingRequest;
  readonly change: GuardedChange;
}

/**
 * Returns the change to store for a second person if a request failed because it needs one; undefined if it cannot wait.
 * Only a person's request can: behind a signed one, it is not known who asks, so the same person might approve it. A change
 * of many things at once is not made to wait either.
 */
export function pendingChangeOf(error: unknown, request: ApiRequest): WaitingRequest | undefined {
  if (!(error instanceof RegistryError) || error.guarded === undefined) return undefined;
  const { operation, parameters, body, caller } = request;
  if (caller.kind !== 'person' || operation.mayWait !== true || request.approval !== undefined)
    return undefined;
  if (body.length > pendingChangeLimits.bodyBytesMax) return undefined;
  return {
    request: {
      operation: operation.id,
      parameters,
      body: body.length === 0 ? undefined : new TextDecoder().decode(body),
      ifMatch: request.header('if-match'),
    },
    change: error.guarded,
  };
}

/** Stores a change for a second person. */
export async function askSecondPerson(
  transaction: Transaction<Schema>,
  { request, change }: WaitingRequest,
  context: ChangeContext,
): Promise<Answer<PendingChange>> {
  // The state was compared before; that of an account is not that of its pending change.
  const record = await addPendingChange(transaction, request, change, context);
  const location = { Location: `/v1/pending-changes/${record.pendingChangeId}` };
  return {
    status: 202,
    headers: location,
    body: showPendingChange(record, { mayDecide: false, isOwn: true }),
  };
}

/** Returns a pending change as the API shows it. */
export function showPendingChange(
  record: PendingChangeRecord,
  caller: { readonly mayDecide: boolean; readonly isOwn: boolean },
): PendingChange {
  const { pendingChangeId, request, change, requester, status, decidedBy, decidedAtMs, reason } = record;
  const { userId, name, actingReason } = requester;
  const { before, after } = change;
  return {
    pendingChangeId,
    operation: request.operation,
    target: change.target,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    requestedBy: { userId, name, ...(actingReason !== undefined && { actingReason }) },
    requestedAt: timestamp(record.requestedAtMs),
    expiresAt: timestamp(record.expiresAtMs),
    status,
    ...(decidedBy !== undefined && { decidedBy }),
    ...(decidedAtMs !== undefined && { decidedAt: timestamp(decidedAtMs) }),
    ...(reason !== undefined && { reason }),
    ...caller,
  };
}
