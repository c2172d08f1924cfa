import type { StreamSource } from '../registry/stream-records.ts';
// oxlint-disable-next-line unicorn/require-module-specifiers -- it declares the table of the cursors
import type {} from '../registry/stream-tables.ts';
import { type Database, inTransaction } from '../storage/transaction.ts';
import { addNotice, type NoticeContent, type NotingContext } from './add-notice.ts';

interface Stall {
  /** Tells it from every other stall. */
  readonly mark: string;
  readonly stalledAtMs: number;
  readonly content: NonNullable<NoticeContent['stream']>;
}

/**
 * Makes a notice in the operator's account of each stream that has stalled, once for each stall, and notes in it when the
 * stream is received again. A stall of a few seconds may have no notice.
 */
export async function noteStalledStreams(database: Database, context: NotingContext): Promise<void> {
  const operators = await database
    .selectFrom('accounts')
    .select('account_id')
    .where('is_operator', '=', 1)
    .execute();
  const stalls = await readStalls(database);
  for (const { account_id: accountId } of operators) {
    const open = await readOpen(database, accountId);
    for (const notice of open)
      if (stalls.every(({ mark }) => mark !== notice.mark))
        await noteRecovery(database, notice, context.nowMs);
    for (const { mark, stalledAtMs, content } of stalls)
      if (open.every((notice) => notice.mark !== mark))
        await inTransaction(database, (transaction) =>
          addNotice(
            transaction,
            {
              accountId,
              kind: 'stream_stalled',
              mark,
              happenedAtMs: stalledAtMs,
              content: { stream: content },
            },
            context,
          ),
        );
  }
}

/** Lists the streams that are stalled now, and those that were when they were taken out of the settings. */
async function readStalls(database: Database): Promise<readonly Stall[]> {
  const rows = await database
    .selectFrom('stream_cursors')
    .select(['stream', 'source', 'failing_since_ms', 'stalled_at_ms', 'problem'])
    .where('stalled_at_ms', 'is not', null)
    .execute();
  return rows.flatMap((row) => {
    const { stream, failing_since_ms: failingSinceMs, stalled_at_ms: stalledAtMs, problem } = row;
    if (stalledAtMs === null) return [];
    const sinceMs = failingSinceMs ?? stalledAtMs;
    const content = {
      stream,
      source: row.source as StreamSource,
      since: new Date(sinceMs).toISOString(),
      ...(problem !== null && { problem }),
    };
    return [{ mark: `${stream} ${row.source} ${sinceMs}`, stalledAtMs, content }];
  });
}

interface OpenNotice {
  readonly noticeId: string;
  readonly mark: string;
  readonly content: NoticeContent;
}

/** Lists an account's notices of stalls that have not ended. */
async function readOpen(database: Database, accountId: string): Promise<readonly OpenNotice[]> {
  const rows = await database
    .selectFrom('notices')
    .select(['notice_id', 'mark', 'content'])
    .where('account_id', '=', accountId)
    .where('kind', '=', 'stream_stalled')
    .where('ended_at_ms', 'is', null)
    .execute();
  return rows.map(({ notice_id: noticeId, mark, content }) => ({
    noticeId,
    mark,
    content: JSON.parse(content) as NoticeContent,
  }));
}

async function noteRecovery(
  database: Database,
  { noticeId, content }: OpenNotice,
  nowMs: number,
): Promise<void> {
  const recoveredAt = new Date(nowMs).toISOString();
  await database
    .updateTable('notices')
    .set({ ended_at_ms: nowMs, content: JSON.stringify({ ...content, recoveredAt }) })
    .where('notice_id', '=', noticeId)
    .where('ended_at_ms', 'is', null)
    .execute();
}
