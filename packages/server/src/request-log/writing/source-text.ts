import { type Address, formatAddress } from '@countersign/contract';

/** Returns a source as text. An IPv6 source counts by its /64, because one owner usually has all of it. */
export function sourceText({ family, words }: Address): string {
  if (family === 4) return formatAddress({ family, words });
  return `${formatAddress({ family, words: [words[0], words[1], 0, 0] })}/64`;
}
