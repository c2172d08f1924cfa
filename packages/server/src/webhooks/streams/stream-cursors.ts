import type { Transaction, Updateable } from 'kysely';
import type { StreamCursorsTable } from '../../registry/stream-tables.ts';
import type { Schema } from '../../storage/schema.ts';
import type { Database } from '../../storage/transaction.ts';
import type { StreamPlace, StreamSource } from '../../registry/stream-records.ts';

/** A source of a stream. */
export interface StreamKey {
  readonly stream: string;
  readonly source: StreamSource;
}

/** A cursor as it is stored. */
export interface StreamCursor {
  readonly place: StreamPlace;
  readonly failures: number;
  readonly failingSinceMs: number | null;
  readonly stalledAtMs: number | null;
  readonly problem: string | null;
}

/** Longer than an attempt can take. What a node was sending when it crashed is sent again after this time. */
const leaseMs = 60_000;

/** Reads a cursor; undefined if the stream has never been started. */
export async function readCursor(
  database: Database,
  { stream, source }: StreamKey,
): Promise<StreamCursor | undefined> {
  const row = await database
    .selectFrom('stream_cursors')
    .selectAll()
    .where('stream', '=', stream)
    .where('source', '=', source)
    .executeTakeFirst();
  return (
    row && {
      place: {
        position: row.position,
        recordId: row.record_id,
        backfillToId: row.backfill_to_id,
        fromMs: row.from_ms,
      },
      failures: row.failures,
      failingSinceMs: row.failing_since_ms,
      stalledAtMs: row.stalled_at_ms,
      problem: row.problem,
    }
  );
}

/** Adds a cursor, unless another node was faster. */
export async function addCursor(
  database: Database,
  { stream, source }: StreamKey,
  { position, recordId, backfillToId, fromMs }: StreamPlace,
): Promise<void> {
  await database
    .insertInto('stream_cursors')
    .values({
      stream,
      source,
      position,
      record_id: recordId,
      backfill_to_id: backfillToId,
      from_ms: fromMs,
      lease_id: null,
      failing_since_ms: null,
      stalled_at_ms: null,
      problem: null,
    })
    .onConflict((conflict) => conflict.columns(['stream', 'source']).doNothing())
    .execute();
}

/** Claims a cursor that is due for some time, or extends the claim. Returns false if another node has it. */
export async function claimCursor(
  database: Database,
  { stream, source }: StreamKey,
  leaseId: string,
  nowMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('stream_cursors')
    .set({ lease_id: leaseId, leased_until_ms: nowMs + leaseMs })
    .where('stream', '=', stream)
    .where('source', '=', source)
    .where('next_attempt_at_ms', '<=', nowMs)
    .where((build) => build.or([build('lease_id', '=', leaseId), build('leased_until_ms', '<=', nowMs)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Gives a claim back. */
export async function releaseCursor(database: Database, key: StreamKey, leaseId: string): Promise<void> {
  await updateClaimed(database, key, leaseId, { lease_id: null, leased_until_ms: 0 });
}

/**
 * Moves a cursor on, after the receiver has acknowledged everything before. Returns false if another node has claimed it: then
 * that one sends some records again.
 */
export async function advanceCursor(
  transaction: Transaction<Schema>,
  key: StreamKey,
  leaseId: string,
  { position, recordId, backfillToId }: StreamPlace,
): Promise<boolean> {
  return updateClaimed(transaction, key, leaseId, {
    position,
    record_id: recordId,
    backfill_to_id: backfillToId,
    failures: 0,
    failing_since_ms: null,
    stalled_at_ms: null,
    problem: null,
  });
}

/** What becomes of a stream after a failed attempt. */
export interface FailedAttempt {
  readonly failures: number;
  readonly failingSinceMs: number;
  readonly stalledAtMs: number | null;
  readonly nextAttemptAtMs: number;
  readonly problem: string;
}

/** Keeps a failure, and gives the claim back. Returns false if another node has claimed it. */
export async function failCursor(
  transaction: Transaction<Schema>,
  key: StreamKey,
  leaseId: string,
  { failures, failingSinceMs, stalledAtMs, nextAttemptAtMs, problem }: FailedAttempt,
): Promise<boolean> {
  return updateClaimed(transaction, key, leaseId, {
    failures,
    failing_since_ms: failingSinceMs,
    stalled_at_ms: stalledAtMs,
    next_attempt_at_ms: nextAttemptAtMs,
    problem,
    lease_id: null,
    leased_until_ms: 0,
  });
}

/** Changes a cursor as long as it is claimed. Returns false if another node has it. */
async function updateClaimed(
  database: Database,
  { stream, source }: StreamKey,
  leaseId: string,
  columns: Updateable<StreamCursorsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('stream_cursors')
    .set(columns)
    .where('stream', '=', stream)
    .where('source', '=', source)
    .where('lease_id', '=', leaseId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
