import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { spanMs } from '../request-log/counts/request-counts.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NotingContext } from './add-notice.ts';
import { hasRoomToday } from './daily-room.ts';
import { countSince, firstHourAfterQuiet, hoursToLookAt } from './quiet-day.ts';
import { countHours, provedCodes, type RefusedCause, refusedCauses } from './refusal-counts.ts';
import { findRejection, shownFailure } from './rejected-requests.ts';
import {
  causeMark,
  endOlder,
  isCauseMark,
  readToldFailures,
  takeTurn,
  type ToldFailure,
} from './told-failures.ts';
import { updateNotice } from './update-notice.ts';

/** How many notices of further causes a client can have in a day. */
const causesPerDayMax = 5;

/**
 * Makes a notice for each further cause for which a failing client's requests are rejected, and for one that began again
 * after it had ended. Only requests with valid signatures count, so strangers cannot cause such notices, and cannot hide
 * them behind the failures that they cause.
 */
export async function noteFailureCauses(
  database: Database,
  accountId: string,
  fromMs: number,
  context: NotingContext,
): Promise<void> {
  for (const cause of await refusedCauses(database, { accountId, outcomes: provedCodes, fromMs })) {
    await noteCause(database, { accountId, ...cause }, context);
    // A file database runs synchronously, so let requests run in between.
    await nextLoopTurn('reports');
  }
}

interface FoundCause extends RefusedCause {
  readonly accountId: string;
}

async function noteCause(database: Database, cause: FoundCause, context: NotingContext): Promise<void> {
  const { accountId, clientId, outcome } = cause;
  const { nowMs } = context;
  const ofCause = { clientId, outcomes: [outcome] };
  const hours = await countHours(database, { accountId, ...ofCause, ...hoursToLookAt(nowMs) });
  const stretch = stretchOf(cause, hours, await readToldFailures(database, cause), nowMs);
  if (stretch === undefined) return;
  const { mark, fromMs } = stretch;
  const proved = { ...ofCause, onlyProved: true, fromMs };
  const first = await findRejection(database, proved, 'asc');
  const last = await findRejection(database, proved, 'desc');
  // Nothing new since it ended, or the request log could not hold it.
  if (first === undefined || last === undefined) return;
  const count = countSince(hours, first.received_at_ms - (first.received_at_ms % spanMs.hour));
  const counted = { accountId, kind, mark, count, lastHappenedAtMs: last.received_at_ms } as const;
  if (await updateNotice(database, counted)) return;
  await inTransaction(database, async (transaction) => {
    await takeTurn(transaction);
    const told = await readToldFailures(transaction, cause);
    // Another node may have told it meanwhile.
    if (stretchOf(cause, hours, told, nowMs)?.mark !== mark || !hasRoomForCause(told, nowMs)) return;
    if (!(await hasRoomToday(transaction, { accountId, kind, marks: 'causes' }, context))) return;
    const happenedAtMs = first.received_at_ms;
    const notice = { ...counted, clientId, happenedAtMs, content: { failure: shownFailure(first) } };
    if (await addNotice(transaction, notice, context)) await endOlder(transaction, told, outcome);
  });
}

const kind = 'first_failure';

/** The failures that one notice tells: its mark, and where they begin at the earliest. */
interface Stretch {
  readonly mark: string;
  readonly fromMs: number;
}

/** Returns what there is to tell, or to count, about a cause; undefined for nothing. */
function stretchOf(
  { clientId, outcome }: RefusedCause,
  hours: ReadonlyMap<number, number>,
  told: readonly ToldFailure[],
  nowMs: number,
): Stretch | undefined {
  const last = told.find((one) => one.outcome === outcome);
  const firstMs = firstHourAfterQuiet(hours, nowMs);
  if (firstMs !== undefined && (last === undefined || last.happenedAtMs < firstMs))
    return { mark: causeMark(clientId, outcome, firstMs), fromMs: firstMs };
  if (last === undefined) return undefined;
  // The same on every node, whichever rejection that learns of first.
  if (last.endedAtMs !== undefined)
    return { mark: causeMark(clientId, outcome, last.noticeId), fromMs: last.endedAtMs + 1 };
  const isCounted = isCauseMark(last.mark) && last.happenedAtMs > nowMs - spanMs.day;
  return isCounted ? { mark: last.mark, fromMs: last.happenedAtMs } : undefined;
}

function hasRoomForCause(told: readonly ToldFailure[], nowMs: number): boolean {
  const today = told.filter(({ mark, notedAtMs }) => isCauseMark(mark) && notedAtMs > nowMs - spanMs.day);
  return today.length < causesPerDayMax;
}
