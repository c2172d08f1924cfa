import { newId } from '@countersign/contract';
import { nextLoopTurn } from '@countersign/gate/loop-turns';
import { sql } from 'kysely';
import { queueEvent } from '../registry/store/queue-event.ts';
import { spanMs } from '../request-log/counts/request-counts.ts';
import { findFirstAccepted } from '../request-log/records/first-accepted.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import type { NoticeContent, NotingContext } from './add-notice.ts';
import { hoursToLookAt } from './quiet-day.ts';
import { countHours, failureCodes } from './refusal-counts.ts';
import { findRejection } from './rejected-requests.ts';

/** Requests have been accepted for so long, without such a rejection, when failures count as ended. */
const recoveredAfterMs = 900_000;
/** Nodes log requests a few seconds late. */
const logDelayMs = 5000;

/**
 * Finds the failures that have ended: the client's requests are accepted again, and none was rejected for the same reason in
 * the 15 minutes since. Notes it in the notice of the failures, and queues the event, once over all nodes.
 *
 * Of failures that were proved, only proved ones count, so that no stranger can prolong them.
 */
export class FailureEnds {
  readonly #database: Database;
  /** When a notice can end at the earliest, as found in the last run. */
  #notBeforeMs: ReadonlyMap<string, number> = new Map();

  constructor(database: Database) {
    this.#database = database;
  }

  async note({ nowMs }: NotingContext): Promise<void> {
    const notBeforeMs = new Map<string, number>();
    for (let afterId = ''; ;) {
      const open = await readOpen(this.#database, afterId);
      for (const failure of open) {
        const { noticeId } = failure;
        let earliestMs = this.#notBeforeMs.get(noticeId) ?? 0;
        if (earliestMs <= nowMs) {
          earliestMs = await endOrWait(this.#database, failure, nowMs);
          // A file database runs synchronously, so let requests run in between.
          await nextLoopTurn('reports');
        }
        notBeforeMs.set(noticeId, earliestMs);
      }
      const last = open.at(-1);
      if (last === undefined) break;
      afterId = last.noticeId;
    }
    this.#notBeforeMs = notBeforeMs;
  }
}

interface OpenFailure {
  readonly noticeId: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly happenedAtMs: number;
  readonly content: NoticeContent;
  /** The client's last accepted request. */
  readonly usedAtMs: number;
}

const perPage = 200;

/** Reads notices of failures that go on, of clients that have had accepted requests since they began. */
async function readOpen(database: Database, afterId: string): Promise<readonly OpenFailure[]> {
  const rows = await database
    .selectFrom('notices')
    .innerJoin('last_uses', (join) =>
      join.on('subject', '=', 'client').onRef('subject_id', '=', 'notices.client_id'),
    )
    .select(['notice_id', 'account_id', 'subject_id', 'happened_at_ms', 'content', 'used_at_ms'])
    // A literal, not a parameter, so that the index of such notices is used.
    .where(sql<boolean>`kind = 'first_failure' and ended_at_ms is null`)
    .where('notice_id', '>', afterId)
    .whereRef('used_at_ms', '>', 'happened_at_ms')
    .orderBy('notice_id')
    .limit(perPage)
    .execute();
  return rows.map((row) => ({
    noticeId: row.notice_id,
    accountId: row.account_id,
    clientId: row.subject_id,
    happenedAtMs: row.happened_at_ms,
    content: JSON.parse(row.content) as NoticeContent,
    usedAtMs: row.used_at_ms,
  }));
}

/** Ends failures if they have ended. Returns when they can end at the earliest. */
async function endOrWait(database: Database, failure: OpenFailure, nowMs: number): Promise<number> {
  const lastMs = await lastRejectedMs(database, failure, nowMs);
  if (failure.usedAtMs <= lastMs) return nowMs;
  const waitMs = recoveredAfterMs + logDelayMs;
  if (nowMs < lastMs + waitMs) return lastMs + waitMs;
  const accepted = await findFirstAccepted(database, { clientId: failure.clientId, afterMs: lastMs });
  // If it is too far back, the last one has to do.
  const acceptedMs = accepted?.received_at_ms ?? failure.usedAtMs;
  if (nowMs < acceptedMs + waitMs) return acceptedMs + waitMs;
  await endFailure(database, failure, acceptedMs, nowMs);
  return nowMs;
}

/** Returns when the last request was rejected for this reason, as far as two days tell. */
async function lastRejectedMs(
  database: Database,
  { accountId, clientId, happenedAtMs, content: { failure } }: OpenFailure,
  nowMs: number,
): Promise<number> {
  const rejected = { clientId, outcomes: failure === undefined ? failureCodes : [failure.outcome] };
  const lookedAt = hoursToLookAt(nowMs);
  const hours = await countHours(database, { accountId, ...rejected, ...lookedAt });
  for (const fromMs of [...hours.keys()].toSorted((one, other) => other - one)) {
    const inHour = { ...rejected, fromMs, beforeMs: fromMs + spanMs.hour };
    const last = await findRejection(database, { ...inHour, onlyProved: failure?.isProved === true }, 'desc');
    if (last !== undefined) return last.received_at_ms;
    // If the request log could not hold it, it may have been the end of the hour.
    if ((await findRejection(database, inHour, 'desc')) === undefined)
      return Math.min(inHour.beforeMs, nowMs);
  }
  return Math.max(happenedAtMs, lookedAt.fromMs);
}

async function endFailure(
  database: Database,
  { noticeId, accountId, clientId, happenedAtMs, content }: OpenFailure,
  endedAtMs: number,
  nowMs: number,
): Promise<void> {
  const recoveredAt = new Date(endedAtMs).toISOString();
  await inTransaction(database, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('notices')
      .set({ ended_at_ms: endedAtMs, content: JSON.stringify({ ...content, recoveredAt }) })
      .where('notice_id', '=', noticeId)
      .where('ended_at_ms', 'is', null)
      .executeTakeFirstOrThrow();
    // Another node was faster.
    if (numUpdatedRows === 0n) return;
    const problem = content.failure?.outcome;
    await queueEvent(transaction, {
      eventId: newId('event', nowMs),
      type: 'client.requests_recovered',
      accountId,
      clientId,
      happenedAtMs: nowMs,
      data: {
        clientId,
        ...(problem !== undefined && { problem }),
        since: new Date(happenedAtMs).toISOString(),
        recoveredAt,
      },
    });
  });
}
