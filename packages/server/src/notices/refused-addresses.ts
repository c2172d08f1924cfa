import { firstIdAt } from '@countersign/contract';
import { sql } from 'kysely';
import { spanMs } from '../request-log/counts/request-counts.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NotingContext } from './add-notice.ts';
import { hasRoomToday } from './daily-room.ts';
import { shownFailure } from './rejected-requests.ts';
import { updateNotice } from './update-notice.ts';

const dayMs = spanMs.day;

/**
 * Makes one notice per client and day (in UTC) with the addresses that its whitelist rejected, except those
 * that it also rejected the day before. These requests had valid signatures, so strangers cannot cause such
 * notices.
 */
export async function noteRefusedAddresses(
  database: Database,
  accountId: string,
  context: NotingContext,
): Promise<void> {
  const todayMs = context.nowMs - (context.nowMs % dayMs);
  // A run may continue past midnight. It leaves requests of the next day to the next run.
  const rows = await readRefused(database, accountId, todayMs - dayMs, todayMs + dayMs);
  for (const [clientId, ofClient] of Map.groupBy(rows, (row) => row.client_id)) {
    const before = new Set(
      ofClient.filter((row) => row.received_at_ms < todayMs).map((row) => row.source_address),
    );
    const fresh = ofClient.filter((row) => row.received_at_ms >= todayMs && !before.has(row.source_address));
    const first = fresh[0];
    if (first === undefined) continue;
    const sourceAddresses = [...new Set(fresh.map((row) => row.source_address))].slice(0, addressesMax);
    const notice = {
      accountId,
      kind: 'refused_address',
      mark: `${clientId} ${todayMs}`,
      happenedAtMs: first.received_at_ms,
      lastHappenedAtMs: fresh.at(-1)!.received_at_ms,
      count: fresh.length,
      clientId,
      content: { failure: shownFailure(first), sourceAddresses },
    } as const;
    if (await updateNotice(database, notice)) continue;
    await inTransaction(database, async (transaction) => {
      if (await hasRoomToday(transaction, notice, context)) await addNotice(transaction, notice, context);
    });
  }
}

/** Maximum number of addresses in a notice. */
const addressesMax = 10;

interface RefusedRow {
  readonly request_id: string;
  readonly received_at_ms: number;
  readonly client_id: string;
  readonly outcome: string;
  readonly is_proved: 0 | 1;
  readonly source_address: string;
}

/**
 * Reads the rejections by an account's whitelists from one time until before another, oldest first; if there
 * are too many, only the newest.
 */
async function readRefused(
  database: Database,
  accountId: string,
  fromMs: number,
  beforeMs: number,
): Promise<readonly RefusedRow[]> {
  const rows = await database
    .selectFrom('request_records')
    .innerJoin('clients', 'clients.client_id', 'request_records.client_id')
    .select([
      'request_records.request_id',
      'request_records.received_at_ms',
      'request_records.client_id',
      'request_records.outcome',
      'request_records.is_proved',
      'request_records.source_address',
    ])
    // A literal, not a parameter, so that the index of such requests is used.
    .where(sql<boolean>`request_records.outcome = 'network_not_allowed'`)
    .where('request_records.account_id', '=', accountId)
    .where('request_records.request_id', '>=', firstIdAt('request', fromMs))
    .where('request_records.request_id', '<', firstIdAt('request', beforeMs))
    .where('request_records.is_observed', '=', 0)
    .where('request_records.is_proved', '=', 1)
    .where('request_records.source_address', '!=', '')
    .where('clients.status', 'in', ['active', 'disabled'])
    .orderBy('request_records.request_id', 'desc')
    .limit(scannedMax)
    .execute();
  return rows.toReversed();
}

const scannedMax = 10_000;
