import { type Account, type Acting, isId, pageLimits } from '@countersign/contract';
import { type Answer, ProblemError } from '@countersign/gate';
import { RegistryError } from '../../registry/registry-error.ts';
import {
  type AccountRecord,
  addAccount,
  readAccount,
  searchAccounts,
  updateAccount,
} from '../../registry/store/accounts.ts';
import { type ActingRecord, endActing, startActing } from '../../registry/store/acting.ts';
import { personCaller } from '../caller.ts';
import { entityTag } from '../entity-tag.ts';
import type { ApiRequest } from '../handler.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { readCursor, writeCursor } from '../page.ts';
import { timestamp } from '../timestamp.ts';

export const accountHandlers = defineHandlers(({ database, change, health }) => ({
  listAccounts: async ({ query: { search, cursor, limit = pageLimits.limitDefault } }) => {
    const afterAccountId = readCursor(cursor, (text) => isId('account', text));
    const { accounts, nextAccountId } = await searchAccounts(database, { search, afterAccountId, limit });
    const nextCursor = nextAccountId === undefined ? null : writeCursor(nextAccountId);
    return { status: 200, body: { data: accounts.map(showAccount), nextCursor } };
  },

  addAccount: ({ body: { name, ...limits } }, request) =>
    change(request, async (transaction, context) => {
      const account = {
        name,
        keyAgeDaysMax: limits.keyAgeDaysMax ?? undefined,
        requestsPerMinuteMax: limits.requestsPerMinuteMax ?? undefined,
        requestsBurstMax: limits.requestsBurstMax ?? undefined,
      };
      return accountAnswer(await addAccount(transaction, account, context), 201);
    }),

  getAccount: async (_input, request) =>
    accountAnswer(await found(readAccount(database, accountIdOf(request)))),

  updateAccount: ({ body }, request) =>
    change(request, async (transaction, context) =>
      accountAnswer(await found(updateAccount(transaction, accountIdOf(request), body, context))),
    ),

  getServiceHealth: () => ({ status: 200, body: health() }),

  startActing: ({ body }, request) =>
    change(request, async (transaction, context) => {
      const acting = await startActing(transaction, body, personCaller(request).sessionId, context);
      return { status: 201, body: showActing(acting) };
    }),

  /** Answers with what has ended. */
  endActing: (_input, request) =>
    change(request, async (transaction, context) => {
      const acting = await endActing(transaction, personCaller(request).sessionId, context);
      return { status: 200, body: showActing(acting) };
    }),
}));

/** An unknown account in the path is not found; in a body it would be a mistake in the body. */
async function found(reading: Promise<AccountRecord>): Promise<AccountRecord> {
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
    createdAt: timestamp(record.createdAtMs),
    updatedAt: timestamp(record.updatedAtMs),
  };
}

function showActing({ accountId, accountName, reason, endsAtMs }: ActingRecord): Acting {
  return { accountId, accountName, reason, endsAt: timestamp(endsAtMs) };
}
