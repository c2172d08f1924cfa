import { sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';

/** The parts of an account that the checks need. */
export interface AccountRules {
  readonly isOperator: boolean;
  readonly keyAgeDaysMax: number | undefined;
}

/** Reads the rules of the accounts that have any. They are few; all other accounts have none. */
export async function readAccountRules(database: Database): Promise<ReadonlyMap<string, AccountRules>> {
  const rows = await database
    .selectFrom('accounts')
    .select(['account_id', 'is_operator', 'key_age_days_max'])
    // Must match the condition of the index accounts_with_rules word for word, or the index is not used.
    .where(sql<boolean>`(is_operator = 1 or key_age_days_max is not null)`)
    .execute();
  return new Map(
    rows.map((row) => [
      row.account_id,
      { isOperator: row.is_operator === 1, keyAgeDaysMax: row.key_age_days_max ?? undefined },
    ]),
  );
}
