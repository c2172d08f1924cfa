import { usageError } from '../exits.ts';

/** Reads the size of a key to create. */
export function checkedBits(text: string): number {
  const bits = /^\d{4}$/.test(text) ? Number(text) : 0;
  if (bits >= 2048 && bits <= 8192 && bits % 8 === 0) return bits;
  throw usageError('--bits must be a number from 2048 to 8192, usually 2048, 3072 or 4096.');
}
