import type { RequestEntry } from '@countersign/contract';
import type { Database } from '../../storage/transaction.ts';
import type { RequestRow } from './request-inserts.ts';

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

/** Lists the ids of an account's newest requests, starting at a given id, newest first. Uses only an index. */
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

/** Returns a row as the API shows it. */
export function entryOf(row: RequestRow): RequestEntry {
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
