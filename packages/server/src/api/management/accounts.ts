import {
  type Account,
  type AccountOverview,
  type AccountRequest,
  type Acting,
  type AddedAccount,
  isId,
  pageLimits,
} from '@countersign/contract';
import { type Answer, ProblemError } from '@countersign/gate';
import type { Transaction } from 'kysely';
import { RegistryError } from '../../registry/registry-error.ts';
import {
  type AccountRecord,
  addAccount,
  readAccount,
  searchAccounts,
  updateAccount,
} from '../../registry/store/accounts.ts';
import {
  type AccountOverviewRecord,
  listAccountOverviews,
} from '../../request-log/counts/account-overviews.ts';
import { type AccountTransition, moveAccount } from '../../registry/store/account-states.ts';
import { type ActingRecord, endActing, startActing } from '../../people/members/acting.ts';
import { inviteFirstOwner, type SentInvitation } from '../../people/members/invitations.ts';
import type { ChangeContext } from '../../registry/store/context.ts';
import type { Schema } from '../../storage/schema.ts';
import { personCaller } from '../caller.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers, type OperationHandler } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { readCursor, writeCursor } from '../page.ts';
import type { ApiParts } from '../parts.ts';
import { timestamp } from '../timestamp.ts';
import { invitedTooOften, peopleOf, sendInvitation, showInvitation } from './people.ts';

export const accountHandlers = defineHandlers((parts) => {
  const { database, change, health, settings } = parts;
  const moving =
    (transition: AccountTransition): OperationHandler<'suspendAccount'> =>
    ({ body: { reason } }, request) =>
      change(request, async (transaction, context) => {
        const accountId = accountIdOf(request);
        const operatorAccountId = request.caller.accountId;
        const move = { accountId, transition, reason, operatorAccountId };
        return accountAnswer(await orNotFound(moveAccount(transaction, move, context)));
      });
  return {
    listAccounts: async ({ query: { search, cursor, limit = pageLimits.limitDefault } }) => {
      const afterAccountId = readCursor(cursor, (text) => isId('account', text));
      const { accounts, nextAccountId } = await searchAccounts(database, { search, afterAccountId, limit });
      const nextCursor = nextAccountId === undefined ? null : writeCursor(nextAccountId);
      return { status: 200, body: { data: accounts.map(showAccount), nextCursor } };
    },

    /** A retry with the same `Idempotency-Key` sends no second mail, and shows no link. */
    addAccount: async ({ body: { ownerEmail, ...account } }, request) => {
      const owner = ownerEmail === undefined ? undefined : ownerToInvite(parts, request, ownerEmail);
      let made: SentInvitation | undefined;
      const answer = await change(request, async (transaction, context) => {
        const added = await addAccount(transaction, newAccountOf(account), context);
        made = owner && (await owner.invite(transaction, added, context));
        const shown: AddedAccount = {
          ...showAccount(added),
          ...(made && { ownerInvitation: showInvitation(made) }),
        };
        return { ...accountAnswer(added, 201), body: shown };
      });
      if (made === undefined || owner === undefined) return answer;
      // Mailed once it is committed. The response stored for retries contains no link, because a link is a secret.
      const ownerInvitation = await sendInvitation(parts, request, made, owner.token);
      return { ...answer, body: { ...(answer.body as AddedAccount), ownerInvitation } };
    },

    getAccount: async (_input, request) =>
      accountAnswer(await orNotFound(readAccount(database, accountIdOf(request)))),

    updateAccount: ({ body }, request) =>
      change(request, async (transaction, context) =>
        accountAnswer(await orNotFound(updateAccount(transaction, accountIdOf(request), body, context))),
      ),

    suspendAccount: moving('suspend'),
    resumeAccount: moving('resume'),
    closeAccount: moving('close'),

    /** The cursor is a position in the sorted list, which may shift between pages. */
    listAccountOverviews: async ({ query }, { nowMs }) => {
      const { search, status, sort = 'name', cursor, limit = pageLimits.limitDefault } = query;
      const offset = Number(readCursor(cursor, (text) => /^[1-9][0-9]{0,3}$/.test(text)) ?? 0);
      const overviewSearch = { search, status, sort, offset, limit, nowMs };
      const { overviews, nextOffset } = await listAccountOverviews(database, overviewSearch);
      const nextCursor = nextOffset === undefined ? null : writeCursor(String(nextOffset));
      return { status: 200, body: { data: overviews.map(showOverview), nextCursor } };
    },

    getServiceHealth: () => ({ status: 200, body: health() }),

    listServiceSettings: () => ({ status: 200, body: { data: settings() } }),

    startActing: ({ body }, request) =>
      change(request, async (transaction, context) => {
        const acting = await startActing(transaction, body, personCaller(request).sessionId, context);
        return { status: 201, body: showActing(acting) };
      }),

    /** Responds with the ended period of acting for the account. */
    endActing: (_input, request) =>
      change(request, async (transaction, context) => {
        const acting = await endActing(transaction, personCaller(request).sessionId, context);
        return { status: 200, body: showActing(acting) };
      }),
  };
});

function newAccountOf({
  name,
  keyAgeDaysMax,
  requestsPerMinuteMax,
  requestsBurstMax,
}: AccountRequest): Parameters<typeof addAccount>[1] {
  return {
    name,
    keyAgeDaysMax: keyAgeDaysMax ?? undefined,
    requestsPerMinuteMax: requestsPerMinuteMax ?? undefined,
    requestsBurstMax: requestsBurstMax ?? undefined,
  };
}

interface OwnerToInvite {
  readonly token: string;
  /** An error here also rolls back the account. */
  readonly invite: (
    transaction: Transaction<Schema>,
    account: AccountRecord,
    context: ChangeContext,
  ) => Promise<SentInvitation>;
}

/** @throws ProblemError `permission_denied` for callers that may not invite the first owner of an account */
function ownerToInvite(parts: ApiParts, request: ApiRequest, email: string): OwnerToInvite {
  const { caller, nowMs } = request;
  if (caller.kind !== 'person' || !caller.permissions.has('accounts:act')) {
    const reason = 'only a person who may act for accounts can invite the first owner';
    const detail = 'Omit this member: only people can invite others, with the permission accounts:act.';
    throw new ProblemError('permission_denied', {
      members: { reason, errors: [{ pointer: '/ownerEmail', detail }] },
    });
  }
  const { token, hash: tokenHash } = peopleOf(parts).newInvitationToken();
  return {
    token,
    invite: async (transaction, account, context) => {
      const invitation = await inviteFirstOwner(transaction, account, { email, tokenHash }, context);
      // Counted for the operator's account: every new account would begin to count anew.
      const counted = { accountId: caller.accountId, email: invitation.email };
      const retryAfterSeconds = await peopleOf(parts).countInvitation(transaction, counted, nowMs);
      if (retryAfterSeconds > 0) throw invitedTooOften(retryAfterSeconds);
      return invitation;
    },
  };
}

/**
 * Reads the account that the path names. If it is unknown, throws `not_found`, because the registry's own error
 * would blame the body.
 */
async function orNotFound(reading: Promise<AccountRecord>): Promise<AccountRecord> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'account_unknown')
      throw new ProblemError('not_found');
    throw error;
  }
}

function accountIdOf(request: ApiRequest): string {
  return idInPath(request, 'accountId', 'account');
}

function accountAnswer(record: AccountRecord, status: 200 | 201 = 200): Answer<Account> {
  const location = { Location: `/v1/accounts/${record.accountId}` };
  return {
    status,
    headers: { ETag: entityTag(record.version), ...(status === 201 && location) },
    body: showAccount(record),
  };
}

function showAccount(record: AccountRecord): Account {
  return {
    accountId: record.accountId,
    name: record.name,
    isOperator: record.isOperator,
    keyAgeDaysMax: record.keyAgeDaysMax ?? null,
    requestsPerMinuteMax: record.requestsPerMinuteMax ?? null,
    requestsBurstMax: record.requestsBurstMax ?? null,
    status: record.status,
    statusReason: record.statusReason ?? null,
    statusChangedAt: record.statusChangedAtMs === undefined ? null : timestamp(record.statusChangedAtMs),
    createdAt: timestamp(record.createdAtMs),
    updatedAt: timestamp(record.updatedAtMs),
  };
}

function showOverview(record: AccountOverviewRecord): AccountOverview {
  const { account, owner, ownerCount, clientCount, lastDay, last30Days, lastRequestAtMs } = record;
  return {
    account: showAccount(account),
    owner: owner ?? null,
    owners: ownerCount,
    clients: clientCount,
    lastDay,
    last30Days,
    lastRequestAt: lastRequestAtMs === undefined ? null : timestamp(lastRequestAtMs),
  };
}

function showActing({ accountId, accountName, reason, endsAtMs }: ActingRecord): Acting {
  return { accountId, accountName, reason, endsAt: timestamp(endsAtMs) };
}
