import type { AuditActor, AuditEvent } from '@countersign/contract';
import { clientPath } from '../clients/client-path.ts';
import { type AuditFacts, type AuditPart, listParts, type Sentence } from '../messages/audit-words.ts';
import { auditEvents as words } from '#messages/audit-events.ts';
import { type AuditNames, readAuditFacts, textOf, valuePart } from './audit-facts.ts';

/** Describes an audit event: who did what to what. IDs stand in for names that are not known. */
export function auditSentence(event: AuditEvent, names: AuditNames = {}): Sentence {
  // Starting and stopping acting state the reason themselves.
  const reason = event.action.startsWith('acting.') ? undefined : textOf(event.actor.actingReason);
  const facts = readAuditFacts(event, names);
  const isDecision = event.actor.kind === 'person' || event.actor.kind === 'operator-cli';
  const occurrence = isDecision ? undefined : words.occurrence(event.action, facts);
  return occurrence ?? [...actorOf(event.actor, reason, names), ' ', ...whatOf(event, facts)];
}

function whatOf(event: AuditEvent, facts: AuditFacts): Sentence {
  // A newer service may know more actions.
  if (!Object.hasOwn(words.actions, event.action))
    return words.unknownAction(event.action, event.targets[0]?.id ?? '?');
  const what = words.actions[event.action](facts);
  if (!event.action.endsWith('.updated')) return what;
  const changes = changesOf(event);
  if (changes.length === 0) return what;
  return [...what, ': ', ...changes.flatMap((change, index) => (index === 0 ? change : ['; ', ...change]))];
}

function actorOf(actor: AuditActor, reason: string | undefined, names: AuditNames): Sentence {
  const part = actorPart(actor, names);
  return reason === undefined ? [part] : [part, ' ', ...words.acting(reason)];
}

function actorPart(actor: AuditActor, names: AuditNames): AuditPart {
  const { id } = actor;
  switch (actor.kind) {
    case 'client':
      return { kind: 'actor', text: names.clientName?.(id) ?? id, title: id, href: clientPath(id) };
    case 'operator-cli':
      return { kind: 'actor', text: words.operatorOnMachine(id), title: id };
    case 'system':
      return { kind: 'actor', text: words.service, title: id };
    case 'person':
    default:
      return {
        kind: 'actor',
        text: textOf(actor.name) ?? names.personName?.(id) ?? words.formerPerson,
        title: id,
      };
  }
}

/** Describes an update, one piece for each changed member in the order of the event. */
function changesOf({ before = {}, after = {} }: AuditEvent): Sentence[] {
  return Object.keys(after).flatMap((member) => describe(member, before[member], after[member]));
}

function describe(member: string, before: unknown, after: unknown): Sentence[] {
  const { changes } = words;
  const label = Object.hasOwn(changes.members, member) ? (changes.members[member] ?? member) : member;
  if (Array.isArray(after)) return describeList(before, after);
  if (typeof after === 'object' && after !== null) return describeEntries(label, before, after);
  if (typeof after === 'boolean') return [after ? changes.switchedOn(label) : changes.switchedOff(label)];
  if (after === null) return [changes.unset(label)];
  const [from, to] = [shown(before), shown(after)];
  if (to === undefined) return [changes.unset(label)];
  if (member === 'name' && from !== undefined) return [changes.renamed(from, to)];
  return [changes.set(label, to)];
}

function describeList(before: unknown, after: readonly unknown[]): Sentence[] {
  const [old, now] = [textsOf(before), textsOf(after)];
  const added = now.filter((text) => !old.includes(text));
  const removed = old.filter((text) => !now.includes(text));
  const parts = (texts: readonly string[]): Sentence => listParts(texts.map((text) => valuePart(text)));
  return [
    ...(added.length === 0 ? [] : [words.changes.added(parts(added))]),
    ...(removed.length === 0 ? [] : [words.changes.removed(parts(removed))]),
  ];
}

/** Describes what changed among entries by key, such as those of metadata. */
function describeEntries(label: string, before: unknown, after: object): Sentence[] {
  const [old, now] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
  return keys.map((key) => {
    const value = shown(now.get(key));
    const name = `${label} “${key}”`;
    return value === undefined ? words.changes.unset(name) : words.changes.set(name, value);
  });
}

/** Returns the texts of a list, and the `entry` of its networks. */
function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap(
    (item: unknown) =>
      textOf(typeof item === 'object' && item !== null && 'entry' in item ? item.entry : item) ?? [],
  );
}

function shown(value: unknown): Sentence | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value);
  return text === undefined ? undefined : [valuePart(text)];
}
