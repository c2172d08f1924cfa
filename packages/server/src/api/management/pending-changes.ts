import {
  isPermitted,
  type OperationId,
  operations,
  parseAddress,
  type PendingChange,
  problems,
} from '@countersign/contract';
import { type Answer, ProblemError } from '@countersign/gate';
import { readAccess } from '../../registry/store/account-access.ts';
import type { ChangingPerson } from '../../registry/store/caller.ts';
import type { ChangeContext, StoreContext } from '../../registry/store/context.ts';
import {
  decidePendingChange,
  isWithoutSecond,
  listPendingChanges,
  type PendingChangeRecord,
  readPendingChange,
} from '../../registry/store/pending-changes.ts';
import { reasonNotToApprove } from '../../registry/store/second-person.ts';
import type { PersonCaller } from '../../people/sessions/person-caller.ts';
import { personCaller } from '../caller.ts';
import { changeContext } from '../caller-scope.ts';
import type { ApiRequest, Approval } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { pageOf, placeOf } from '../page.ts';
import type { ApiParts } from '../parts.ts';
import { showPendingChange } from '../pending-change.ts';

export const pendingChangeHandlers = defineHandlers((parts) => {
  const { database, change } = parts;
  return {
    listPendingChanges: async ({ query }, request) => {
      const { limit, afterId } = placeOf(query, 'change');
      const caller = personCaller(request);
      const records = await listPendingChanges(database, {
        accountId: caller.accountId,
        userId: caller.person.userId,
        operations: waitingOperations.filter((id) => mayCall(caller, id)),
        onlyWaiting: query.show !== 'all',
        beforeId: afterId,
        limit: limit + 1,
        nowMs: request.nowMs,
      });
      const isSecond = await canBeSecond(parts, caller);
      const show = (record: PendingChangeRecord): PendingChange => shownTo(parts, caller, record, isSecond);
      const body = pageOf(records, limit, ({ pendingChangeId }) => pendingChangeId, show);
      return { status: 200, body };
    },

    getPendingChange: async (_input, request) => answerTo(parts, request, await readVisible(parts, request)),

    approvePendingChange: async (_input, request) => {
      const record = await readVisible(parts, request);
      return answerTo(parts, request, await approve(parts, record, request));
    },

    rejectPendingChange: async ({ body: { reason } }, request) => {
      const record = await readVisible(parts, request);
      return change(request, async (transaction, context) => {
        const decision = { pendingChangeId: record.pendingChangeId, status: 'rejected', reason } as const;
        const decider = deciding(request, record, context);
        return answerTo(parts, request, await decidePendingChange(transaction, decision, decider));
      });
    },

    withdrawPendingChange: async (_input, request) => {
      const { pendingChangeId } = await readVisible(parts, request);
      return change(request, async (transaction, context) => {
        const decision = { pendingChangeId, status: 'withdrawn' } as const;
        return answerTo(parts, request, await decidePendingChange(transaction, decision, context));
      });
    },
  };
});

const waitingOperations = (Object.keys(operations) as OperationId[]).filter((id) => operations[id].mayWait);

/**
 * Returns the pending change that the path names, if the caller may see it: whoever asked for it, and whoever could make the
 * same change.
 *
 * @throws ProblemError `not_found`
 */
async function readVisible({ database }: ApiParts, request: ApiRequest): Promise<PendingChangeRecord> {
  const caller = personCaller(request);
  const id = idInPath(request, 'pendingChangeId', 'change');
  const record = await readPendingChange(database, caller.accountId, id, request.nowMs);
  const isVisible =
    record !== undefined &&
    (record.requester.userId === caller.person.userId || mayCall(caller, record.request.operation));
  if (!isVisible) throw new ProblemError('not_found');
  return record;
}

function mayCall({ person, permissions }: PersonCaller, id: OperationId): boolean {
  return isPermitted(operations[id], {}, { kind: 'person', userId: person.userId }, permissions);
}

/** Returns true for a member of the account, and for someone who acts for an account that has no second person. */
async function canBeSecond({ database }: ApiParts, caller: PersonCaller): Promise<boolean> {
  return caller.actingReason === undefined || isWithoutSecond(database, caller.accountId);
}

function shownTo(
  { addedPermissions = {} }: ApiParts,
  caller: PersonCaller,
  record: PendingChangeRecord,
  isSecond: boolean,
): PendingChange {
  const isOwn = record.requester.userId === caller.person.userId;
  const isPossible =
    record.status === 'waiting' &&
    mayCall(caller, record.request.operation) &&
    reasonNotToApprove(record.change, caller, addedPermissions) === undefined;
  return showPendingChange(record, { isOwn, mayDecide: !isOwn && isSecond && isPossible });
}

async function answerTo(
  parts: ApiParts,
  request: ApiRequest,
  record: PendingChangeRecord,
): Promise<Answer<PendingChange>> {
  const caller = personCaller(request);
  const isSecond = record.status === 'waiting' && (await canBeSecond(parts, caller));
  return { status: 200, body: shownTo(parts, caller, record, isSecond) };
}

/** Returns the context of a decision: whoever makes it must be permitted to make the change itself. */
function deciding<Context extends ChangeContext>(
  request: ApiRequest,
  { request: { operation, parameters } }: PendingChangeRecord,
  context: Context,
): Context {
  const { person, sessionId, accountId, sourceAddress } = personCaller(request);
  const { userId } = person;
  const caller: ChangingPerson = {
    kind: 'person',
    userId,
    sessionId,
    accountId,
    address: parseAddress(sourceAddress),
    isPermitted: (held) => isPermitted(operations[operation], parameters, { kind: 'person', userId }, held),
  };
  return { ...context, isExpected: undefined, caller };
}

/**
 * Makes a change that a second person approves: the same request again, in the name of the person who asked for it. The
 * approval is recorded in the transaction of the change, so the change is made once or not at all. If it can no longer be
 * made, it is no longer pending.
 */
async function approve(
  parts: ApiParts,
  record: PendingChangeRecord,
  request: ApiRequest,
): Promise<PendingChangeRecord> {
  const { pendingChangeId } = record;
  const decider = deciding(request, record, changeContext(request, parts));
  let approved: PendingChangeRecord | undefined;
  const begin: Approval['begin'] = async (transaction) => {
    approved = await decidePendingChange(transaction, { pendingChangeId, status: 'approved' }, decider);
  };
  try {
    const requester = await requesterNow(parts, record, request);
    // Whoever may not decide must not learn more than that, and ends nothing.
    if (requester === undefined) throw new ProblemError('not_found', { members: { reason: leftReason } });
    await parts.callAgain(requestAgain(record, requester, request, { begin, contextOf }));
    if (approved === undefined) throw new Error('An operation that may wait made no change.');
    return approved;
  } catch (error) {
    if (!(error instanceof ProblemError) || isPassing(error)) throw error;
    const reason = reasonOf(error);
    // Rejects again whoever may not decide, with the same problem.
    const decision = { pendingChangeId, status: 'failed', reason } as const;
    await parts.change(request, async (transaction) => {
      await decidePendingChange(transaction, decision, decider);
      return { status: 200 };
    });
    throw new ProblemError('pending_change_failed', { members: { reason, problem: error.code } });
  }

  function contextOf(context: StoreContext): StoreContext {
    const { requester, change } = record;
    const { userId, name, actingReason, sourceAddress, requestId } = requester;
    const { person } = personCaller(request);
    const approvedBy = { userId: person.userId, name: person.name };
    return {
      ...context,
      actor: { kind: 'person', id: userId, name, actingReason, approvedBy, sourceAddress, requestId },
      caller: {
        kind: 'person',
        userId,
        sessionId: undefined,
        actingReason,
        accountId: record.accountId,
        // The networks that count now must allow where it was asked from.
        address: parseAddress(sourceAddress ?? ''),
        isPermitted: context.caller!.isPermitted,
      },
      approved: change,
    };
  }
}

/** Returns true if the same approval may succeed later: the change still waits. */
function isPassing({ code }: ProblemError): boolean {
  const { status } = problems[code];
  return status === 429 || status >= 500;
}

const leftReason = 'The person who asked for it no longer has access to the account.';

function reasonOf({ message, members }: ProblemError): string {
  const reason = members?.['reason'];
  return typeof reason === 'string' ? reason : message;
}

/** Returns the person who asked for a change, as a caller with the access that they have now; undefined for none. */
async function requesterNow(
  { database, addedPermissions = {} }: ApiParts,
  { accountId, requester: { userId, name, actingReason, sourceAddress = '' } }: PendingChangeRecord,
  { nowMs }: ApiRequest,
): Promise<PersonCaller | undefined> {
  const asked = { userId, sessionId: undefined, actingReason, accountId };
  const access = await readAccess(database, asked, nowMs, addedPermissions);
  const person = await database
    .selectFrom('persons')
    .select(['email'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (access === undefined || person === undefined) return undefined;
  return {
    kind: 'person',
    person: { userId, name, email: person.email },
    // They gave it when they asked.
    hasSecondFactor: true,
    sessionId: '',
    accountId,
    memberRole: access.role,
    actingReason: access.actingReason,
    permissions: access.permissions,
    sourceAddress,
  };
}

function requestAgain(
  { request: { operation, parameters, body, ifMatch } }: PendingChangeRecord,
  requester: PersonCaller,
  request: ApiRequest,
  approval: Approval,
): ApiRequest {
  const headers: Readonly<Record<string, string | undefined>> = {
    'content-type': 'application/json',
    'if-match': ifMatch,
  };
  return {
    operation: operations[operation],
    parameters,
    query: '',
    header: (name) => headers[name.toLowerCase()],
    body: new TextEncoder().encode(body ?? ''),
    caller: requester,
    approval,
    verified: request.verified,
    requestId: request.requestId,
    nowMs: request.nowMs,
  };
}
