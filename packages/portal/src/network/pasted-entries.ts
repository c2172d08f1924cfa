import { type NetworkEntry, readNetworkEntry } from '@countersign/contract';
import type { NetworkItem } from './network-item.ts';

/** The entries of a pasted text. */
export interface PastedEntries {
  readonly read: readonly { readonly entry: NetworkEntry; readonly label: string }[];
  /** The parts that are not entries, with advice. */
  readonly unread: readonly { readonly text: string; readonly advice: string }[];
}

/** Adds entries to a list and returns how many were new. An entry that allows everyone waits for a confirmation. */
export type AddEntries = (entries: PastedEntries['read']) => {
  readonly added: number;
  readonly repeated: readonly string[];
};

/**
 * Reads entries from lines, or separated by commas, semicolons or spaces. Text after an entry on its line is its label, with
 * or without `#` in front. Lines that start with `#` are comments.
 */
export function readPastedEntries(text: string): PastedEntries {
  const readings = text
    .split(/[\r\n,;]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('#'))
    .map(readPart);
  return {
    read: readings.flatMap(({ read }) => read),
    unread: readings.flatMap(({ unread }) => unread),
  };
}

export function holdsSeveralEntries(text: string): boolean {
  return /[\r\n,;]/.test(text.trim()) || readPastedEntries(text).read.length > 1;
}

/** Adds an address as it was received. */
export function addAddress(address: string, onAdd: AddEntries): void {
  const reading = readNetworkEntry(address);
  if (reading.ok) onAdd([{ entry: reading.entry, label: '' }]);
}

/** Appends the entries that are not in the list yet. */
export function withEntries(
  items: readonly NetworkItem[],
  added: PastedEntries['read'],
): { readonly added: readonly NetworkItem[]; readonly repeated: readonly string[] } {
  const known = new Set(items.map(({ entry }) => entry));
  const fresh: NetworkItem[] = [];
  const repeated: string[] = [];
  for (const { entry, label } of added) {
    if (known.has(entry.text)) repeated.push(entry.text);
    else fresh.push({ entry: entry.text, label });
    known.add(entry.text);
  }
  return { added: fresh, repeated };
}

const labelLengthMax = 100;

function readPart(part: string): PastedEntries {
  const [first = '', ...rest] = part.split(/[\s#]+/);
  const reading = readNetworkEntry(first);
  if (!reading.ok) return { read: [], unread: [{ text: part, advice: reading.message }] };
  const others = rest.map((word) => readNetworkEntry(word));
  if (rest.length > 0 && others.every((other) => other.ok)) {
    const entries = [reading.entry, ...others.map(({ entry }) => entry)];
    return { read: entries.map((entry) => ({ entry, label: '' })), unread: [] };
  }
  const label = part
    .slice(first.length)
    .replace(/^[\s#:-]+/, '')
    .slice(0, labelLengthMax)
    .trim();
  return { read: [{ entry: reading.entry, label }], unread: [] };
}
