/** The times that can be chosen with one click; `custom` has its own ends. */
export const periods = ['1h', '24h', '7d', '30d', 'custom'] as const;

/** Which time a list is about. */
export type Period = (typeof periods)[number];

/** A time with its ends, which only `custom` has. */
export interface TimeRange {
  readonly period: Period;
  /** RFC 3339. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const hourMs = 3_600_000;
const periodMs: Readonly<Record<Exclude<Period, 'custom'>, number>> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
};

/** Reads the time from the query of a page; what cannot be read counts as not given. */
export function readTimeRange(query: URLSearchParams, unless: Period): TimeRange {
  const period = periods.find((one) => one === query.get('period')) ?? unless;
  const isCustom = period === 'custom';
  return {
    period,
    from: isCustom ? timeOf(query.get('from')) : undefined,
    to: isCustom ? timeOf(query.get('to')) : undefined,
  };
}

/** Writes the time into the query of a page, unless it is the one that holds without. */
export function writeTimeRange(
  query: URLSearchParams,
  { period, from, to }: TimeRange,
  unless: Period,
): void {
  if (period !== unless) query.set('period', period);
  if (period !== 'custom') return;
  if (from !== undefined) query.set('from', from);
  if (to !== undefined) query.set('to', to);
}

/** What the API is asked for, by a clock. */
export function timeRangeQuery(
  { period, from, to }: TimeRange,
  nowMs: number,
): { readonly from?: string; readonly to?: string } {
  const since = period === 'custom' ? from : new Date(nowMs - periodMs[period]).toISOString();
  return { ...(since !== undefined && { from: since }), ...(to !== undefined && { to }) };
}

/** A short text of a query; undefined for what is none. */
export function queryText(value: string | null, lengthMax: number): string | undefined {
  const text = value?.trim() ?? '';
  return text === '' || text.length > lengthMax || /[\p{Cc}\p{Cs}]/u.test(text) ? undefined : text;
}

/** RFC 3339 in UTC, as the API takes it. */
function timeOf(value: string | null): string | undefined {
  if (value === null || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(value))
    return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
