import { usageError } from '../command-error.ts';

/** Reads a time of `--at`: Unix seconds, or RFC 3339 with its offset. Returns Unix seconds. */
export function readTime(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const isTimestamp = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text);
  const milliseconds = isTimestamp ? Date.parse(text.replace(' ', 'T').toUpperCase()) : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    throw usageError(`"${text}" is not a time: give Unix seconds, or RFC 3339 like 2026-01-31T08:00:00Z.`);
  }
  return Math.floor(milliseconds / 1000);
}
