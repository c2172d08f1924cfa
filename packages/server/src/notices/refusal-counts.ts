import { profileChecks } from '@countersign/contract';
import { sql } from 'kysely';
import { spanMs } from '../request-log/counts/request-counts.ts';
import type { Database } from '../storage/transaction.ts';

const hourMs = spanMs.hour;

/** The rejection of a valid signature from an address outside the network whitelist. */
const addressCode = 'network_not_allowed';

/** The codes of all other rejections by a check. */
export const failureCodes: readonly string[] = profileChecks
  .flatMap(({ codes }) => codes)
  .filter((code) => code !== addressCode);

const signatureCheck = profileChecks.find(({ codes }) => codes.includes('signature_invalid'))!.number;

/** Those of them that only requests with valid signatures get: of the checks after that of the signature. */
export const provedCodes: readonly string[] = profileChecks
  .filter(({ number }) => number > signatureCheck)
  .flatMap(({ codes }) => codes)
  .filter((code) => code !== addressCode);

/** The rejection of a client that exceeded its rate limit. */
export const rateLimitCode = 'rate_limited';

/** Rejected requests of an account in the requested hours. */
export interface AccountRefusals {
  readonly accountId: string;
  readonly failures: number;
  readonly addresses: number;
  /** Includes other answers with the same code. */
  readonly rateLimited: number;
}

/**
 * Counts the rejected requests of all accounts that had any, since the start of an hour. Rejections that were
 * only observed don't count.
 */
export async function countRefusals(database: Database, fromMs: number): Promise<readonly AccountRefusals[]> {
  const rows = await database
    .selectFrom('request_counts')
    .select(['account_id', 'outcome'])
    .select(rejected.as('rejected'))
    .where('span', '=', 'hour')
    .where('starts_at_ms', '>=', fromMs)
    // A literal, not a parameter, so that the index of the sums is used.
    .where(sql<boolean>`client_id = ''`)
    .where('outcome', 'in', [...failureCodes, addressCode, rateLimitCode])
    .groupBy(['account_id', 'outcome'])
    .execute();
  const byAccount = Map.groupBy(rows, (row) => row.account_id);
  return [...byAccount].map(([accountId, ofAccount]) => {
    const sum = (some: typeof rows): number => some.reduce((total, row) => total + Number(row.rejected), 0);
    const sumOf = (code: string): number => sum(ofAccount.filter(({ outcome }) => outcome === code));
    const [addresses, rateLimited] = [sumOf(addressCode), sumOf(rateLimitCode)];
    return { accountId, addresses, rateLimited, failures: sum(ofAccount) - addresses - rateLimited };
  });
}

interface RefusedFilter {
  readonly accountId: string;
  readonly outcomes: readonly string[];
  /** The start of an hour. */
  readonly fromMs: number;
}

/** Returns the clients of an account that had requests rejected with some outcomes since the start of an hour. */
export async function refusedClients(database: Database, filter: RefusedFilter): Promise<readonly string[]> {
  const rows = await refusals(database, filter)
    .select('request_counts.client_id')
    .distinct()
    .orderBy('request_counts.client_id')
    .limit(clientsMax)
    .execute();
  return rows.map((row) => row.client_id);
}

/** A client whose requests are rejected for one reason. */
export interface RefusedCause {
  readonly clientId: string;
  readonly outcome: string;
}

/** Returns the same by client and outcome. */
export async function refusedCauses(
  database: Database,
  filter: RefusedFilter,
): Promise<readonly RefusedCause[]> {
  const rows = await refusals(database, filter)
    .select(['request_counts.client_id', 'outcome'])
    .distinct()
    .orderBy('request_counts.client_id')
    .orderBy('outcome')
    .limit(clientsMax)
    .execute();
  return rows.map((row) => ({ clientId: row.client_id, outcome: row.outcome }));
}

function refusals(database: Database, { accountId, outcomes, fromMs }: RefusedFilter) {
  return (
    database
      .selectFrom('request_counts')
      .innerJoin('clients', 'clients.client_id', 'request_counts.client_id')
      .where('request_counts.account_id', '=', accountId)
      .where('span', '=', 'hour')
      .where('starts_at_ms', '>=', fromMs)
      .where('outcome', 'in', outcomes)
      .where(sql<boolean>`count > observed_count`)
      // Requests of revoked clients are supposed to fail.
      .where('clients.status', 'in', ['active', 'disabled'])
  );
}

/** If more clients of an account fail, their failures have a common cause. */
const clientsMax = 1000;

interface CountedHours {
  readonly accountId: string;
  readonly clientId: string;
  /** Default all failures. */
  readonly outcomes?: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** Counts a client's rejected requests in each hour from one to another, inclusive. */
export async function countHours(
  database: Database,
  { accountId, clientId, outcomes = failureCodes, fromMs, toMs }: CountedHours,
): Promise<ReadonlyMap<number, number>> {
  const hours = Array.from({ length: (toMs - fromMs) / hourMs + 1 }, (_, index) => fromMs + index * hourMs);
  const rows = await database
    .selectFrom('request_counts')
    .select('starts_at_ms')
    .select(rejected.as('rejected'))
    .where('account_id', '=', accountId)
    .where('span', '=', 'hour')
    .where('starts_at_ms', 'in', hours)
    .where('client_id', '=', clientId)
    .where('outcome', 'in', outcomes)
    .groupBy('starts_at_ms')
    .execute();
  return new Map(rows.map((row) => [row.starts_at_ms, Number(row.rejected)]));
}

const rejected = sql<number | string>`sum(count - observed_count)`;
