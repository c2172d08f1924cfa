import type { Transaction } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import type { Database } from '../storage/transaction.ts';
import type { NoticeContent } from './add-notice.ts';

/** A notice of a client's failures. */
export interface ToldFailure {
  readonly noticeId: string;
  readonly mark: string;
  readonly happenedAtMs: number;
  readonly lastHappenedAtMs: number;
  readonly notedAtMs: number;
  /** Undefined while its requests go on failing. */
  readonly endedAtMs: number | undefined;
  /** The code of the first rejected request; undefined if the request log did not have it. */
  readonly outcome: string | undefined;
}

export interface FailingClient {
  readonly accountId: string;
  readonly clientId: string;
}

/** The mark of a notice of a further cause. That of a client's first failure has no code. */
export function causeMark(clientId: string, outcome: string, beginning: string | number): string {
  return `${clientId} ${outcome} ${beginning}`;
}

export function isCauseMark(mark: string): boolean {
  return mark.split(' ').length === 3;
}

/** What the marks of further causes are like in SQL. */
export const likeCauseMark = '% % %';

/** Reads the notices of a client's failures, newest first. */
export async function readToldFailures(
  database: Database,
  { accountId, clientId }: FailingClient,
): Promise<readonly ToldFailure[]> {
  const rows = await database
    .selectFrom('notices')
    .select(['notice_id', 'mark', 'happened_at_ms', 'last_happened_at_ms', 'noted_at_ms'])
    .select(['ended_at_ms', 'content'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'first_failure')
    .where('client_id', '=', clientId)
    .orderBy('notice_id', 'desc')
    .execute();
  return rows.map((row) => ({
    noticeId: row.notice_id,
    mark: row.mark,
    happenedAtMs: row.happened_at_ms,
    lastHappenedAtMs: row.last_happened_at_ms,
    notedAtMs: row.noted_at_ms,
    endedAtMs: row.ended_at_ms ?? undefined,
    outcome: (JSON.parse(row.content) as NoticeContent).failure?.outcome,
  }));
}

/**
 * Lets one node at a time decide about notices of failures, until the end of the transaction. Nodes learn of requests at
 * different times, so they can come to different marks for the same failures.
 */
export async function takeTurn(transaction: Transaction<Schema>): Promise<void> {
  await transaction
    .updateTable('notice_progress')
    .set((row) => ({ position: row.ref('position') }))
    .where('source', '=', 'audit')
    .execute();
}

/** Ends older notices of the same cause: a newer one takes their place, and is the one that ends when it ends. */
export async function endOlder(
  transaction: Transaction<Schema>,
  told: readonly ToldFailure[],
  outcome: string | undefined,
): Promise<void> {
  for (const one of told) {
    if (one.endedAtMs !== undefined || one.outcome !== outcome) continue;
    await transaction
      .updateTable('notices')
      .set({ ended_at_ms: one.lastHappenedAtMs })
      .where('notice_id', '=', one.noticeId)
      .where('ended_at_ms', 'is', null)
      .execute();
  }
}
