import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import { type Condition, type IdRange, type RequestPlan, requestsIn } from './request-search.ts';

/** A part of a scan. */
export interface ScanStep extends IdRange {
  /** The last request that was scanned; undefined if nothing follows. */
  readonly lastId: string | undefined;
}

/** The direction of a scan, and how far it goes. */
export interface ScanOptions {
  readonly isDescending: boolean;
  /** Maximum number of requests scanned. */
  readonly scannedMax: number;
}

/** The number of requests scanned at once. SQLite runs in the thread that asks, so other work must run in between. */
const scannedAtOnce = 1000;

/** Cuts a plan's range into steps, in order, with a turn of the event loop between them. */
export async function* scanSteps(
  database: Database,
  plan: RequestPlan,
  { isDescending, scannedMax }: ScanOptions,
): AsyncGenerator<ScanStep, void, undefined> {
  let { fromId, toId } = plan;
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    if (scanned > 0) await nextLoopTurn('reports');
    const lastId = await idAt(database, { ...plan, fromId, toId }, isDescending);
    if (lastId === undefined) return yield { fromId, toId, lastId };
    if (isDescending) {
      yield { fromId: lastId, toId, lastId };
      toId = lastId;
    } else {
      const nextId = idAfter(lastId);
      yield { fromId, toId: nextId, lastId };
      fromId = nextId;
    }
  }
}

/** Returns the id of the last request of a step; undefined if the rest is shorter than a step. */
async function idAt(
  database: Database,
  plan: RequestPlan,
  isDescending: boolean,
): Promise<string | undefined> {
  const { rows } = await sql<{ request_id: string }>`select request_id
    from ${requestsIn(database, plan.index)} where ${plan.inIndex} and ${inRange(plan)}
    order by request_id ${direction(isDescending)} limit 1 offset ${scannedAtOnce - 1}`.execute(database);
  return rows[0]?.request_id;
}

/** Selects the requests of a step that meet the plan's conditions, for `from`. */
export function foundIn(database: Database, plan: RequestPlan, step: IdRange): RawBuilder<unknown> {
  return sql`${requestsIn(database, plan.index)}
    where ${plan.inIndex} and ${inRange(step)} and ${all(plan.others)}`;
}

/** Returns the first id that can follow another. */
export function idAfter(id: string): string {
  return `${id}0`;
}

/** Returns `asc` or `desc`. */
export function direction(isDescending: boolean): RawBuilder<unknown> {
  return isDescending ? sql`desc` : sql`asc`;
}

function inRange({ fromId, toId }: IdRange): RawBuilder<SqlBool> {
  return sql<SqlBool>`request_id >= ${fromId} and request_id < ${toId}`;
}

function all(conditions: readonly Condition[]): RawBuilder<SqlBool> {
  if (conditions.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`${sql.join(
    conditions.map((condition) => sql`(${condition})`),
    sql` and `,
  )}`;
}
