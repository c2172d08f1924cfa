const rules = new Intl.PluralRules('en');
const numbers = new Intl.NumberFormat('en');

/** A number as it is written: `12,480`. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/**
 * A number with its noun: `plural(1, 'key', 'keys')` is `1 key`, `plural(1200, 'key', 'keys')` is `1,200 keys`.
 */
export function plural(count: number, one: string, other: string): string {
  return `${formatNumber(count)} ${rules.select(count) === 'one' ? one : other}`;
}
