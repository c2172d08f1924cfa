import type { RequestEntry, RequestSort } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import type { RequestRow } from './request-inserts.ts';
import { entryOf } from './request-records.ts';
import {
  type Condition,
  planSearch,
  type RequestCriteria,
  type RequestIndex,
  type RequestPlan,
  requestsIn,
  throughIndex,
} from './request-search.ts';

/** The position of a request in a sorted list. */
export interface RequestMark {
  /** The value that the list is sorted by; empty when sorting by time, which the id contains. */
  readonly value: string | number;
  readonly requestId: string;
}

export interface RequestListOptions {
  /** Newest first unless set. */
  readonly sort?: RequestSort;
  readonly after?: RequestMark | undefined;
  readonly limit: number;
}

/** A page of the request log. */
export interface RequestPage {
  readonly entries: readonly RequestEntry[];
  /** The cursor for the next page; undefined once everything has been scanned. */
  readonly next: RequestMark | undefined;
}

/**
 * Lists an account's requests. Each call scans a limited number of requests in short steps, so that other work
 * can use the database and the event loop in between. A page may be short or empty and still have a cursor.
 */
export async function listRequestRecords(
  database: Database,
  criteria: RequestCriteria,
  options: RequestListOptions,
): Promise<RequestPage> {
  const plan = await planSearch(database, criteria);
  if (plan === undefined) return { entries: [], next: undefined };
  const order = orderOf(options.sort ?? '-receivedAt');
  if (order.column === undefined && plan.isInIdOrder) return walk(database, plan, order, options);
  if (await areFew(database, plan)) return sortFew(database, plan, order, options);
  return walk(database, throughIndex(plan, criteria.accountId, order.index), order, options);
}

/** The number of requests scanned: per page and per step. */
const scannedMax = 20_000;
const scannedAtOnce = 1000;
/**
 * The number of requests sorted at once. If there are more, an index in the requested order finds enough within
 * the scan limit.
 */
const sortedMax = 5000;

/** A column that lists can be sorted by, with its index; undefined for the id, which sorts by time. */
interface Order {
  readonly column: RawBuilder<unknown> | undefined;
  readonly index: RequestIndex;
  /** True if the column is an expression. SQLite does not use an expression's index to compare row values. */
  readonly isExpression?: true;
  readonly valueOf: (row: RequestRow) => string | number;
  readonly isDescending: boolean;
}

const sortColumns = {
  receivedAt: { column: undefined, index: 'by_account', valueOf: () => '' },
  durationMs: {
    // Written as in the index.
    column: sql`coalesce(duration_us, -1)`,
    index: 'by_duration',
    isExpression: true,
    valueOf: (row: RequestRow) => row.duration_us ?? -1,
  },
  status: { column: sql`status`, index: 'by_status', valueOf: (row: RequestRow) => row.status },
  url: { column: sql`url`, index: 'by_url', valueOf: (row: RequestRow) => row.url },
  sourceAddress: {
    column: sql`source_address`,
    index: 'by_source_address',
    valueOf: (row: RequestRow) => row.source_address,
  },
} as const;

function orderOf(sort: RequestSort): Order {
  const isDescending = sort.startsWith('-');
  const name = (isDescending ? sort.slice(1) : sort) as keyof typeof sortColumns;
  return { ...sortColumns[name], isDescending };
}

/** Follows an index in its order, starting after the mark, and compares the other conditions row by row. */
async function walk(
  database: Database,
  plan: RequestPlan,
  order: Order,
  { after, limit }: RequestListOptions,
): Promise<RequestPage> {
  const rows: RequestRow[] = [];
  let last = after;
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    const step = await walkStep(database, plan, order, { after: last, limit: limit + 1 - rows.length });
    rows.push(...step.rows);
    last = step.last;
    if (rows.length > limit || last === undefined) return pageOf(rows, order, limit, undefined);
    await nextLoopTurn('reports');
  }
  return pageOf(rows, order, limit, last);
}

/** Runs one step. Returns what it found, and the last request that it scanned; undefined after the last request. */
async function walkStep(
  database: Database,
  plan: RequestPlan,
  order: Order,
  { after, limit }: RequestListOptions,
): Promise<{ readonly rows: readonly RequestRow[]; readonly last: RequestMark | undefined }> {
  // Written as one range: given two upper bounds, SQLite would use one in the index and scan all rows up to the
  // other.
  const isById = order.column === undefined;
  const rest = isById ? narrowed(plan, order, { after }) : plan;
  const begun = after === undefined || isById ? sql<SqlBool>`true` : isBeyond(order, after);
  const place = isById ? sql`${plan.inIndex()} and ${inRange(rest)}` : sql`${plan.inIndex()} and ${begun}`;
  const hasOthers = plan.others.length > 0 || !isById;
  const last = hasOthers
    ? await markAt(database, plan, { place, order, offset: scannedAtOnce - 1 })
    : undefined;
  const step = isById
    ? sql`${plan.inIndex()} and ${inRange(narrowed(rest, order, { last }))}`
    : // When sorting by another column, the index does not contain the range of ids.
      sql`${place} and ${last === undefined ? sql<SqlBool>`true` : isUpTo(order, last)} and ${inRange(plan, 'hidden')}`;
  const { rows } = await sql<RequestRow>`select * from ${requestsIn(database, plan.index)}
    where ${step} and ${all(plan.others, 'hidden')}
    order by ${sorted(order)} limit ${Math.min(limit, scannedAtOnce)}`.execute(database);
  if (hasOthers) return { rows, last };
  const end = rows.length < scannedAtOnce ? undefined : rows.at(-1);
  return { rows, last: end && markOf(end, order) };
}

/** Limits a plan's range of ids to those after a mark and before another. */
function narrowed(
  plan: RequestPlan,
  { isDescending }: Order,
  { after, last }: { readonly after?: RequestMark | undefined; readonly last?: RequestMark | undefined },
): RequestPlan {
  const [upper, lower] = isDescending ? [after?.requestId, last?.requestId] : [idAfter(last), idAfter(after)];
  return {
    ...plan,
    ...(upper !== undefined && upper < plan.toId && { toId: upper }),
    ...(lower !== undefined && lower > plan.fromId && { fromId: lower }),
  };
}

/** Returns the first id that can follow a mark's. */
function idAfter(mark: RequestMark | undefined): string | undefined {
  return mark && `${mark.requestId}0`;
}

/** Sorts everything that the plan's index finds. */
async function sortFew(
  database: Database,
  plan: RequestPlan,
  order: Order,
  { after, limit }: RequestListOptions,
): Promise<RequestPage> {
  const begun = after === undefined ? sql<SqlBool>`true` : isBeyond(order, after);
  const { rows } = await sql<RequestRow>`with candidates as materialized (${candidates(database, plan)})
    select request_records.* from candidates cross join request_records
    where request_records.request_id = candidates.candidate_id and ${inRange(plan, 'hidden')}
      and ${all(plan.others, 'hidden')} and ${begun}
    order by ${sorted(order)} limit ${limit + 1}`.execute(database);
  return pageOf(rows, order, limit, undefined);
}

/** Returns true if the plan's index finds few enough requests to sort them all. */
export async function areFew(database: Database, plan: RequestPlan): Promise<boolean> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from (${candidates(database, plan)}) as found`.execute(database);
  return (rows[0]?.count ?? 0) <= sortedMax;
}

/** Selects the ids that the plan's index finds, one more than may be sorted. */
export function candidates(database: Database, plan: RequestPlan): RawBuilder<unknown> {
  const ranged = plan.isInIdOrder ? sql` and ${inRange(plan)}` : sql``;
  return sql`select request_id as candidate_id from ${requestsIn(database, plan.index)}
    where ${plan.inIndex()}${ranged} limit ${sortedMax + 1}`;
}

/** Joins conditions with `and`. */
export function all(conditions: readonly Condition[], isHidden?: 'hidden'): RawBuilder<SqlBool> {
  if (conditions.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`${sql.join(
    conditions.map((condition) => sql`(${condition(isHidden)})`),
    sql` and `,
  )}`;
}

/** Returns the condition that the id is in the plan's range. */
export function inRange(
  { fromId, toId }: Pick<RequestPlan, 'fromId' | 'toId'>,
  isHidden?: 'hidden',
): RawBuilder<SqlBool> {
  const id =
    isHidden === undefined ? sql`request_records.request_id` : sql`(request_records.request_id || '')`;
  return sql<SqlBool>`${id} >= ${fromId} and ${id} < ${toId}`;
}

function pageOf(
  rows: readonly RequestRow[],
  order: Order,
  limit: number,
  last: RequestMark | undefined,
): RequestPage {
  const shown = rows.slice(0, limit);
  const end = shown.at(-1);
  const next = rows.length > limit && end !== undefined ? markOf(end, order) : last;
  return { entries: shown.map(entryOf), next };
}

function markOf(row: RequestRow, order: Order): RequestMark {
  return { value: order.valueOf(row), requestId: row.request_id };
}

/** Returns the mark of the row at an offset in the index. */
async function markAt(
  database: Database,
  { index }: RequestPlan,
  { place, order, offset }: { place: RawBuilder<unknown>; order: Order; offset: number },
): Promise<RequestMark | undefined> {
  const value = order.column ?? sql`''`;
  const { rows } = await sql<{
    value: string | number;
    request_id: string;
  }>`select ${value} as value, request_id
    from ${requestsIn(database, index)} where ${place}
    order by ${sorted(order)} limit 1 offset ${offset}`.execute(database);
  const [row] = rows;
  return row && { value: row.value, requestId: row.request_id };
}

function sorted({ column, isDescending }: Order): RawBuilder<unknown> {
  const direction = isDescending ? sql`desc` : sql`asc`;
  return column === undefined
    ? sql`request_records.request_id ${direction}`
    : sql`${column} ${direction}, request_records.request_id ${direction}`;
}

function isBeyond(order: Order, mark: RequestMark): RawBuilder<SqlBool> {
  return order.isDescending ? compare(order, mark, sql`<`, sql`<=`) : compare(order, mark, sql`>`, sql`>=`);
}

function isUpTo(order: Order, mark: RequestMark): RawBuilder<SqlBool> {
  const sign = order.isDescending ? sql`>=` : sql`<=`;
  return compare(order, mark, sign, sign);
}

function compare(
  { column, isExpression }: Order,
  { value, requestId }: RequestMark,
  sign: RawBuilder<unknown>,
  signOrEqual: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  if (column === undefined) return sql<SqlBool>`request_records.request_id ${sign} ${requestId}`;
  const pair = sql<SqlBool>`(${column}, request_records.request_id) ${sign} (${value}, ${requestId})`;
  return isExpression ? sql<SqlBool>`${column} ${signOrEqual} ${value} and ${pair}` : pair;
}
