import type { AuditAction } from '@countersign/contract';

/** A piece of a sentence about an audit event that is set apart from the words and may link to a page. */
export interface AuditPart {
  readonly kind:
    | 'actor'
    | 'client'
    | 'key'
    | 'role'
    | 'account'
    | 'member'
    | 'webhook'
    | 'alert_rule'
    | 'value'
    | 'time';
  /** RFC 3339 for times. Otherwise written by people, so it may contain anything. */
  readonly text: string;
  readonly href?: string | undefined;
  /** The full text if `text` is shortened. */
  readonly title?: string | undefined;
}

/** A sentence in pieces, in reading order. */
export type Sentence = readonly (string | AuditPart)[];

/** Joins pieces with commas. */
export function listParts(parts: readonly AuditPart[]): Sentence {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]));
}

/** Everything that a sentence about an event can mention. */
export interface AuditFacts {
  readonly client: AuditPart;
  readonly key: AuditPart;
  readonly role: AuditPart;
  readonly account: AuditPart;
  /** The person who was invited, joined, changed or removed. */
  readonly member: AuditPart;
  readonly memberRole: AuditPart | undefined;
  readonly webhook: AuditPart;
  readonly alertRule: AuditPart;
  /** The operation of a pending change. */
  readonly operation: string | undefined;
  readonly savedView: AuditPart;
  /** When the key expires. */
  readonly endsAt: AuditPart | undefined;
  /** Why a key was revoked, or why an operator acts for the account. */
  readonly reason: string | undefined;
  /** Network whitelist entries. */
  readonly entriesAdded: readonly AuditPart[];
  readonly entriesRemoved: readonly AuditPart[];
  /** A change of many clients: its action, what it added or removed, and how many clients it changed. */
  readonly bulk: { readonly action: string; readonly what: readonly AuditPart[]; readonly clients: number };
  /** True if an added key replaces another one. */
  readonly isReplacement: boolean;
  /** True if the client did it to itself. */
  readonly isByItself: boolean;
}

/** The texts of audit events. */
export interface AuditWords {
  /** The predicate of the sentence, after the actor. */
  readonly actions: Readonly<Record<AuditAction, (facts: AuditFacts) => Sentence>>;
  /** The whole sentence of an event that no one in particular caused. Undefined for every other event. */
  readonly occurrence: (action: AuditAction, facts: AuditFacts) => Sentence | undefined;
  /** Details of an update, after a colon. */
  readonly changes: {
    readonly renamed: (from: Sentence, to: Sentence) => Sentence;
    readonly added: (what: Sentence) => Sentence;
    readonly removed: (what: Sentence) => Sentence;
    readonly set: (member: string, value: Sentence) => Sentence;
    readonly unset: (member: string) => Sentence;
    readonly switchedOn: (member: string) => Sentence;
    readonly switchedOff: (member: string) => Sentence;
    /** Names of the members. */
    readonly members: Readonly<Record<string, string>>;
  };
  /** For an action that only a newer service knows. */
  readonly unknownAction: (action: string, target: string) => Sentence;
  readonly operatorOnMachine: (name: string) => string;
  readonly service: string;
  readonly formerPerson: string;
  /** Follows the name of an account manager who acts for the account. */
  readonly acting: (reason: string) => Sentence;
  readonly from: (sourceAddress: string) => string;
  /** Names of the actions, for filters. */
  readonly actionNames: Readonly<Record<AuditAction, string>>;
}
