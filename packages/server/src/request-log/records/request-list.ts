import type { RequestEntry, RequestSort } from '@countersign/contract';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import type { Database } from '../../storage/transaction.ts';
import type { RequestRow } from './request-inserts.ts';
import { entryOf, readRequestRecords } from './request-records.ts';
import { direction, foundIn, idAfter, scanSteps } from './request-scan.ts';
import { planSearch, type RequestCriteria, type RequestPlan } from './request-search.ts';

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
  /**
   * Maximum number of requests scanned. By time, the next page continues there: default 200,000. In any other order, only
   * the newest are sorted: default 1,000,000.
   */
  readonly scannedMax?: number;
}

/** A page of the request log. */
export interface RequestPage {
  readonly entries: readonly RequestEntry[];
  /** The cursor for the next page; undefined once everything has been scanned. */
  readonly next: RequestMark | undefined;
}

/**
 * Lists an account's requests. Each call scans a limited number of requests in short steps, so that other work
 * can use the database and the event loop in between. By time, a page may be short or empty and still have a cursor;
 * in any other order, each page scans everything that it sorts.
 */
export async function listRequestRecords(
  database: Database,
  criteria: RequestCriteria,
  options: RequestListOptions,
): Promise<RequestPage> {
  const plan = await planSearch(database, criteria);
  if (plan === undefined) return { entries: [], next: undefined };
  const { sort = '-receivedAt' } = options;
  const isDescending = sort.startsWith('-');
  const name = isDescending ? sort.slice(1) : sort;
  if (name === 'receivedAt') return pageByTime(database, plan, isDescending, options);
  const value = sortValues[name as keyof typeof sortValues];
  return pageByValue(database, plan, { value, isDescending }, options);
}

const scannedByTimeMax = 200_000;
const sortedMax = 1_000_000;

/** What a list can be sorted by other than the time. */
const sortValues = {
  // It can be unknown, and databases sort null differently.
  durationMs: sql`coalesce(duration_us, -1)`,
  status: sql`status`,
  url: sql`url`,
  sourceAddress: sql`source_address`,
} as const;

async function pageByTime(
  database: Database,
  plan: RequestPlan,
  isDescending: boolean,
  { after, limit, scannedMax = scannedByTimeMax }: RequestListOptions,
): Promise<RequestPage> {
  const rest = after === undefined ? plan : restOf(plan, after.requestId, isDescending);
  const rows: RequestRow[] = [];
  let lastId: string | undefined;
  for await (const step of scanSteps(database, rest, { isDescending, scannedMax })) {
    const found = await sql<RequestRow>`select * from ${foundIn(database, plan, step)}
      order by request_id ${direction(isDescending)} limit ${limit + 1 - rows.length}`.execute(database);
    rows.push(...found.rows);
    lastId = rows.length > limit ? rows[limit - 1]!.request_id : step.lastId;
    if (rows.length > limit) break;
  }
  const next = lastId === undefined ? undefined : { value: '', requestId: lastId };
  return { entries: rows.slice(0, limit).map(entryOf), next };
}

/** Limits a plan to the requests after another. */
function restOf(plan: RequestPlan, id: string, isDescending: boolean): RequestPlan {
  if (isDescending) return id < plan.toId ? { ...plan, toId: id } : plan;
  return idAfter(id) > plan.fromId ? { ...plan, fromId: idAfter(id) } : plan;
}

interface Order {
  readonly value: RawBuilder<unknown>;
  readonly isDescending: boolean;
}

/** Takes the first of each step, and of these the first of all. */
async function pageByValue(
  database: Database,
  plan: RequestPlan,
  order: Order,
  { after, limit, scannedMax = sortedMax }: RequestListOptions,
): Promise<RequestPage> {
  const { value, isDescending } = order;
  const isAfter = after === undefined ? sql<SqlBool>`true` : isBeyond(order, after);
  let first: RequestMark[] = [];
  // The newest first, so that they are the ones that are sorted if there are too many.
  for await (const step of scanSteps(database, plan, { isDescending: true, scannedMax })) {
    // Once there are enough, only what comes before the last of them counts.
    const last = first.length > limit ? first.at(-1) : undefined;
    const isBefore = last === undefined ? sql<SqlBool>`true` : isBeyond(reversed(order), last);
    const { rows } = await sql<RequestMark>`select ${value} as value, request_id as "requestId"
      from ${foundIn(database, plan, step)} and ${isAfter} and ${isBefore}
      order by ${value} ${direction(isDescending)}, request_id ${direction(isDescending)}
      limit ${limit + 1}`.execute(database);
    if (rows.length > 0) first = [...first, ...rows].toSorted(comparing(isDescending)).slice(0, limit + 1);
  }
  const shown = first.slice(0, limit);
  return { entries: await read(database, shown), next: first.length > limit ? shown.at(-1) : undefined };
}

function reversed({ value, isDescending }: Order): Order {
  return { value, isDescending: !isDescending };
}

function isBeyond({ value, isDescending }: Order, mark: RequestMark): RawBuilder<SqlBool> {
  const sign = isDescending ? sql`<` : sql`>`;
  return sql<SqlBool>`(${value}, request_id) ${sign} (${mark.value}, ${mark.requestId})`;
}

/** Compares as the databases do: by code point, and the values have none beyond U+FFFF. */
function comparing(isDescending: boolean): (one: RequestMark, other: RequestMark) => number {
  const sign = isDescending ? -1 : 1;
  return (one, other) => {
    if (one.value !== other.value) return one.value < other.value ? -sign : sign;
    return one.requestId < other.requestId ? -sign : sign;
  };
}

const readAtOnce = 500;

/** Reads requests in the order of their marks. One that was removed meanwhile is left out. */
async function read(database: Database, marks: readonly RequestMark[]): Promise<RequestEntry[]> {
  const found = new Map<string, RequestEntry>();
  for (let start = 0; start < marks.length; start += readAtOnce) {
    if (start > 0) await nextLoopTurn('reports');
    const ids = marks.slice(start, start + readAtOnce).map(({ requestId }) => requestId);
    for (const entry of await readRequestRecords(database, ids)) found.set(entry.requestId, entry);
  }
  return marks.flatMap(({ requestId }) => found.get(requestId) ?? []);
}
