import type { Certainty, Evidence } from './evidence.ts';
import { type FindingCode, findings, type FindingTexts } from './findings.ts';

/** One mistake in a request. */
export interface Finding {
  readonly code: FindingCode;
  readonly certainty: Certainty;
  /** What is wrong, in one sentence. */
  readonly what: string;
  /** What to do, in one sentence. */
  readonly mend: string;
  readonly evidence?: Evidence;
  /** Where the documentation says more. */
  readonly page: string;
}

/** A finding before its certainty is known. */
export interface Note {
  readonly code: FindingCode;
  /** Values from this request, shown after a colon. */
  readonly detail?: string;
}

/** Builds a finding from its table entry and the request's values. */
export function finding(
  code: FindingCode,
  certainty: Certainty,
  more: {
    readonly detail?: string | undefined;
    readonly action?: string;
    readonly evidence?: Evidence | undefined;
  } = {},
): Finding {
  const { cause, mend }: FindingTexts = findings[code];
  return {
    code,
    certainty,
    what: `${cause}${more.detail === undefined ? '' : `: ${more.detail}`}.`,
    mend: `${mend}${more.action === undefined ? '' : `: ${more.action}`}.`,
    ...(more.evidence && { evidence: more.evidence }),
    page: `/docs/troubleshooting#${code}`,
  };
}

/** Merges notes with the same code, joining their details. */
export function mergeNotes(notes: readonly Note[]): readonly Note[] {
  const merged = new Map<FindingCode, Note>();
  for (const note of notes) {
    const before = merged.get(note.code);
    const details = [before?.detail, note.detail].filter((one) => one !== undefined && one !== '');
    merged.set(note.code, {
      code: note.code,
      ...(details.length > 0 && { detail: [...new Set(details)].join('; ') }),
    });
  }
  return [...merged.values()];
}
