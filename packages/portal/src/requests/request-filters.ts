import { queryText, readTimeRange, type TimeRange, timeRangeQuery, writeTimeRange } from '../lists/period.ts';

/** What the list of requests shows, as the address of the page says it. */
export interface RequestFilters extends TimeRange {
  readonly clientId: string | undefined;
  /** `accepted`, `refused` or a code; undefined for all. */
  readonly outcome: string | undefined;
}

/** What is shown when the address says nothing. */
export const defaultRequestFilters: RequestFilters = {
  clientId: undefined,
  outcome: undefined,
  period: '24h',
  from: undefined,
  to: undefined,
};

/** Reads the filters from the query of the page; what cannot be read counts as not given. */
export function readRequestFilters(query: URLSearchParams): RequestFilters {
  return {
    clientId: queryText(query.get('client'), 256),
    outcome: queryText(query.get('outcome'), 64),
    ...readTimeRange(query, defaultRequestFilters.period),
  };
}

/** The query of a page that shows these; only what is not the default is in it. */
export function requestFiltersQuery(filters: RequestFilters): URLSearchParams {
  const query = new URLSearchParams();
  if (filters.clientId !== undefined) query.set('client', filters.clientId);
  if (filters.outcome !== undefined) query.set('outcome', filters.outcome);
  writeTimeRange(query, filters, defaultRequestFilters.period);
  return query;
}

/** The path of the list of requests with these filters, and with the detail of one request. */
export function requestsPath(filters: Partial<RequestFilters> = {}, requestId?: string): string {
  const query = requestFiltersQuery({ ...defaultRequestFilters, ...filters });
  if (requestId !== undefined) query.set('request', requestId);
  const text = query.toString();
  return text === '' ? '/logs/requests' : `/logs/requests?${text}`;
}

/** What the API is asked for, by a clock: the query is the same as long as filters and clock are. */
export function requestListQuery(
  filters: RequestFilters,
  nowMs: number,
): { readonly clientId?: string; readonly outcome?: string; readonly from?: string; readonly to?: string } {
  const { clientId, outcome } = filters;
  return {
    ...(clientId !== undefined && { clientId }),
    ...(outcome !== undefined && { outcome }),
    ...timeRangeQuery(filters, nowMs),
  };
}

/** Whether a request that has just come belongs to the list. */
export function fitsFilters(
  { clientId, outcome }: { readonly clientId: string; readonly outcome: string },
  filters: RequestFilters,
): boolean {
  if (filters.to !== undefined) return false;
  if (filters.clientId !== undefined && filters.clientId !== clientId) return false;
  if (filters.outcome === undefined) return true;
  return filters.outcome === 'refused' ? outcome !== 'accepted' : filters.outcome === outcome;
}
