import type { RequestLimit } from '@countersign/gate';
import { sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';

/** The parts of an account that the checks need. */
export interface AccountRules {
  readonly isOperator: boolean;
  /** True if every request of its clients is rejected. */
  readonly isSuspended: boolean;
  readonly keyAgeDaysMax: number | undefined;
  /** The limit of each of its clients, if it differs from the service's. */
  readonly requestLimit: RequestLimit | undefined;
}

/** Reads the rules of the accounts that have any. They are few; all other accounts have none. */
export async function readAccountRules(database: Database): Promise<ReadonlyMap<string, AccountRules>> {
  const rows = await database
    .selectFrom('accounts')
    .select([
      'account_id',
      'is_operator',
      'key_age_days_max',
      'requests_per_minute_max',
      'requests_burst_max',
      'status',
    ])
    // Must match the condition of the index accounts_with_rules word for word, or the index is not used.
    .where(
      sql<boolean>`(is_operator = 1 or key_age_days_max is not null or requests_per_minute_max is not null
      or requests_burst_max is not null or status <> 'active')`,
    )
    .execute();
  return new Map(
    rows.map((row) => [
      row.account_id,
      {
        isOperator: row.is_operator === 1,
        isSuspended: row.status !== 'active',
        keyAgeDaysMax: row.key_age_days_max ?? undefined,
        requestLimit: requestLimitOf(row),
      },
    ]),
  );
}

/** Returns a limit after a change: null removes it, and undefined leaves it as it is. */
export function limitAfter(
  change: number | null | undefined,
  before: number | undefined,
): number | undefined {
  return change === undefined ? before : (change ?? undefined);
}

function requestLimitOf(row: {
  readonly requests_per_minute_max: number | null;
  readonly requests_burst_max: number | null;
}): RequestLimit | undefined {
  if (row.requests_per_minute_max === null && row.requests_burst_max === null) return undefined;
  return {
    requestsPerMinuteMax: row.requests_per_minute_max ?? undefined,
    requestsBurstMax: row.requests_burst_max ?? undefined,
  };
}
