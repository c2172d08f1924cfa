/** A piece of a sentence about an audit event that is more than words: it is set apart, and may lead somewhere. */
export interface AuditPart {
  readonly kind: 'actor' | 'client' | 'key' | 'role' | 'account' | 'member' | 'value' | 'time';
  /** What is read; of a time the RFC 3339 text. Written by people, so it may say anything. */
  readonly text: string;
  /** Where it leads in the portal. */
  readonly href?: string | undefined;
  /** The whole of it where the text is a short form. */
  readonly title?: string | undefined;
}

/** A sentence in pieces, in the order in which they are read. */
export type Sentence = readonly (string | AuditPart)[];

/** Pieces with commas between them. */
export function listParts(parts: readonly AuditPart[]): Sentence {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]));
}

/** A sentence as plain text, for exports, titles and tests. */
export function textOfSentence(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}
