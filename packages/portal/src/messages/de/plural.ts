const rules = new Intl.PluralRules('de');
const numbers = new Intl.NumberFormat('de');
const percents = new Intl.NumberFormat('de', { style: 'percent', maximumFractionDigits: 1 });

/** A number of entries; `isMore` if there are more than that. */
export interface CountSoFar {
  readonly count: number;
  readonly isMore: boolean;
}

/** Formats a number: `12.480`. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** Formats a share from 0 to 1: `20 %`. */
export function formatPercent(share: number): string {
  return percents.format(share);
}

/** Formats a number with its noun: `plural(1200, 'Schlüssel', 'Schlüssel')` is `1.200 Schlüssel`. */
export function plural(count: number, one: string, other: string): string {
  return `${formatNumber(count)} ${rules.select(count) === 'one' ? one : other}`;
}

/** Formats a number that may be too low: `mehr als 1.000 neue Anfragen`. */
export function pluralSoFar({ count, isMore }: CountSoFar, one: string, other: string): string {
  return `${isMore ? 'mehr als ' : ''}${plural(count, one, other)}`;
}

/** Formats a time in two or three digits: `0,42 ms`, `12,5 ms`, `1,2 s`. */
export function timeWords(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds >= 1000) return `${formatNumber(Math.round(milliseconds / 100) / 10)} s`;
  const digits = milliseconds < 1 ? 100 : 10;
  return `${formatNumber(Math.round(milliseconds * digits) / digits)} ms`;
}
