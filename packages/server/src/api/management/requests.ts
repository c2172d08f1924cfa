import { isId, type Page, type RequestEntry, requestListParameters } from '@countersign/contract';
import { listRequestRecords, readRequestRecord } from '../../registry/store.ts';
import { readCursor, writeCursor } from '../page.ts';
import { refuseBody } from '../request-body.ts';
import { readQuery, readQueryAs } from '../request-query.ts';
import type { Handler } from '../handler.ts';
import { ProblemError } from '@countersign/gate';
import { listedAccount, readableAccount } from './caller-scope.ts';
import { exportAnswer, exportLimit } from './export.ts';
import type { ManagementParts } from './parts.ts';

/** `GET /v1/requests`: newest first. What was asked in the last seconds may not be there yet. */
export function listRequests({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    const query = readQueryAs(request.query, requestListParameters);
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
    const page: Page<RequestEntry> = {
      data: entries,
      nextCursor: nextRequestId === undefined ? null : writeCursor(nextRequestId),
    };
    return exportAnswer(page, format, columns);
  };
}

/** `GET /v1/requests/{requestId}` */
export function getRequest({ database }: ManagementParts): Handler {
  return async (request) => {
    refuseBody(request);
    readQuery(request.query, []);
    const requestId = request.parameters['requestId'] ?? '';
    const entry = isId('request', requestId)
      ? await readRequestRecord(database, requestId, readableAccount(request))
      : undefined;
    if (entry === undefined) throw new ProblemError('not_found');
    return { status: 200, body: entry };
  };
}

const columns: readonly (keyof RequestEntry)[] = [
  'requestId',
  'receivedAt',
  'accountId',
  'clientId',
  'isProved',
  'outcome',
  'reason',
  'method',
  'url',
  'status',
  'sourceAddress',
  'keyFingerprint',
  'clockDifferenceSeconds',
  'durationMs',
];
