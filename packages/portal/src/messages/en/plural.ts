const rules = new Intl.PluralRules('en');
const numbers = new Intl.NumberFormat('en');

/** Formats a number: `12,480`. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** Formats a number with its noun: `plural(1200, 'key', 'keys')` is `1,200 keys`. */
export function plural(count: number, one: string, other: string): string {
  return `${formatNumber(count)} ${rules.select(count) === 'one' ? one : other}`;
}
