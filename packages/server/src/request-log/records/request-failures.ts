import { firstIdAt, type FailureGroup } from '@countersign/contract';
import { answerCodes } from '@countersign/contract/problems';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { type Database, inSnapshot } from '../../storage/transaction.ts';
import { isClientOf } from '../../registry/store/client-records.ts';
import { readFindingCodes } from './explanations.ts';

export interface FailureFilter {
  readonly accountId: string;
  readonly clientId?: string | undefined;
  readonly fromMs: number;
  readonly groupsMax: number;
  readonly sourceAddressesMax: number;
}

export interface GroupedFailures {
  readonly groups: readonly FailureGroup[];
  /** False if only the newest failures were scanned. */
  readonly isComplete: boolean;
}

/**
 * Groups an account's failed requests by the client that they name, by code, by the mistake found in them, and
 * by whether they passed. Scans only a limited number of the newest, and only in an index, so that no flood of
 * failures can tie up the database.
 */
export async function groupFailures(database: Database, filter: FailureFilter): Promise<GroupedFailures> {
  const { accountId, clientId, fromMs, groupsMax, sourceAddressesMax } = filter;
  return inSnapshot(database, async (transaction) => {
    if (clientId !== undefined && !(await isClientOf(transaction, clientId, accountId)))
      return { groups: [], isComplete: true };
    let query = transaction
      .selectFrom('request_records')
      .select(['request_id', 'client_id', 'outcome', 'source_address', 'is_observed'])
      // A literal, not a parameter, so that the indexes of such requests are used.
      .where(sql<boolean>`outcome <> 'accepted'`)
      .where('outcome', 'not in', answerCodes)
      .where('request_id', '>=', firstIdAt('request', fromMs));
    query =
      clientId === undefined
        ? query.where('account_id', '=', accountId)
        : query.where('client_id', '=', clientId);
    const rows = await newestRows(query);
    const found = await readFindingCodes(transaction, accountId, firstIdAt('request', fromMs));
    const groups = groupRows(rows, found, sourceAddressesMax).slice(0, groupsMax);
    return { groups: await describe(transaction, groups), isComplete: rows.length < scannedMax };
  });
}

/** An address that a whitelist rejected, and how often. */
export interface RefusedAddressGroup {
  readonly clientId: string;
  readonly sourceAddress: string;
  readonly count: number;
  readonly lastRequestId: string;
  readonly lastAtMs: number;
}

/** Lists the addresses whose signed requests were rejected by whitelists, most recent first. */
export async function listRefusedAddresses(
  database: Database,
  {
    accountId,
    clientId,
    fromMs,
    groupsMax,
  }: {
    readonly accountId: string;
    readonly clientId?: string | undefined;
    readonly fromMs: number;
    readonly groupsMax: number;
  },
): Promise<readonly RefusedAddressGroup[]> {
  return inSnapshot(database, async (transaction) => {
    let query = transaction
      .selectFrom('request_records')
      .select(['request_id', 'client_id', 'source_address'])
      .where(sql<boolean>`outcome = 'network_not_allowed'`)
      .where('account_id', '=', accountId)
      .where('request_id', '>=', firstIdAt('request', fromMs));
    if (clientId !== undefined) query = query.where('client_id', '=', clientId);
    const rows = await newestRows(query);
    const groups = new Map<string, { row: (typeof rows)[number]; count: number }>();
    for (const row of rows) {
      const name = `${row.client_id} ${row.source_address}`;
      const group = groups.get(name);
      if (group === undefined) groups.set(name, { row, count: 1 });
      else group.count += 1;
    }
    const newest = [...groups.values()].slice(0, groupsMax);
    const times = await readTimes(
      transaction,
      newest.map(({ row }) => row.request_id),
    );
    return newest.map(({ row, count }) => ({
      clientId: row.client_id,
      sourceAddress: row.source_address,
      count,
      lastRequestId: row.request_id,
      lastAtMs: times.get(row.request_id)?.received_at_ms ?? 0,
    }));
  });
}

/** The number of rejected requests scanned, newest first: in total and per step. */
const scannedMax = 10_000;
const scannedAtOnce = 1000;

/** Reads the newest requests in steps, and lets the event loop run between them. */
async function newestRows<Row extends { readonly request_id: string }>(
  query: SelectQueryBuilder<Schema, 'request_records', Row>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const ordered = query.orderBy('request_id', 'desc').limit(scannedAtOnce);
  while (rows.length < scannedMax) {
    const last = rows.at(-1)?.request_id;
    const step = await (last === undefined ? ordered : ordered.where('request_id', '<', last)).execute();
    rows.push(...step);
    if (step.length < scannedAtOnce) break;
    await nextLoopTurn('reports');
  }
  return rows;
}

interface RefusedRow {
  readonly request_id: string;
  readonly client_id: string;
  readonly outcome: string;
  readonly source_address: string;
  readonly is_observed: 0 | 1;
}

interface RowGroup {
  readonly newest: RefusedRow;
  oldest: RefusedRow;
  readonly findingCode: string | undefined;
  count: number;
  readonly sourceAddresses: string[];
}

/** Rows and groups are both newest first. */
function groupRows(
  rows: readonly RefusedRow[],
  found: ReadonlyMap<string, string>,
  sourceAddressesMax: number,
): RowGroup[] {
  const groups = new Map<string, RowGroup>();
  for (const row of rows) {
    const findingCode = found.get(row.request_id);
    const name = `${row.client_id} ${row.outcome} ${row.is_observed} ${findingCode}`;
    const group = groups.get(name);
    if (group === undefined) {
      groups.set(name, {
        newest: row,
        oldest: row,
        findingCode,
        count: 1,
        sourceAddresses: [row.source_address],
      });
      continue;
    }
    group.oldest = row;
    group.count += 1;
    const { sourceAddresses } = group;
    if (sourceAddresses.length < sourceAddressesMax && !sourceAddresses.includes(row.source_address))
      sourceAddresses.push(row.source_address);
  }
  return [...groups.values()];
}

async function describe(database: Database, groups: readonly RowGroup[]): Promise<FailureGroup[]> {
  const ids = groups.flatMap(({ newest, oldest }) => [newest.request_id, oldest.request_id]);
  const details = await readTimes(database, [...new Set(ids)]);
  const names = await readNames(database, [...new Set(groups.map(({ newest }) => newest.client_id))]);
  const timeOf = (requestId: string): string =>
    new Date(details.get(requestId)?.received_at_ms ?? 0).toISOString();
  return groups.map(({ newest, oldest, findingCode, count, sourceAddresses }) => ({
    outcome: newest.outcome,
    ...(findingCode !== undefined && { findingCode }),
    isObserved: newest.is_observed === 1,
    clientId: newest.client_id,
    clientName: names.get(newest.client_id),
    count,
    firstAt: timeOf(oldest.request_id),
    lastAt: timeOf(newest.request_id),
    lastRequestId: newest.request_id,
    // Connections that ended early have no known address.
    sourceAddresses: sourceAddresses.filter((address) => address !== ''),
    reason: details.get(newest.request_id)?.reason ?? undefined,
  }));
}

interface RequestTime {
  readonly request_id: string;
  readonly received_at_ms: number;
  readonly reason: string | null;
}

async function readTimes(
  database: Database,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, RequestTime>> {
  if (requestIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('request_records')
    .select(['request_id', 'received_at_ms', 'reason'])
    .where('request_id', 'in', requestIds)
    .execute();
  return new Map(rows.map((row) => [row.request_id, row]));
}

async function readNames(
  database: Database,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (clientIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('clients')
    .select(['client_id', 'name'])
    .where('client_id', 'in', clientIds)
    .where('status', '!=', 'archived')
    .execute();
  return new Map(rows.map((row) => [row.client_id, row.name]));
}
