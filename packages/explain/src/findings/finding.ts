import type { Certainty, Evidence } from './evidence.ts';
import type { FieldName } from '@countersign/signature/profile';
import { type FindingCode, findings, type FindingTexts } from './findings.ts';

/** One mistake in a request. */
export interface Finding {
  readonly code: FindingCode;
  /** The codes of other findings that this one includes: one cause, and one fix for all. */
  readonly alsoCodes?: readonly FindingCode[];
  readonly certainty: Certainty;
  /** What is wrong. */
  readonly what: string;
  /** What to do. */
  readonly mend: string;
  readonly evidence?: Evidence;
  /** A link to the documentation. */
  readonly page: string;
  /** Facts for code. Not for readers: `explain` leaves them out. */
  readonly facts?: FindingFacts;
}

/** The subject of a finding, for code: its sentences are only for people. */
export interface FindingFacts {
  /** The header fields concerned, in lower case. */
  readonly fields?: readonly FieldName[];
  /** True if a character of the target is the mistake. */
  readonly isOfTargetCharacter?: true;
}

/** The wording for a cause that the table's words do not fit. */
export interface Words {
  /**
   * Values from this request, shown after a colon. For a body's finding: the text that follows "the digest
   * matches …".
   */
  readonly detail?: string;
  /** What the digest matches, if that is not another form of the sent body. */
  readonly subject?: string;
  /** Sentences that replace the table's cause and its detail. */
  readonly what?: string;
  /** The same for the signed text: the words that follow "You signed", without its full stop. */
  readonly signed?: string;
  /** The same for a value: a sentence without its full stop, to which the received value is added. */
  readonly clause?: string;
  /** Sentences that replace the table's advice. */
  readonly mend?: string;
  /** True if the two displayed texts say everything that the detail says. */
  readonly isShown?: true;
  /** True if the detail is complete, so that examples would add nothing to it. */
  readonly isExact?: true;
}

/** A finding before its certainty is known. */
export interface Note extends Words {
  readonly code: FindingCode;
}

/** Builds a finding from its table entry and the request's values. */
export function finding(
  code: FindingCode,
  certainty: Certainty,
  more: {
    readonly [Name in keyof Words]?: Words[Name] | undefined;
  } & {
    readonly action?: string;
    readonly facts?: FindingFacts;
    readonly evidence?: Evidence | undefined;
    readonly alsoCodes?: readonly FindingCode[];
  } = {},
): Finding {
  const { cause, mend }: FindingTexts = findings[code];
  const { detail, action, alsoCodes = [] } = more;
  return {
    code,
    ...(alsoCodes.length > 0 && { alsoCodes }),
    certainty,
    what: more.what ?? `${cause}${detail === undefined ? '' : `: ${detail}`}.`,
    mend: more.mend ?? `${mend}${action === undefined ? '' : `: ${action}`}.`,
    ...(more.evidence && { evidence: more.evidence }),
    page: `/docs/troubleshooting#${code}`,
    ...(more.facts && { facts: more.facts }),
  };
}

/** Returns every code that a finding includes. */
export function codesOf({ code, alsoCodes = [] }: Finding): readonly FindingCode[] {
  return [code, ...alsoCodes];
}

/** Merges notes with the same code, joining their words. */
export function mergeNotes(notes: readonly Note[]): readonly Note[] {
  return [...Map.groupBy(notes, ({ code }) => code)].map(([code, same]): Note => {
    const { cause }: FindingTexts = findings[code];
    const whats = same.flatMap(({ what }) => what ?? []);
    const details = unique(same.flatMap(({ what, detail }) => (what === undefined ? detail || [] : [])));
    const detail = details.join('; ');
    const what = [...whats, ...(whats.length > 0 && detail !== '' ? [`${cause}: ${detail}.`] : [])];
    const mends = unique(same.flatMap(({ mend }) => mend ?? []));
    const has = (flag: 'isShown' | 'isExact'): boolean => same.some((note) => note[flag] === true);
    return {
      code,
      ...(what.length > 0 ? { what: unique(what).join(' ') } : detail !== '' && { detail }),
      ...(mends.length > 0 && { mend: mends.join(' ') }),
      ...(has('isShown') && { isShown: true }),
      ...(has('isExact') && { isExact: true }),
    };
  });
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
