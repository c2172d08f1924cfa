import { firstIdAt } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql } from 'kysely';
import { spanMs } from '../request-log/counts/request-counts.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NotingContext } from './add-notice.ts';
import { hasRoomToday } from './daily-room.ts';
import { countHours, failureCodes, refusedClients } from './refusal-counts.ts';
import { updateNotice } from './update-notice.ts';

const hourMs = spanMs.hour;
const quietHours = 24;

/**
 * Makes a notice for each client of an account whose requests began to be rejected after at least a day without
 * rejections; the same notice counts further ones within a day. Everything is derived from the counts of the
 * request log, which strangers can only increase: a client has at most one such notice a day, whatever requests
 * name it.
 */
export async function noteFirstFailures(
  database: Database,
  accountId: string,
  fromMs: number,
  context: NotingContext,
): Promise<void> {
  const clientIds = await refusedClients(database, { accountId, outcomes: failureCodes, fromMs });
  for (const clientId of clientIds) {
    await noteFirstFailure(database, { accountId, clientId }, context);
    // A file database runs synchronously, so let requests run in between.
    await nextLoopTurn('reports');
  }
}

interface FailingClient {
  readonly accountId: string;
  readonly clientId: string;
}

async function noteFirstFailure(
  database: Database,
  { accountId, clientId }: FailingClient,
  context: NotingContext,
): Promise<void> {
  const thisHourMs = context.nowMs - (context.nowMs % hourMs);
  const fromMs = thisHourMs - (2 * quietHours - 1) * hourMs;
  const hours = await countHours(database, { accountId, clientId, fromMs, toMs: thisHourMs });
  const firstMs = firstHour(hours, thisHourMs);
  if (firstMs === undefined) return;
  const count = [...hours].reduce((sum, [startMs, some]) => (startMs < firstMs ? sum : sum + some), 0);
  const mark = `${clientId} ${firstMs}`;
  const kind = 'first_failure';
  const last = await findFailure(database, clientId, firstMs, 'desc');
  const lastHappenedAtMs = last?.received_at_ms ?? firstMs;
  if (await updateNotice(database, { accountId, kind, mark, count, lastHappenedAtMs })) return;
  const first = await findFailure(database, clientId, firstMs, 'asc');
  await inTransaction(database, async (transaction) => {
    if (!(await hasRoomToday(transaction, { accountId, kind }, context))) return;
    const notice = {
      accountId,
      kind,
      mark,
      happenedAtMs: first?.received_at_ms ?? firstMs,
      lastHappenedAtMs,
      count,
      clientId,
      ...(first && { content: { failure: shownFailure(first) } }),
    } as const;
    await addNotice(transaction, notice, context);
  });
}

/** Returns the hour of the last day in which rejections began after a quiet day; undefined if they did not. */
function firstHour(hours: ReadonlyMap<number, number>, thisHourMs: number): number | undefined {
  for (let startMs = thisHourMs - (quietHours - 1) * hourMs; startMs <= thisHourMs; startMs += hourMs) {
    const isQuiet = Array.from({ length: quietHours }, (_, index) => startMs - (index + 1) * hourMs).every(
      (before) => (hours.get(before) ?? 0) === 0,
    );
    if ((hours.get(startMs) ?? 0) > 0 && isQuiet) return startMs;
  }
  return undefined;
}

/** A rejected request that a notice shows. */
export interface ShownRequest {
  readonly request_id: string;
  readonly received_at_ms: number;
  readonly outcome: string;
  readonly is_proved: 0 | 1;
  readonly source_address: string;
}

/** Finds a client's first or last rejected request since a time; undefined if the log has none. */
async function findFailure(
  database: Database,
  clientId: string,
  fromMs: number,
  order: 'asc' | 'desc',
): Promise<ShownRequest | undefined> {
  return (
    database
      .selectFrom('request_records')
      .select(['request_id', 'received_at_ms', 'outcome', 'is_proved', 'source_address'])
      .where('client_id', '=', clientId)
      .where('request_id', '>=', firstIdAt('request', fromMs))
      // A literal, not a parameter, so that the index of such requests is used.
      .where(sql<boolean>`outcome <> 'accepted'`)
      .where('outcome', 'in', failureCodes)
      .where('is_observed', '=', 0)
      .orderBy('request_id', order)
      .limit(1)
      .executeTakeFirst()
  );
}

export function shownFailure(row: ShownRequest): {
  readonly requestId: string;
  readonly outcome: string;
  readonly isProved: boolean;
  readonly sourceAddress: string;
} {
  return {
    requestId: row.request_id,
    outcome: row.outcome,
    isProved: row.is_proved === 1,
    sourceAddress: row.source_address,
  };
}
