import { isId, type RequestEntry } from '@countersign/contract';
import { ProblemError } from '@countersign/gate';
import { listRequestRecords, readRequestRecord } from '../../registry/store/request-records.ts';
import { listedAccount, readableAccount } from '../caller-scope.ts';
import { defineHandlers } from '../handlers.ts';
import { idInPath } from '../input.ts';
import { readCursor, writeCursor } from '../page.ts';
import { exportAnswer, exportLimit } from './export.ts';

export const requestHandlers = defineHandlers(({ database }) => ({
  /** What was asked in the last seconds may not be there yet. */
  listRequests: async ({ query }, request) => {
    const { clientId, outcome, from, to, format = 'json' } = query;
    const limit = exportLimit(query.limit, format);
    const { entries, nextRequestId } = await listRequestRecords(database, {
      accountId: await listedAccount(request, query.accountId, database),
      clientId,
      outcome,
      fromMs: from,
      toMs: to,
      beforeRequestId: readCursor(query.cursor, (text) => isId('request', text)),
      limit,
    });
    const nextCursor = nextRequestId === undefined ? null : writeCursor(nextRequestId);
    return exportAnswer({ data: entries, nextCursor }, format, columns);
  },

  getRequest: async (_input, request) => {
    const entry = await readRequestRecord(
      database,
      idInPath(request, 'requestId', 'request'),
      readableAccount(request),
    );
    if (entry === undefined) throw new ProblemError('not_found');
    return { status: 200, body: entry };
  },
}));

const columns: readonly (keyof RequestEntry)[] = [
  'requestId',
  'receivedAt',
  'accountId',
  'clientId',
  'isProved',
  'outcome',
  'isObserved',
  'reason',
  'method',
  'url',
  'status',
  'sourceAddress',
  'keyFingerprint',
  'clockDifferenceSeconds',
  'durationMs',
];
