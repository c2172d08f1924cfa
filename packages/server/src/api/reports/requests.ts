import {
  isId,
  type QueryValuesOf,
  readRequestSearch,
  type RequestCondition,
  type RequestEntry,
  type RequestSort,
} from '@countersign/contract';
import { listRequestRecords, type RequestMark } from '../../request-log/records/request-list.ts';
import { withFindingCodes } from '../../request-log/records/explanations.ts';
import type { RequestCriteria } from '../../request-log/records/request-search.ts';
import { countRequestRecords } from '../../request-log/records/request-totals.ts';
import type { Database } from '../../storage/transaction.ts';
import { listedAccount } from '../caller-scope.ts';
import { readCursor, writeCursor } from '../page.ts';
import { queryInvalid } from '../request-query.ts';
import { exportAnswer, exportLimit } from './export.ts';
import { defineReports, type ReportRequest } from './report-handlers.ts';

export const requestReports = defineReports((database) => ({
  /** Requests of the last few seconds may be missing. */
  listRequests: async ({ query }, request) => {
    const { sort = '-receivedAt', format = 'json' } = query;
    const limit = exportLimit(query.limit, format);
    const after = readMark(query.cursor, sort);
    const criteria = await criteriaOf(query, request, database);
    const { entries, next } = await listRequestRecords(database, criteria, { sort, after, limit });
    const data = await withFindingCodes(database, entries);
    const nextCursor = next === undefined ? null : writeMark(next, sort);
    return exportAnswer({ data, nextCursor }, format, columns);
  },

  getRequestTotals: async ({ query }, request) => ({
    status: 200,
    body: await countRequestRecords(database, await criteriaOf(query, request, database)),
  }),
}));

/**
 * Returns the criteria of the requests that a query selects.
 *
 * @throws ProblemError `query_invalid`, and `not_found` for an account that the caller cannot read
 */
async function criteriaOf(
  query: QueryValuesOf<'getRequestTotals'>,
  request: ReportRequest,
  database: Database,
): Promise<RequestCriteria> {
  const { clientId, outcome, finding, status, search = '', from, to } = query;
  const conditions: RequestCondition[] = [
    ...(outcome === undefined ? [] : [{ kind: 'code', text: outcome } as const]),
    ...(finding === undefined ? [] : [{ kind: 'finding', text: finding } as const]),
    ...(status === undefined ? [] : conditionsOf(`status:${status}`)),
    ...conditionsOf(search),
  ];
  const accountId = await listedAccount(request, query.accountId, database);
  return { accountId, clientId, conditions, fromMs: from, toMs: to };
}

function conditionsOf(text: string): readonly RequestCondition[] {
  const search = readRequestSearch(text);
  if ('mistake' in search) throw queryInvalid(search.mistake);
  return search.conditions;
}

/** Reads the cursor of a list in one order: the ID, the order and the encoded value, separated by spaces. */
function readMark(cursor: string | undefined, sort: RequestSort): RequestMark | undefined {
  let mark: RequestMark | undefined;
  readCursor(cursor, (text) => {
    mark = markOf(text, sort);
    return mark !== undefined;
  });
  return mark;
}

function markOf(text: string, sort: RequestSort): RequestMark | undefined {
  const [requestId = '', givenSort = '-receivedAt', encoded = '', ...others] = text.split(' ');
  if (!isId('request', requestId) || givenSort !== sort || others.length > 0) return undefined;
  const value = decoded(encoded);
  if (value === undefined) return undefined;
  if (!sort.endsWith('durationMs') && !sort.endsWith('status')) return { value, requestId };
  return /^-?[0-9]{1,15}$/.test(value) ? { value: Number(value), requestId } : undefined;
}

function writeMark({ value, requestId }: RequestMark, sort: RequestSort): string {
  if (sort === '-receivedAt') return writeCursor(requestId);
  return writeCursor(`${requestId} ${sort} ${encodeURIComponent(value)}`);
}

function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    // PostgreSQL rejects a zero byte.
    return value.includes('\0') ? undefined : value;
  } catch {
    return undefined;
  }
}

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
  'findingCode',
];
