import type { RequestEntry } from '@countersign/contract';
import { queryText, readTimeRange, type TimeRange, timeRangeQuery, writeTimeRange } from '../lists/period.ts';
import { isRefusal } from './refusal.ts';

/** The filters in the page's address. */
export interface RequestFilters extends TimeRange {
  readonly clientId: string | undefined;
  /** `accepted`, `refused`, `observed` or a code; undefined for all. */
  readonly outcome: string | undefined;
}

export const defaultRequestFilters: RequestFilters = {
  clientId: undefined,
  outcome: undefined,
  period: '24h',
  from: undefined,
  to: undefined,
};

/** Ignores what it cannot read. */
export function readRequestFilters(query: URLSearchParams): RequestFilters {
  return {
    clientId: queryText(query.get('client'), 256),
    outcome: queryText(query.get('outcome'), 64),
    ...readTimeRange(query, defaultRequestFilters.period),
  };
}

/** Leaves out defaults. */
export function requestFiltersQuery(filters: RequestFilters): URLSearchParams {
  const query = new URLSearchParams();
  if (filters.clientId !== undefined) query.set('client', filters.clientId);
  if (filters.outcome !== undefined) query.set('outcome', filters.outcome);
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

/** Returns the API query for a point in time. */
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

/** True if a new request belongs to the list. */
export function fitsFilters(
  { clientId, outcome, isObserved }: Pick<RequestEntry, 'clientId' | 'outcome' | 'isObserved'>,
  filters: RequestFilters,
): boolean {
  if (filters.to !== undefined) return false;
  if (filters.clientId !== undefined && filters.clientId !== clientId) return false;
  if (filters.outcome === undefined) return true;
  if (filters.outcome === 'observed') return isObserved;
  if (filters.outcome === 'refused') return isRefusal(outcome) && !isObserved;
  return filters.outcome === outcome;
}
