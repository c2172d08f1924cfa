import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NotingContext } from './add-notice.ts';
import { hasRoomToday } from './daily-room.ts';
import { countSince, firstHourAfterQuiet, hoursToLookAt } from './quiet-day.ts';
import { countHours, failureCodes, refusedClients } from './refusal-counts.ts';
import { findRejection, shownFailure } from './rejected-requests.ts';
import { endOlder, type FailingClient, readToldFailures, takeTurn } from './told-failures.ts';
import { updateNotice } from './update-notice.ts';

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

async function noteFirstFailure(
  database: Database,
  { accountId, clientId }: FailingClient,
  context: NotingContext,
): Promise<void> {
  const hours = await countHours(database, { accountId, clientId, ...hoursToLookAt(context.nowMs) });
  const firstMs = firstHourAfterQuiet(hours, context.nowMs);
  if (firstMs === undefined) return;
  const count = countSince(hours, firstMs);
  const mark = `${clientId} ${firstMs}`;
  const kind = 'first_failure';
  const filter = { clientId, outcomes: failureCodes, fromMs: firstMs };
  const last = await findRejection(database, filter, 'desc');
  const lastHappenedAtMs = last?.received_at_ms ?? firstMs;
  if (await updateNotice(database, { accountId, kind, mark, count, lastHappenedAtMs })) return;
  const first = await findRejection(database, filter, 'asc');
  await inTransaction(database, async (transaction) => {
    await takeTurn(transaction);
    const told = await readToldFailures(transaction, { accountId, clientId });
    // Another node has told these failures by their cause.
    if (told.some(({ happenedAtMs }) => happenedAtMs >= firstMs)) return;
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
    if (await addNotice(transaction, notice, context)) await endOlder(transaction, told, first?.outcome);
  });
}
