import { isMetadataKey, isMetadataValue } from '@countersign/contract';

type Metadata = Readonly<Record<string, string>>;

/** Metadata as people write it, or the number of the first wrong line. */
export type MetadataReading =
  | { readonly ok: true; readonly metadata: Metadata }
  | { readonly ok: false; readonly line: number };

/** Writes metadata as one `key = value` a line. */
export function metadataText(metadata: Metadata): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n');
}

/** Reads one `key = value` a line. Empty lines are skipped; a value may contain `=`. */
export function readMetadataText(text: string): MetadataReading {
  const entries = new Map<string, string>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const [key, value] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
    if (!isMetadataKey(key) || !isMetadataValue(value) || entries.has(key))
      return { ok: false, line: index + 1 };
    entries.set(key, value);
  }
  return { ok: true, metadata: Object.fromEntries(entries) };
}

/** Returns the change from one state to another: null removes an entry. */
export function metadataChange(before: Metadata, after: Metadata): Readonly<Record<string, string | null>> {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...after };
}
