import { requestsCountedMax, type RequestTotals } from '@countersign/contract';
import { passedOutcomes } from '@countersign/contract/problems';
import { sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import { foundIn, scanSteps } from './request-scan.ts';
import { planSearch, type RequestCriteria } from './request-search.ts';

/**
 * Counts the requests that meet the criteria, newest first. Scans a limited number of them in short steps, so
 * that other work can use the database and the event loop in between.
 */
export async function countRequestRecords(
  database: Database,
  criteria: RequestCriteria,
): Promise<RequestTotals> {
  const plan = await planSearch(database, criteria);
  const total = { count: 0, accepted: 0, observed: 0 };
  let isComplete = plan === undefined;
  const steps =
    plan === undefined
      ? []
      : scanSteps(database, plan, { isDescending: true, scannedMax: requestsCountedMax });
  for await (const step of steps) {
    const { rows } = await sql<typeof total>`select ${sums} from ${foundIn(database, plan!, step)}`.execute(
      database,
    );
    for (const name of ['count', 'accepted', 'observed'] as const) total[name] += rows[0]?.[name] ?? 0;
    isComplete = step.lastId === undefined;
  }
  return { ...total, refused: total.count - total.accepted - total.observed, isComplete };
}

const hasPassed = sql`(is_observed = 0 and outcome in (${sql.join([...passedOutcomes].map((code) => sql.lit(code)))}))`;

const sums = sql`count(*) as count,
  coalesce(sum(case when ${hasPassed} then 1 else 0 end), 0) as accepted,
  coalesce(sum(case when is_observed = 1 then 1 else 0 end), 0) as observed`;
