import type { CodeCount } from '@countersign/contract';
import { firstIdAt } from '@countersign/contract/ids';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql } from 'kysely';
import type { Database } from '../../storage/transaction.ts';
import { spanMs } from './request-counts.ts';

/** A client whose readiness may be needed. */
export interface ListedClient {
  readonly clientId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
}

/** Lists a page of an account's active and disabled clients in id order, plus one more if another page follows. */
export async function listOpenClients(
  database: Database,
  page: { readonly accountId: string; readonly afterClientId: string | undefined; readonly limit: number },
): Promise<ListedClient[]> {
  let query = database
    .selectFrom('clients')
    .select(['client_id', 'name', 'status'])
    .where('account_id', '=', page.accountId)
    .where('status', 'in', ['active', 'disabled']);
  if (page.afterClientId !== undefined) query = query.where('client_id', '>', page.afterClientId);
  const rows = await query
    .orderBy('client_id')
    .limit(page.limit + 1)
    .execute();
  return rows.map(({ client_id: clientId, name, status }) => ({
    clientId,
    name,
    status: status as ListedClient['status'],
  }));
}

/** Selects the clients and requests to count. */
export interface VerdictFilter {
  readonly accountId: string;
  readonly clientIds: readonly string[];
  /** The codes that count as rejections. */
  readonly refusalCodes: readonly string[];
}

/** The outcomes of a client's requests. */
export interface Verdicts {
  readonly accepted: number;
  /** Includes rejections that were only observed. */
  readonly refused: number;
  readonly observed: number;
  /** The most frequent first. */
  readonly codes: readonly CodeCount[];
}

/** Counts the outcomes of requests on some days, by client. Clients without such requests are absent. */
export async function countVerdicts(
  database: Database,
  {
    accountId,
    clientIds,
    refusalCodes,
    startsAtMs,
  }: VerdictFilter & { readonly startsAtMs: readonly number[] },
): Promise<ReadonlyMap<string, Verdicts>> {
  const rows = [];
  for (const some of inParts(clientIds, startsAtMs.length)) {
    const found = await database
      .selectFrom('request_counts')
      .select(['client_id', 'outcome'])
      .select(sql<number | string>`sum(count)`.as('requests'))
      .select(sql<number | string>`sum(observed_count)`.as('observed'))
      .where('account_id', '=', accountId)
      .where('span', '=', 'day')
      .where('starts_at_ms', 'in', startsAtMs)
      .where('client_id', 'in', some)
      .where('outcome', 'in', ['accepted', ...refusalCodes])
      .groupBy(['client_id', 'outcome'])
      .execute();
    rows.push(...found);
    // A file database runs synchronously, so let requests run in between.
    await nextLoopTurn('reports');
  }
  const byClient = Map.groupBy(rows, (row) => row.client_id);
  return new Map([...byClient].map(([clientId, ofClient]) => [clientId, verdictsOf(ofClient)]));
}

function verdictsOf(
  rows: readonly {
    readonly outcome: string;
    readonly requests: number | string;
    readonly observed: number | string;
  }[],
): Verdicts {
  // PostgreSQL returns sums as text.
  const counts = rows.map((row) => ({ outcome: row.outcome, count: Number(row.requests) }));
  const refusals = counts.filter(({ outcome }) => outcome !== 'accepted');
  return {
    accepted: counts.find(({ outcome }) => outcome === 'accepted')?.count ?? 0,
    refused: refusals.reduce((sum, { count }) => sum + count, 0),
    observed: rows.reduce((sum, row) => sum + Number(row.observed), 0),
    codes: byFrequency(refusals),
  };
}

/** Sorts counts by frequency, then by code. */
export function byFrequency(counts: readonly CodeCount[]): CodeCount[] {
  return counts.toSorted((one, other) => other.count - one.count || (one.outcome < other.outcome ? -1 : 1));
}

/** Returns those of the given clients that had a request rejected in some hours, enforced or only observed. */
export async function refusedClients(
  database: Database,
  {
    accountId,
    clientIds,
    refusalCodes,
    startsAtMs,
  }: VerdictFilter & { readonly startsAtMs: readonly number[] },
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  for (const some of inParts(clientIds, startsAtMs.length)) {
    const rows = await database
      .selectFrom('request_counts')
      .select('client_id')
      .distinct()
      .where('account_id', '=', accountId)
      .where('span', '=', 'hour')
      .where('starts_at_ms', 'in', startsAtMs)
      .where('client_id', 'in', some)
      .where('outcome', 'in', refusalCodes)
      .execute();
    for (const row of rows) refused.add(row.client_id);
    await nextLoopTurn('reports');
  }
  return refused;
}

/** The number of index positions looked up per query. */
const placesPerQueryMax = 2000;

function* inParts(clientIds: readonly string[], spans: number): Generator<readonly string[]> {
  const size = Math.max(1, Math.floor(placesPerQueryMax / spans));
  for (let start = 0; start < clientIds.length; start += size) yield clientIds.slice(start, start + size);
}

/** A logged request that a check rejected or would have rejected. */
export interface KeptRefusal {
  readonly requestId: string;
  readonly receivedAtMs: number;
  readonly outcome: string;
  readonly isObserved: boolean;
  readonly sourceAddress: string;
}

/**
 * Finds each client's last rejection since a time. Looks at a limited number of each client's newest failed
 * requests, and only in an index, so it may miss a rejection that many other failures followed.
 */
export async function lastRefusals(
  database: Database,
  { clientIds, refusalCodes, fromMs }: Omit<VerdictFilter, 'accountId'> & { readonly fromMs: number },
): Promise<ReadonlyMap<string, KeptRefusal>> {
  if (clientIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('request_records')
    .selectAll()
    .where('request_id', 'in', (query) =>
      query
        .selectFrom('clients')
        .where('clients.client_id', 'in', clientIds)
        .select((client) =>
          client
            .selectFrom((newest) =>
              newest
                .selectFrom('request_records')
                .select(['request_id', 'outcome'])
                .whereRef('request_records.client_id', '=', 'clients.client_id')
                // A literal, not a parameter, so that the index of such requests is used.
                .where(sql<boolean>`request_records.outcome <> 'accepted'`)
                .where('request_records.request_id', '>=', firstIdAt('request', fromMs))
                .orderBy('request_records.request_id', 'desc')
                .limit(scannedMax)
                .as('newest'),
            )
            .select(({ fn }) => fn.max('newest.request_id').as('last_id'))
            .where('newest.outcome', 'in', refusalCodes)
            .as('last_id'),
        ),
    )
    .execute();
  return new Map(
    rows.map((row) => [
      row.client_id,
      {
        requestId: row.request_id,
        receivedAtMs: row.received_at_ms,
        outcome: row.outcome,
        isObserved: row.is_observed === 1,
        sourceAddress: row.source_address,
      },
    ]),
  );
}

/** The number of failed requests scanned per client. */
const scannedMax = 200;

/** Returns the starts of the spans from one time to another, inclusive. */
export function startsBetween(span: keyof typeof spanMs, fromMs: number, toMs: number): number[] {
  const step = spanMs[span];
  const first = Math.floor(fromMs / step);
  return Array.from({ length: Math.floor(toMs / step) - first + 1 }, (_, index) => (first + index) * step);
}
