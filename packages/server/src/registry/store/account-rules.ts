import { sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';

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
