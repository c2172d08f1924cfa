import type { AuditEvent } from '@countersign/contract';
import { absoluteTime } from '../components/time-words.ts';

export interface ChangedMember {
  readonly name: string;
  readonly label: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface ValueWords {
  readonly yes: string;
  readonly no: string;
  readonly none: string;
}

/** Compares the values before and after, as lines of text. */
export function changedMembers(
  { before = {}, after = {} }: Pick<AuditEvent, 'before' | 'after'>,
  labels: Readonly<Record<string, string>>,
  words: ValueWords,
): readonly ChangedMember[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.map((name) => ({
    name,
    label: Object.hasOwn(labels, name) ? capitalised(labels[name] ?? name) : spelledOut(name),
    before: linesOf(before[name], words),
    after: linesOf(after[name], words),
  }));
}

const linesMax = 200;

function linesOf(value: unknown, words: ValueWords): readonly string[] {
  if (value === undefined || value === '') return [];
  if (value === null) return [words.none];
  if (typeof value === 'boolean') return [value ? words.yes : words.no];
  if (typeof value === 'string') return [isTime(value) ? absoluteTime(value) : value];
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)];
  if (Array.isArray(value))
    return [...new Set(value.slice(0, linesMax).flatMap((item: unknown) => linesOf(item, words)))];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const lines = linesOf(inner, words);
    return lines.length === 0 ? [] : [`${spelledOut(name)}: ${lines.join(', ')}`];
  });
}

function isTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Turns `keyAgeDaysMax` into `Key age days max`, for members without a label. */
function spelledOut(name: string): string {
  return capitalised(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase());
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
