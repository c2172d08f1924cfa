import { type AccountStatus, newId, searchNameOf } from '@countersign/contract';
import type { Selectable, Transaction } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import type { AccountsTable } from '../tables.ts';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { limitAfter } from './account-rules.ts';
import { type AuditedChange, difference, recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
import { checkVersion } from './client-change.ts';
import type { ChangeContext } from './context.ts';
import { checkName, isNamedLike } from './names.ts';

/** An account, which owns clients and everything they create. */
export interface AccountRecord {
  readonly accountId: string;
  readonly name: string;
  /** True if its clients can use the permissions for accounts. */
  readonly isOperator: boolean;
  /** Its clients' keys stop verifying after this many days; undefined for no limit. */
  readonly keyAgeDaysMax: number | undefined;
  /** The rate limit of each of its clients, per minute and at once; undefined if the service's limit applies. */
  readonly requestsPerMinuteMax: number | undefined;
  readonly requestsBurstMax: number | undefined;
  readonly status: AccountStatus;
  /** Explains why it is suspended or closed; undefined for an active account. */
  readonly statusReason: string | undefined;
  readonly statusChangedAtMs: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The registry version of its last change. */
  readonly version: number;
}

export interface NewAccount {
  readonly name: string;
  readonly isOperator?: boolean | undefined;
  readonly keyAgeDaysMax?: number | undefined;
  readonly requestsPerMinuteMax?: number | undefined;
  readonly requestsBurstMax?: number | undefined;
}

/** Changes to an account; `null` removes a limit. */
export interface AccountUpdate {
  readonly name?: string | undefined;
  readonly isOperator?: boolean | undefined;
  readonly keyAgeDaysMax?: number | null | undefined;
  readonly requestsPerMinuteMax?: number | null | undefined;
  readonly requestsBurstMax?: number | null | undefined;
}

/** Adds an account. Throws RegistryError `name_invalid`. */
export async function addAccount(
  database: Database,
  account: NewAccount,
  context: ChangeContext,
): Promise<AccountRecord> {
  const { name, isOperator = false, keyAgeDaysMax, requestsPerMinuteMax, requestsBurstMax } = account;
  checkName(name);
  const { nowMs } = context;
  const accountId = newId('account', nowMs);
  return changeFor(database, context, async (transaction) => {
    await transaction
      .insertInto('accounts')
      .values({
        account_id: accountId,
        name,
        search_name: searchNameOf(name),
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
        is_operator: isOperator ? 1 : 0,
        key_age_days_max: keyAgeDaysMax ?? null,
        requests_per_minute_max: requestsPerMinuteMax ?? null,
        requests_burst_max: requestsBurstMax ?? null,
      })
      .execute();
    const after = { name, isOperator, keyAgeDaysMax, requestsPerMinuteMax, requestsBurstMax };
    await recordOfAccount(transaction, accountId, { action: 'account.added', after }, context);
    return readAccount(transaction, accountId);
  });
}

/**
 * Changes an account.
 *
 * @throws RegistryError `name_invalid`, `account_unknown`, `version_changed`
 */
export async function updateAccount(
  database: Database,
  accountId: string,
  change: AccountUpdate,
  context: ChangeContext,
): Promise<AccountRecord> {
  if (change.name !== undefined) checkName(change.name);
  return changeFor(database, context, async (transaction) => {
    const account = await readAccount(transaction, accountId);
    checkVersion(account.version, context);
    const next = {
      name: change.name ?? account.name,
      isOperator: change.isOperator ?? account.isOperator,
      keyAgeDaysMax: limitAfter(change.keyAgeDaysMax, account.keyAgeDaysMax),
      requestsPerMinuteMax: limitAfter(change.requestsPerMinuteMax, account.requestsPerMinuteMax),
      requestsBurstMax: limitAfter(change.requestsBurstMax, account.requestsBurstMax),
    };
    const { name, isOperator, keyAgeDaysMax, requestsPerMinuteMax, requestsBurstMax } = account;
    const before = { name, isOperator, keyAgeDaysMax, requestsPerMinuteMax, requestsBurstMax };
    const differs = difference(before, next);
    if (differs === undefined) return account;
    await transaction
      .updateTable('accounts')
      .set({
        name: next.name,
        search_name: searchNameOf(next.name),
        is_operator: next.isOperator ? 1 : 0,
        key_age_days_max: next.keyAgeDaysMax ?? null,
        requests_per_minute_max: next.requestsPerMinuteMax ?? null,
        requests_burst_max: next.requestsBurstMax ?? null,
      })
      .where('account_id', '=', accountId)
      .execute();
    await recordOfAccount(transaction, accountId, { action: 'account.updated', ...differs }, context);
    return readAccount(transaction, accountId);
  });
}

/** Lists accounts, oldest first; all of them unless a limit is given. */
export async function listAccounts(
  database: Database,
  { limit }: { readonly limit?: number } = {},
): Promise<AccountRecord[]> {
  let query = database.selectFrom('accounts').selectAll().orderBy('account_id');
  if (limit !== undefined) query = query.limit(limit);
  return (await query.execute()).map(accountOf);
}

/** A search for accounts, in id order and page by page. */
export interface AccountSearch {
  /** Part of the name, ignoring case and accents, or the beginning of the id. */
  readonly search?: string | undefined;
  /** The last accountId of the previous page. */
  readonly afterAccountId?: string | undefined;
  readonly limit: number;
}

/** A page of results. */
export interface AccountSearchResult {
  readonly accounts: readonly AccountRecord[];
  /** The cursor for the next page; undefined once everything has been scanned. */
  readonly nextAccountId: string | undefined;
}

/** The number of accounts scanned per page. */
const scannedMax = 20_000;

/**
 * Searches accounts. Each call scans a limited number of accounts, so that no search can tie up the database for
 * long: a page may be short or empty and still have a cursor.
 */
export async function searchAccounts(
  database: Database,
  { search, afterAccountId = '', limit }: AccountSearch,
): Promise<AccountSearchResult> {
  return inSnapshot(database, async (transaction) => {
    const after = transaction.selectFrom('accounts').where('account_id', '>', afterAccountId);
    const [end] = await after
      .select('account_id')
      .orderBy('account_id')
      .limit(1)
      .offset(scannedMax - 1)
      .execute();
    let query = after.selectAll();
    if (search !== undefined) query = query.where(isNamedLike('search_name', 'account_id', search));
    if (end !== undefined) query = query.where('account_id', '<=', end.account_id);
    const rows = await query
      .orderBy('account_id')
      .limit(limit + 1)
      .execute();
    const accounts = rows.slice(0, limit).map(accountOf);
    return { accounts, nextAccountId: rows.length > limit ? accounts.at(-1)?.accountId : end?.account_id };
  });
}

/** Reads one account. Throws RegistryError `account_unknown`. */
export async function readAccount(database: Database, accountId: string): Promise<AccountRecord> {
  const row = await database
    .selectFrom('accounts')
    .selectAll()
    // PostgreSQL treats a text with a zero byte as a bug in the program, and no id is empty.
    .where('account_id', '=', accountId.includes('\0') ? '' : accountId)
    .executeTakeFirst();
  if (row === undefined) {
    throw new RegistryError('account_unknown', 'There is no such account: check the accountId.', {
      member: ['accountId'],
    });
  }
  return accountOf(row);
}

/** Returns true if the account exists. */
export async function hasAccount(database: Database, accountId: string): Promise<boolean> {
  const row = await database
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Records what was changed of an account, or of its policies, which the nodes see as part of it.
 *
 * @returns the account's new version
 */
export async function recordOfAccount(
  transaction: Transaction<Schema>,
  accountId: string,
  change: Pick<AuditedChange, 'before' | 'after'> & {
    readonly action: 'account.added' | 'account.updated' | 'policy.updated';
  },
  context: ChangeContext,
): Promise<number> {
  const targets = [{ type: 'account', id: accountId } as const];
  const audited = { subject: 'account', subjectId: accountId, accountId, targets, ...change } as const;
  const version = await recordAudited(transaction, audited, context);
  await transaction
    .updateTable('accounts')
    .set({ version, updated_at_ms: context.nowMs })
    .where('account_id', '=', accountId)
    .execute();
  return version;
}

/** Converts an account's row. */
export function accountOf(row: Selectable<AccountsTable>): AccountRecord {
  return {
    accountId: row.account_id,
    name: row.name,
    isOperator: row.is_operator === 1,
    keyAgeDaysMax: row.key_age_days_max ?? undefined,
    requestsPerMinuteMax: row.requests_per_minute_max ?? undefined,
    requestsBurstMax: row.requests_burst_max ?? undefined,
    status: row.status,
    statusReason: row.status_reason ?? undefined,
    statusChangedAtMs: row.status_changed_at_ms ?? undefined,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    version: row.version,
  };
}
