import { newId } from '@countersign/contract';
import { type Database, inTransaction } from '../../storage/transaction.ts';
import { RegistryError } from '../registry-error.ts';
import { checkName } from './names.ts';

/** An account: the owner of clients and of what they make. */
export interface AccountRecord {
  readonly accountId: string;
  readonly name: string;
  readonly createdAtMs: number;
}

/** Adds an account. Throws RegistryError `name_invalid`. */
export async function addAccount(database: Database, name: string, nowMs: number): Promise<AccountRecord> {
  checkName(name);
  const accountId = newId('account', nowMs);
  await inTransaction(database, (transaction) =>
    transaction
      .insertInto('accounts')
      .values({ account_id: accountId, name, created_at_ms: nowMs })
      .execute(),
  );
  return { accountId, name, createdAtMs: nowMs };
}

/** Every account, oldest first. */
export async function listAccounts(database: Database): Promise<AccountRecord[]> {
  const rows = await database.selectFrom('accounts').selectAll().orderBy('account_id').execute();
  return rows.map((row) => ({ accountId: row.account_id, name: row.name, createdAtMs: row.created_at_ms }));
}

/** Throws RegistryError `account_unknown` when there is no such account. */
export async function checkAccount(database: Database, accountId: string): Promise<void> {
  const row = await database
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (row === undefined)
    throw new RegistryError('account_unknown', 'There is no such account: check the accountId.');
}
