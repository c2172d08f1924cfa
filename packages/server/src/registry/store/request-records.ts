import { firstIdAt, type RequestEntry } from '@countersign/contract';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { isClientOf } from './client-records.ts';
import type { RequestRow } from './request-inserts.ts';

/** A filter for requests, newest first. */
export interface RequestFilter {
  readonly accountId: string;
  readonly clientId?: string | undefined;
  /** `accepted`, `observed` for failed requests that passed, `refused` for everything else, or a code. */
  readonly outcome?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  /** Only requests before this one. */
  readonly beforeRequestId?: string | undefined;
  readonly limit: number;
}

/** A page of the request log. */
export interface RequestPage {
  readonly entries: readonly RequestEntry[];
  /** The cursor for the next page; undefined once everything has been scanned. */
  readonly nextRequestId: string | undefined;
}

/**
 * Lists an account's requests, newest first: ids are in time order. Each call scans a limited number of requests, so
 * that no filter can tie up the database for long: a page may be short or empty and still have a cursor.
 */
export async function listRequestRecords(database: Database, filter: RequestFilter): Promise<RequestPage> {
  const { accountId, clientId, outcome, fromMs, toMs, beforeRequestId, limit } = filter;
  return inSnapshot(database, async (transaction) => {
    if (clientId !== undefined && !(await isClientOf(transaction, clientId, accountId)))
      return { entries: [], nextRequestId: undefined };
    let query = transaction.selectFrom('request_records');
    query =
      clientId === undefined
        ? query.where('account_id', '=', accountId)
        : query.where('client_id', '=', clientId);
    // Filters by the time in the ids, because they are indexed.
    if (fromMs !== undefined) query = query.where('request_id', '>=', firstIdAt('request', fromMs));
    if (toMs !== undefined) query = query.where('request_id', '<', firstIdAt('request', toMs));
    if (beforeRequestId !== undefined) query = query.where('request_id', '<', beforeRequestId);
    query = query.orderBy('request_id', 'desc');
    let end: string | undefined;
    if (outcome !== undefined) {
      const [last] = await query
        .select('request_id')
        .limit(1)
        .offset(lookedAtMax - 1)
        .execute();
      end = last?.request_id;
      if (end !== undefined) query = query.where('request_id', '>=', end);
      if (outcome === 'observed') query = query.where('is_observed', '=', 1);
      else if (outcome === 'refused')
        query = query.where('outcome', '!=', 'accepted').where('is_observed', '=', 0);
      else query = query.where('outcome', '=', outcome);
    }
    const rows = await query
      .selectAll()
      .limit(limit + 1)
      .execute();
    const entries = rows.slice(0, limit).map(entryOf);
    return { entries, nextRequestId: rows.length > limit ? entries.at(-1)?.requestId : end };
  });
}

/** The number of requests scanned per page. */
const lookedAtMax = 20_000;

/** Reads one request; undefined if it is unknown or belongs to an account other than the given one. */
export async function readRequestRecord(
  database: Database,
  requestId: string,
  accountId: string | undefined,
): Promise<RequestEntry | undefined> {
  let query = database.selectFrom('request_records').selectAll().where('request_id', '=', requestId);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : entryOf(row);
}

/** Lists the ids of an account's newest requests from a given id on, newest first. Uses only an index. */
export async function listNewRequestIds(
  database: Database,
  {
    accountId,
    fromId,
    limit,
  }: { readonly accountId: string; readonly fromId: string; readonly limit: number },
): Promise<string[]> {
  const rows = await database
    .selectFrom('request_records')
    .select('request_id')
    .where('account_id', '=', accountId)
    .where('request_id', '>=', fromId)
    .orderBy('request_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => row.request_id);
}

/** Reads the requests with these ids that are still kept, oldest first. A few hundred ids at most. */
export async function readRequestRecords(
  database: Database,
  requestIds: readonly string[],
): Promise<RequestEntry[]> {
  if (requestIds.length === 0) return [];
  const rows = await database
    .selectFrom('request_records')
    .selectAll()
    .where('request_id', 'in', requestIds)
    .orderBy('request_id')
    .execute();
  return rows.map(entryOf);
}

function entryOf(row: RequestRow): RequestEntry {
  return {
    requestId: row.request_id,
    receivedAt: new Date(row.received_at_ms).toISOString(),
    accountId: row.account_id,
    clientId: row.client_id,
    isProved: row.is_proved === 1,
    outcome: row.outcome,
    isObserved: row.is_observed === 1,
    ...(row.reason === null ? {} : { reason: row.reason }),
    method: row.method,
    url: row.url,
    status: row.status,
    sourceAddress: row.source_address,
    ...(row.key_fingerprint === null ? {} : { keyFingerprint: row.key_fingerprint }),
    ...(row.clock_difference_seconds === null
      ? {}
      : { clockDifferenceSeconds: row.clock_difference_seconds }),
    ...(row.duration_us === null ? {} : { durationMs: row.duration_us / 1000 }),
  };
}
