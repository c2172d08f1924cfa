import {
  type Account,
  accountChangeSchema,
  accountListParameters,
  accountRequestSchema,
  isId,
  type Page,
  pageLimits,
} from '@countersign/contract';
import {
  type AccountRecord,
  addAccount,
  readAccount,
  searchAccounts,
  updateAccount,
} from '../../registry/store.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { entityTag } from '../entity-tag.ts';
import { readCursor, writeCursor } from '../page.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery, readQueryAs } from '../request-query.ts';
import { type Answer, ProblemError } from '@countersign/gate';
import type { ApiRequest, Handler } from '../handler.ts';
import { changeContext } from './caller-scope.ts';
import { timestamp } from './key-view.ts';
import { readManagementBody } from './management-body.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/accounts`: oldest first. */
export function listAccounts({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const {
      search,
      cursor,
      limit = pageLimits.limitDefault,
    } = readQueryAs(request.query, accountListParameters);
    const afterAccountId = readCursor(cursor, (text) => isId('account', text));
    const { accounts, nextAccountId } = await searchAccounts(database, { search, afterAccountId, limit });
    const body: Page<Account> = {
      data: accounts.map(showAccount),
      nextCursor: nextAccountId === undefined ? null : writeCursor(nextAccountId),
    };
    return { status: 200, body };
  };
}

/** `POST /v1/accounts` */
export function createAccount(parts: ManagementParts): Handler {
  return (request) => {
    readQuery(request.query, []);
    const { name, keyAgeDaysMax } = readManagementBody(request, accountRequestSchema);
    const context = changeContext(request, parts);
    return parts.idempotency.run(request, async (transaction) => {
      const account = { name, keyAgeDaysMax: keyAgeDaysMax ?? undefined };
      return accountAnswer(await addAccount(transaction, account, context), 201);
    });
  };
}

/** `GET /v1/accounts/{accountId}` */
export function getAccount({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    return accountAnswer(await found(readAccount(database, accountIdOf(request))));
  };
}

/** `PATCH /v1/accounts/{accountId}` */
export function changeAccount(parts: ManagementParts): Handler {
  return async (request) => {
    readQuery(request.query, []);
    const change = readManagementBody(request, accountChangeSchema);
    const context = changeContext(request, parts);
    return accountAnswer(await found(updateAccount(parts.database, accountIdOf(request), change, context)));
  };
}

/** An account that the path names is not found; one that a body names would be a mistake in the body. */
async function found(reading: Promise<AccountRecord>): Promise<AccountRecord> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'account_unknown')
      throw new ProblemError('not_found');
    throw error;
  }
}

function accountIdOf({ parameters }: ApiRequest): string {
  const accountId = parameters['accountId'] ?? '';
  if (!isId('account', accountId)) throw new ProblemError('not_found');
  return accountId;
}

function accountAnswer(record: AccountRecord, status: 200 | 201 = 200): Answer {
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
    createdAt: timestamp(record.createdAtMs),
    updatedAt: timestamp(record.updatedAtMs),
  };
}
