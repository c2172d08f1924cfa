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

/** Rejected requests of an account in the requested hours. */
export interface AccountRefusals {
  readonly accountId: string;
  readonly failures: number;
  readonly addresses: number;
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
    .where('outcome', 'in', [...failureCodes, addressCode])
    .groupBy(['account_id', 'outcome'])
    .execute();
  const byAccount = Map.groupBy(rows, (row) => row.account_id);
  return [...byAccount].map(([accountId, ofAccount]) => {
    const sum = (some: typeof rows): number => some.reduce((total, row) => total + Number(row.rejected), 0);
    const addresses = ofAccount.filter(({ outcome }) => outcome === addressCode);
    return { accountId, addresses: sum(addresses), failures: sum(ofAccount) - sum(addresses) };
  });
}

/** Returns the clients of an account that had requests rejected with some outcomes since the start of an hour. */
export async function refusedClients(
  database: Database,
  { accountId, outcomes, fromMs }: { accountId: string; outcomes: readonly string[]; fromMs: number },
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('request_counts')
    .innerJoin('clients', 'clients.client_id', 'request_counts.client_id')
    .select('request_counts.client_id')
    .distinct()
    .where('request_counts.account_id', '=', accountId)
    .where('span', '=', 'hour')
    .where('starts_at_ms', '>=', fromMs)
    .where('outcome', 'in', outcomes)
    .where(sql<boolean>`count > observed_count`)
    // Requests of revoked clients are supposed to fail.
    .where('clients.status', 'in', ['active', 'disabled'])
    .orderBy('request_counts.client_id')
    .limit(clientsMax)
    .execute();
  return rows.map((row) => row.client_id);
}

/** If more clients of an account fail, their failures have a common cause. */
const clientsMax = 1000;

/** Counts a client's rejected requests in each hour from one to another, inclusive. */
export async function countHours(
  database: Database,
  {
    accountId,
    clientId,
    fromMs,
    toMs,
  }: { accountId: string; clientId: string; fromMs: number; toMs: number },
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
    .where('outcome', 'in', failureCodes)
    .groupBy('starts_at_ms')
    .execute();
  return new Map(rows.map((row) => [row.starts_at_ms, Number(row.rejected)]));
}

const rejected = sql<number | string>`sum(count - observed_count)`;
