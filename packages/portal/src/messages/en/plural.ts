const rules = new Intl.PluralRules('en');
const numbers = new Intl.NumberFormat('en');
const percents = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** A number of entries; `isMore` if there are more than that. */
export interface CountSoFar {
  readonly count: number;
  readonly isMore: boolean;
}

/** Formats a number: `12,480`. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** Formats a share from 0 to 1: `20%`. */
export function formatPercent(share: number): string {
  return percents.format(share);
}

/** Formats a number with its noun: `plural(1200, 'key', 'keys')` is `1,200 keys`. */
export function plural(count: number, one: string, other: string): string {
  return `${formatNumber(count)} ${rules.select(count) === 'one' ? one : other}`;
}

/** Formats a number that may be too low: `more than 1,000 new requests`. */
export function pluralSoFar({ count, isMore }: CountSoFar, one: string, other: string): string {
  return `${isMore ? 'more than ' : ''}${plural(count, one, other)}`;
}

/** Formats a time in two or three digits: `0.42 ms`, `12.5 ms`, `1.2 s`. */
export function timeWords(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds >= 1000) return `${formatNumber(Math.round(milliseconds / 100) / 10)} s`;
  const digits = milliseconds < 1 ? 100 : 10;
  return `${formatNumber(Math.round(milliseconds * digits) / digits)} ms`;
}
