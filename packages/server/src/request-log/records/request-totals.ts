import type { RequestTotals } from '@countersign/contract';
import { answerCodes } from '@countersign/contract/problems';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import { all, areFew, candidates, inRange } from './request-list.ts';
import {
  planSearch,
  type RequestCriteria,
  type RequestPlan,
  requestsIn,
  throughIndex,
} from './request-search.ts';

/** The number of requests scanned per count. */
const countedMax = 100_000;
/** The number scanned per step. SQLite runs in the thread that serves requests, so other work must run in between. */
const countedAtOnce = 500;

/**
 * Counts the requests that meet the criteria, newest first. Scans a limited number of them in short steps, so
 * that other work can use the database and the event loop in between.
 */
export async function countRequestRecords(
  database: Database,
  criteria: RequestCriteria,
): Promise<RequestTotals> {
  const plan = await planSearch(database, criteria);
  if (plan === undefined) return { count: 0, accepted: 0, observed: 0, refused: 0, isComplete: true };
  if (plan.isInIdOrder) return countInSteps(database, plan);
  if (await areFew(database, plan)) return countFew(database, plan);
  return countInSteps(database, throughIndex(plan, criteria.accountId, 'by_account'));
}

const hasPassed = sql`(is_observed = 0 and outcome in (${sql.join(['accepted', ...answerCodes].map((code) => sql.lit(code)))}))`;

const sums = sql`count(*) as count,
  coalesce(sum(case when ${hasPassed} then 1 else 0 end), 0) as accepted,
  coalesce(sum(case when is_observed = 1 then 1 else 0 end), 0) as observed`;

async function countFew(database: Database, plan: RequestPlan): Promise<RequestTotals> {
  const found = sql`(with candidates as materialized (${candidates(database, plan)})
    select outcome, is_observed from candidates cross join request_records
    where request_records.request_id = candidates.candidate_id and ${inRange(plan, 'hidden')}
      and ${all(plan.others, 'hidden')})`;
  return totalsOf([await sumOf(database, found)], true);
}

async function countInSteps(database: Database, plan: RequestPlan): Promise<RequestTotals> {
  const parts: Sums[] = [];
  const table = requestsIn(database, plan.index);
  let toId = plan.toId;
  for (let scanned = 0; scanned < countedMax; scanned += countedAtOnce) {
    const range = { ...plan, toId };
    const place = sql`${plan.inIndex()} and ${inRange(range)}`;
    const { rows } = await sql<{ request_id: string }>`select request_id from ${table} where ${place}
      order by request_id desc limit 1 offset ${countedAtOnce - 1}`.execute(database);
    const last = rows[0]?.request_id;
    const ended = last === undefined ? sql`true` : sql`request_id >= ${last}`;
    parts.push(
      await sumOf(
        database,
        sql`(select outcome, is_observed from ${table}
          where ${place} and ${ended} and ${all(plan.others, 'hidden')})`,
      ),
    );
    if (last === undefined) return totalsOf(parts, true);
    toId = last;
    await nextLoopTurn('reports');
  }
  return totalsOf(parts, false);
}

interface Sums {
  readonly count: number;
  readonly accepted: number;
  readonly observed: number;
}

async function sumOf(database: Database, found: RawBuilder<unknown>): Promise<Sums> {
  const { rows } = await sql<Sums>`select ${sums} from ${found} as found`.execute(database);
  return rows[0] ?? { count: 0, accepted: 0, observed: 0 };
}

function totalsOf(parts: readonly Sums[], isComplete: boolean): RequestTotals {
  const sum = (name: keyof Sums): number => parts.reduce((total, part) => total + part[name], 0);
  const [count, accepted, observed] = [sum('count'), sum('accepted'), sum('observed')];
  return { count, accepted, observed, refused: count - accepted - observed, isComplete };
}
