import { newId } from '@countersign/contract';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { AccountsTable, Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { difference, recordAudited } from './audit.ts';
import { changeFor } from './caller.ts';
import { checkVersion } from './client-change.ts';
import type { ChangeContext } from './context.ts';
import { checkName } from './names.ts';

/** An account: the owner of clients and of what they make. */
export interface AccountRecord {
  readonly accountId: string;
  readonly name: string;
  /** Whether the permissions for accounts count for its clients. */
  readonly isOperator: boolean;
  /** After so many days a key of its clients stops verifying; undefined for no limit. */
  readonly keyAgeDaysMax: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The registry version of its last change. */
  readonly version: number;
}

/** What an account is made of. */
export interface NewAccount {
  readonly name: string;
  readonly isOperator?: boolean | undefined;
  readonly keyAgeDaysMax?: number | undefined;
}

/** What can be changed of an account; `null` takes a limit away. */
export interface AccountUpdate {
  readonly name?: string | undefined;
  readonly isOperator?: boolean | undefined;
  readonly keyAgeDaysMax?: number | null | undefined;
}

/** Adds an account. Throws RegistryError `name_invalid`. */
export async function addAccount(
  database: Database,
  account: NewAccount,
  context: ChangeContext,
): Promise<AccountRecord> {
  const { name, isOperator = false, keyAgeDaysMax } = account;
  checkName(name);
  const { nowMs } = context;
  const accountId = newId('account', nowMs);
  return changeFor(database, context, async (transaction) => {
    await transaction
      .insertInto('accounts')
      .values({
        account_id: accountId,
        name,
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
        is_operator: isOperator ? 1 : 0,
        key_age_days_max: keyAgeDaysMax ?? null,
      })
      .execute();
    const after = { name, isOperator, keyAgeDaysMax };
    await record(transaction, 'account.added', accountId, undefined, after, context);
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
      keyAgeDaysMax:
        change.keyAgeDaysMax === undefined ? account.keyAgeDaysMax : (change.keyAgeDaysMax ?? undefined),
    };
    const { name, isOperator, keyAgeDaysMax } = account;
    const differs = difference({ name, isOperator, keyAgeDaysMax }, next);
    if (differs === undefined) return account;
    await transaction
      .updateTable('accounts')
      .set({
        name: next.name,
        is_operator: next.isOperator ? 1 : 0,
        key_age_days_max: next.keyAgeDaysMax ?? null,
      })
      .where('account_id', '=', accountId)
      .execute();
    await record(transaction, 'account.updated', accountId, differs.before, differs.after, context);
    return readAccount(transaction, accountId);
  });
}

/** A page of accounts, oldest first; all unless a limit is given. */
export async function listAccounts(
  database: Database,
  page: { readonly afterAccountId?: string | undefined; readonly limit?: number } = {},
): Promise<AccountRecord[]> {
  let query = database.selectFrom('accounts').selectAll().orderBy('account_id');
  if (page.afterAccountId !== undefined) query = query.where('account_id', '>', page.afterAccountId);
  if (page.limit !== undefined) query = query.limit(page.limit);
  return (await query.execute()).map(recordOf);
}

/** One account. Throws RegistryError `account_unknown`. */
export async function readAccount(database: Database, accountId: string): Promise<AccountRecord> {
  const row = await database
    .selectFrom('accounts')
    .selectAll()
    // PostgreSQL takes a text with a zero byte for a mistake of the program, and no id is empty.
    .where('account_id', '=', accountId.includes('\0') ? '' : accountId)
    .executeTakeFirst();
  if (row === undefined) {
    throw new RegistryError('account_unknown', 'There is no such account: check the accountId.', {
      member: ['accountId'],
    });
  }
  return recordOf(row);
}

/** Whether there is an account. */
export async function hasAccount(database: Database, accountId: string): Promise<boolean> {
  const row = await database
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row !== undefined;
}

/** What the checks need to know of an account. */
export interface AccountRules {
  readonly isOperator: boolean;
  readonly keyAgeDaysMax: number | undefined;
}

/** The rules of the accounts that have any; they are few, and all others have none. */
export async function readAccountRules(database: Database): Promise<ReadonlyMap<string, AccountRules>> {
  const rows = await database
    .selectFrom('accounts')
    .select(['account_id', 'is_operator', 'key_age_days_max'])
    // Word for word the condition of the index accounts_with_rules, or the index is not used.
    .where(sql<boolean>`(is_operator = 1 or key_age_days_max is not null)`)
    .execute();
  return new Map(
    rows.map((row) => [
      row.account_id,
      { isOperator: row.is_operator === 1, keyAgeDaysMax: row.key_age_days_max ?? undefined },
    ]),
  );
}

async function record(
  transaction: Transaction<Schema>,
  action: 'account.added' | 'account.updated',
  accountId: string,
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>>,
  context: ChangeContext,
): Promise<void> {
  const targets = [{ type: 'account', id: accountId } as const];
  const change = {
    subject: 'account',
    subjectId: accountId,
    accountId,
    action,
    targets,
    before,
    after,
  } as const;
  const version = await recordAudited(transaction, change, context);
  await transaction
    .updateTable('accounts')
    .set({ version, updated_at_ms: context.nowMs })
    .where('account_id', '=', accountId)
    .execute();
}

function recordOf(row: Selectable<AccountsTable>): AccountRecord {
  return {
    accountId: row.account_id,
    name: row.name,
    isOperator: row.is_operator === 1,
    keyAgeDaysMax: row.key_age_days_max ?? undefined,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    version: row.version,
  };
}
