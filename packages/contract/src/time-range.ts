/** `custom` has its own start and end. */
export const periods = ['1h', '24h', '7d', '30d', 'custom'] as const;

export type Period = (typeof periods)[number];

/** A period that ends now. */
export type RollingPeriod = Exclude<Period, 'custom'>;

/** A period; `from` and `to` are set for `custom` only. */
export interface TimeRange {
  readonly period: Period;
  /** RFC 3339. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Reads the period from a page's query. Invalid values count as missing. */
export function readTimeRange(query: URLSearchParams, fallback: Period): TimeRange {
  const period = periods.find((one) => one === query.get('period')) ?? fallback;
  const isCustom = period === 'custom';
  return {
    period,
    from: isCustom ? timeOf(query.get('from')) : undefined,
    to: isCustom ? timeOf(query.get('to')) : undefined,
  };
}

/** Writes the period into a page's query unless it is the default. */
export function writeTimeRange(
  query: URLSearchParams,
  { period, from, to }: TimeRange,
  fallback: Period,
): void {
  if (period !== fallback) query.set('period', period);
  if (period !== 'custom') return;
  if (from !== undefined) query.set('from', from);
  if (to !== undefined) query.set('to', to);
}

/** Returns a text from a query; undefined if it is empty, too long or has control characters. */
export function queryText(value: string | null, lengthMax: number): string | undefined {
  const text = value?.trim() ?? '';
  return text === '' || text.length > lengthMax || /[\p{Cc}\p{Cs}]/u.test(text) ? undefined : text;
}

/** Parses RFC 3339 in UTC. */
function timeOf(value: string | null): string | undefined {
  if (value === null || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(value))
    return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
