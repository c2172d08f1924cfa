import { firstIdAt } from '@countersign/contract/ids';
import type { Database } from '../../storage/transaction.ts';
import { removeUpTo } from './request-trimming.ts';

/**
 * Removes requests of accounts that keep them for fewer days than the service, a few thousand at most. Explanations
 * are removed with their requests; counts and figures stay, as with the service's own limit.
 *
 * Reads the policies again for every thousand rows of an account, so that a change in between counts.
 *
 * @returns true if there may be more to remove
 */
export async function trimAccountRequests(database: Database, nowMs: number): Promise<boolean> {
  for (let removed = 0; removed < rowsPerRun;) {
    const overdue = await findOverdue(database, nowMs);
    if (overdue.length === 0) return false;
    for (const { accountId, lastId } of overdue) {
      const removal = { lastId, onlyUnproved: false, accountId };
      removed += await removeUpTo(database, removal, rowsPerAccount);
    }
  }
  return true;
}

const rowsPerRun = 10_000;
const rowsPerAccount = 1000;
const accountsPerRound = 10;
const dayMs = 86_400_000;

interface Overdue {
  readonly accountId: string;
  /** The newest ID to remove. */
  readonly lastId: string;
}

/** Finds some accounts that have requests to remove: one query for each number of days that accounts have chosen. */
async function findOverdue(database: Database, nowMs: number): Promise<readonly Overdue[]> {
  const chosen = await database
    .selectFrom('security_policies')
    .select('requests_kept_days')
    .distinct()
    .where('requests_kept_days', 'is not', null)
    .execute();
  const found: Overdue[] = [];
  for (const { requests_kept_days: days } of chosen) {
    // Nothing writes anything else; a row that someone changed by hand must not remove everything.
    if (days === null || days < 1) continue;
    const lastId = firstIdAt('request', nowMs - days * dayMs);
    const rows = await database
      .selectFrom('security_policies as policies')
      .select('policies.account_id')
      .where('requests_kept_days', '=', days)
      .where((query) =>
        query.exists(
          query
            .selectFrom('request_records')
            .select('request_records.request_id')
            .whereRef('request_records.account_id', '=', 'policies.account_id')
            .where('request_records.request_id', '<=', lastId),
        ),
      )
      .limit(accountsPerRound)
      .execute();
    found.push(...rows.map((row) => ({ accountId: row.account_id, lastId })));
  }
  return found;
}
