import { type NetworkEntry, readNetworkEntry } from '@countersign/contract';
import type { NetworkItem } from './network-item.ts';

/** What a text with many entries holds. */
export interface PastedEntries {
  readonly read: readonly { readonly entry: NetworkEntry; readonly label: string }[];
  /** What could not be read, with what to write instead. */
  readonly unread: readonly { readonly text: string; readonly advice: string }[];
}

/**
 * Reads many entries: one on each line, or several with commas, semicolons or spaces between them. What follows an entry on
 * its line and is none itself is its label, with or without `#` before it. A line that begins with `#` is a comment.
 */
export function readPastedEntries(text: string): PastedEntries {
  const parts = text
    .split(/[\r\n,;]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('#'));
  const readings = parts.map(readPart);
  return {
    read: readings.flatMap(({ read }) => read),
    unread: readings.flatMap(({ unread }) => unread),
  };
}

/** Whether a text holds more than one entry, so that it is to be read as a list. */
export function holdsSeveralEntries(text: string): boolean {
  return /[\r\n,;]/.test(text.trim()) || readPastedEntries(text).read.length > 1;
}

/** Adds entries that are not there yet, at the end. */
export function withEntries(
  items: readonly NetworkItem[],
  added: PastedEntries['read'],
): {
  readonly items: readonly NetworkItem[];
  readonly added: readonly string[];
  readonly repeated: readonly string[];
} {
  const texts = new Set(items.map(({ entry }) => entry));
  const next = [...items];
  const repeated: string[] = [];
  for (const { entry, label } of added) {
    if (texts.has(entry.text)) repeated.push(entry.text);
    else {
      texts.add(entry.text);
      next.push({ entry: entry.text, label });
    }
  }
  return { items: next, added: next.slice(items.length).map(({ entry }) => entry), repeated };
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
