import type { AuditEvent } from '@countersign/contract';
import { textOf, valuePart } from './audit-facts.ts';
import { type Sentence, listParts } from './audit-parts.ts';

/** How a change of one member is said. */
export interface ChangeWords {
  readonly renamed: (from: Sentence, to: Sentence) => Sentence;
  readonly added: (what: Sentence) => Sentence;
  readonly removed: (what: Sentence) => Sentence;
  readonly set: (member: string, value: Sentence) => Sentence;
  readonly unset: (member: string) => Sentence;
  readonly switchedOn: (member: string) => Sentence;
  readonly switchedOff: (member: string) => Sentence;
  /** What people call the members. */
  readonly members: Readonly<Record<string, string>>;
}

/** What an update changed, one piece for each member that differs, in the order in which they were written. */
export function auditChanges({ before = {}, after = {} }: AuditEvent, words: ChangeWords): Sentence[] {
  return Object.keys(after).flatMap((member) => describe(member, before[member], after[member], words));
}

function describe(member: string, before: unknown, after: unknown, words: ChangeWords): Sentence[] {
  const label = Object.hasOwn(words.members, member) ? (words.members[member] ?? member) : member;
  if (Array.isArray(after)) return describeList(before, after, words);
  if (typeof after === 'boolean') return [after ? words.switchedOn(label) : words.switchedOff(label)];
  if (after === null) return [words.unset(label)];
  const [from, to] = [shown(before), shown(after)];
  if (to === undefined) return [words.unset(label)];
  if (member === 'name' && from !== undefined) return [words.renamed(from, to)];
  return [words.set(label, to)];
}

function describeList(before: unknown, after: readonly unknown[], words: ChangeWords): Sentence[] {
  const [old, now] = [textsOf(before), textsOf(after)];
  const added = now.filter((text) => !old.includes(text));
  const removed = old.filter((text) => !now.includes(text));
  const parts = (texts: readonly string[]): Sentence => listParts(texts.map((text) => valuePart(text)));
  return [
    ...(added.length === 0 ? [] : [words.added(parts(added))]),
    ...(removed.length === 0 ? [] : [words.removed(parts(removed))]),
  ];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((item: unknown) => textOf(item) ?? []) : [];
}

function shown(value: unknown): Sentence | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value);
  return text === undefined ? undefined : [valuePart(text)];
}
