import { latin1Bytes } from '../byte-text.ts';
import type { Note } from '../findings/finding.ts';
import { type ByteDifference, byteDifference } from './byte-difference.ts';
import { type ChangeCode, changeKinds, kindOfFinding } from './change-kinds.ts';

export type ChangedPart = 'method' | 'scheme' | 'host' | 'path' | 'query' | 'fragment' | 'header' | 'body';

/** A kind of change to a part of the request, with its explanation. */
export interface NamedChange {
  readonly code: ChangeCode;
  readonly title: string;
  /** Values from this request, such as `sorted`. */
  readonly detail?: string;
  readonly doneBy: string;
  readonly mend: string;
}

/** One part of a request that differs between two of its views. */
export interface HopChange {
  readonly part: ChangedPart;
  /** For `header`: its name as it was sent. */
  readonly header?: string;
  /** The likeliest interpretation of the change: usually one entry. */
  readonly kinds: readonly [NamedChange, ...NamedChange[]];
  /** Both sides, unless the value must stay hidden. */
  readonly difference?: ByteDifference;
  /** True if the signature covers this part, so that the change alone makes it invalid. */
  readonly isSigned: boolean;
  /** For a body that the previous view lacks: the index of the view it was compared with. */
  readonly comparedWith?: number;
}

export function namedChange(code: ChangeCode, detail?: string): NamedChange {
  return { code, ...changeKinds[code], ...(detail !== undefined && { detail }) };
}

/** Names the mistakes of a signer as changes in transit; `other` is for mistakes that have no name of their own. */
export function namedByNotes(
  notes: readonly Note[],
  other: ChangeCode,
  detailOf: (note: Note) => string | undefined,
): readonly [NamedChange, ...NamedChange[]] {
  const details = new Map<ChangeCode, Set<string>>();
  for (const note of notes) {
    const { code, detail = detailOf(note) } = kindOfFinding[note.code] ?? { code: other };
    const known = details.get(code) ?? new Set();
    if (detail !== undefined) known.add(detail);
    details.set(code, known);
  }
  const [first, ...rest] = [...details].map(([code, known]) =>
    namedChange(code, known.size === 0 ? undefined : [...known].join(', ')),
  );
  return [first ?? namedChange(other), ...rest];
}

/** Compares two texts of one character for each byte. */
export function textDifference(before: string, after: string): ByteDifference | undefined {
  return byteDifference(latin1Bytes(before), latin1Bytes(after));
}
