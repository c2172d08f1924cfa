import { readRequestSearch, requestSearchMax, type RequestSort, requestSorts } from './request-search.ts';
import { queryText, readTimeRange, type TimeRange, writeTimeRange } from './time-range.ts';

/** The filters of a list of requests, as the portal's address and saved views hold them. */
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

/** A query of the list's page in its only form, or the reason why it cannot be saved. */
export type SavedQuery = { readonly query: string } | { readonly mistake: string };

/** Reads filters that someone wants to save, as the list would. What is not a filter, such as an open request, is left out. */
export function readSavedQuery(text: string): SavedQuery {
  const filters = readRequestFilters(new URLSearchParams(text));
  const search = readRequestSearch(filters.search);
  return 'mistake' in search ? search : { query: requestFiltersQuery(filters).toString() };
}

function statusOf(text: string | null): string | undefined {
  return text !== null && /^[1-5](?:xx|[0-9]{2})$/.test(text) ? text : undefined;
}
