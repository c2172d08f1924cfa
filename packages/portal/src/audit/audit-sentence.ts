import type { AuditAction, AuditActor, AuditEvent } from '@countersign/contract';
import { auditChanges, type ChangeWords } from './audit-changes.ts';
import { clientPath } from '../clients/client-path.ts';
import { type AuditFacts, type AuditNames, readAuditFacts, textOf } from './audit-facts.ts';
import type { AuditPart, Sentence } from './audit-parts.ts';

/** The words of a language for audit events. */
export interface AuditWords {
  /** What was done, to go after the one who did it: one entry for each action that exists. */
  readonly actions: Readonly<Record<AuditAction, (facts: AuditFacts) => Sentence>>;
  /** Those of the actions that are read after a colon with what differs. */
  readonly changes: ChangeWords;
  /** For an action that this version of the portal does not know. */
  readonly unknownAction: (action: string, target: string) => Sentence;
  readonly operatorOnMachine: (name: string) => string;
  readonly service: string;
  readonly formerPerson: string;
  /** After the name of an account manager who acts for the account. */
  readonly acting: (reason: string) => Sentence;
  /** Where the request came from that did it. */
  readonly from: (sourceAddress: string) => string;
  /** The names of the actions, for filters. */
  readonly actionNames: Readonly<Record<AuditAction, string>>;
}

/**
 * An audit event as a sentence: who did what to what.
 *
 * @param words of the language
 * @param names of clients and people that the page knows; ids stand in for the others
 */
export function auditSentence(event: AuditEvent, words: AuditWords, names: AuditNames = {}): Sentence {
  return [...actorOf(event.actor, words, names), ' ', ...whatOf(event, words, names)];
}

function whatOf(event: AuditEvent, words: AuditWords, names: AuditNames): Sentence {
  // A newer service may know more actions than this page.
  if (!Object.hasOwn(words.actions, event.action))
    return words.unknownAction(event.action, event.targets[0]?.id ?? '?');
  const what = words.actions[event.action](readAuditFacts(event, names));
  if (!event.action.endsWith('.updated')) return what;
  const changes = auditChanges(event, words.changes);
  if (changes.length === 0) return what;
  return [...what, ': ', ...changes.flatMap((change, index) => (index === 0 ? change : ['; ', ...change]))];
}

function actorOf(actor: AuditActor, words: AuditWords, names: AuditNames): Sentence {
  const part = actorPart(actor, words, names);
  const reason = textOf(actor.actingReason);
  return reason === undefined ? [part] : [part, ' ', ...words.acting(reason)];
}

function actorPart(actor: AuditActor, words: AuditWords, names: AuditNames): AuditPart {
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
