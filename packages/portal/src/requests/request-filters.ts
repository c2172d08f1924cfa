import {
  meetsConditions,
  readRequestSearch,
  requestSearchMax,
  type RequestSort,
  requestSorts,
  type SearchedRequest,
} from '@countersign/contract';
import { queryText, readTimeRange, type TimeRange, timeRangeQuery, writeTimeRange } from '../lists/period.ts';

/** The filters in the page's address. */
export interface RequestFilters extends TimeRange {
  readonly clientId: string | undefined;
  /** `accepted`, `refused`, `observed` or a code; undefined for all. */
  readonly outcome: string | undefined;
  /** `401` or `4xx`; undefined for all. */
  readonly status: string | undefined;
  /** The typed text; empty for everything. */
  readonly search: string;
  readonly sort: RequestSort;
}

export const defaultRequestFilters: RequestFilters = {
  search: '',
  status: undefined,
  sort: '-receivedAt',
  clientId: undefined,
  outcome: undefined,
  period: '24h',
  from: undefined,
  to: undefined,
};

/** Ignores unreadable values. */
export function readRequestFilters(query: URLSearchParams): RequestFilters {
  return {
    clientId: queryText(query.get('client'), 256),
    outcome: queryText(query.get('outcome'), 64),
    status: statusOf(query.get('status')),
    search: queryText(query.get('search'), requestSearchMax) ?? '',
    sort: requestSorts.find((sort) => sort === query.get('sort')) ?? defaultRequestFilters.sort,
    ...readTimeRange(query, defaultRequestFilters.period),
  };
}

/** Leaves out defaults. */
export function requestFiltersQuery(filters: RequestFilters): URLSearchParams {
  const query = new URLSearchParams();
  if (filters.clientId !== undefined) query.set('client', filters.clientId);
  if (filters.outcome !== undefined) query.set('outcome', filters.outcome);
  if (filters.status !== undefined) query.set('status', filters.status);
  if (filters.search !== '') query.set('search', filters.search);
  if (filters.sort !== defaultRequestFilters.sort) query.set('sort', filters.sort);
  writeTimeRange(query, filters, defaultRequestFilters.period);
  return query;
}

/** Returns the path of the list, with the detail of a request if one is given. */
export function requestsPath(filters: Partial<RequestFilters> = {}, requestId?: string): string {
  const query = requestFiltersQuery({ ...defaultRequestFilters, ...filters });
  if (requestId !== undefined) query.set('request', requestId);
  const text = query.toString();
  return text === '' ? '/logs/requests' : `/logs/requests?${text}`;
}

/** True if the filters exclude anything. */
export function areFiltered({ clientId, outcome, status, search, period }: RequestFilters): boolean {
  return (
    clientId !== undefined ||
    outcome !== undefined ||
    status !== undefined ||
    search !== '' ||
    period !== defaultRequestFilters.period
  );
}

export interface RequestTotalsQuery {
  readonly clientId?: string;
  readonly outcome?: string;
  readonly status?: string;
  readonly search?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Returns the API query that selects the requests, for a point in time. */
export function requestTotalsQuery(filters: RequestFilters, nowMs: number): RequestTotalsQuery {
  const { clientId, outcome, status, search } = filters;
  return {
    ...(clientId !== undefined && { clientId }),
    ...(outcome !== undefined && { outcome }),
    ...(status !== undefined && { status }),
    ...(search !== '' && { search }),
    // A person with a request's ID does not know when it was sent.
    ...(!namesRequest(search) && timeRangeQuery(filters, nowMs)),
  };
}

function namesRequest(text: string): boolean {
  const search = readRequestSearch(text);
  return 'conditions' in search && search.conditions.some(({ kind }) => kind === 'id');
}

/** Does the same, in the order of the list. */
export function requestListQuery(
  filters: RequestFilters,
  nowMs: number,
): RequestTotalsQuery & { readonly sort?: RequestSort } {
  const { sort } = filters;
  return {
    ...requestTotalsQuery(filters, nowMs),
    ...(sort !== defaultRequestFilters.sort && { sort }),
  };
}

/** True if a new request belongs to the list. */
export function fitsFilters(
  entry: SearchedRequest,
  filters: RequestFilters,
  clientName: (clientId: string) => string | undefined,
): boolean {
  if (filters.to !== undefined) return false;
  if (filters.clientId !== undefined && filters.clientId !== entry.clientId) return false;
  const search = readRequestSearch(filters.search);
  if ('mistake' in search) return false;
  const status = readRequestSearch(filters.status === undefined ? '' : `status:${filters.status}`);
  const conditions = [
    ...search.conditions,
    ...('mistake' in status ? [] : status.conditions),
    ...(filters.outcome === undefined ? [] : [{ kind: 'code', text: filters.outcome } as const]),
  ];
  return meetsConditions(entry, conditions, clientName);
}

function statusOf(text: string | null): string | undefined {
  return text !== null && /^[1-5](?:xx|[0-9]{2})$/.test(text) ? text : undefined;
}
