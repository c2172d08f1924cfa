import { usageError } from '../exits.ts';

const unitSeconds: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** Reads a duration such as `60d`, `72h`, `30m`, `10s` or `0`. Returns seconds. */
export function readDuration(text: string, option: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(digits) * (unitSeconds.get(unit) ?? Number.NaN);
  if (!Number.isNaN(seconds)) return seconds;
  throw usageError(`${option} must be a number with a unit, such as 60d, 72h, 30m or 10s.`);
}

/** Writes a duration in its largest whole unit: `3 days`, `90 minutes`. */
export function durationText(seconds: number): string {
  const [unit, length] = wholeUnits.find(([, size]) => seconds >= size && seconds % size === 0) ?? [
    'second',
    1,
  ];
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const wholeUnits: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
