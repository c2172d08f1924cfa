import {
  defaultRequestFilters,
  meetsConditions,
  readRequestSearch,
  type RequestFilters,
  requestFiltersQuery,
  type RequestSort,
  type SearchedRequest,
} from '@countersign/contract';
import { timeRangeQuery } from '../lists/period.ts';

export {
  defaultRequestFilters,
  readRequestFilters,
  type RequestFilters,
  requestFiltersQuery,
} from '@countersign/contract';

/** Returns the query of the list's page, with the open request. */
export function requestQuery(filters: RequestFilters, requestId: string | undefined): URLSearchParams {
  const query = requestFiltersQuery(filters);
  if (requestId !== undefined) query.set('request', requestId);
  return query;
}

/** Returns the path of the list, with the detail of a request if one is given. */
export function requestsPath(filters: Partial<RequestFilters> = {}, requestId?: string): string {
  const text = requestQuery({ ...defaultRequestFilters, ...filters }, requestId).toString();
  return text === '' ? '/logs/requests' : `/logs/requests?${text}`;
}

/** Returns the path of a request's own page, which leads back to the list. */
export function requestPagePath(filters: RequestFilters, requestId: string): string {
  const text = requestFiltersQuery(filters).toString();
  const path = `/logs/requests/${encodeURIComponent(requestId)}`;
  return text === '' ? path : `${path}?${text}`;
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
