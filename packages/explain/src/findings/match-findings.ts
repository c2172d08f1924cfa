import { type BaseDraft, type OtherValues, writeBase, writeLine } from '../search/base-draft.ts';
import type { BaseMatch } from '../search/base-search.ts';
import type { Note } from '../search/enumeration.ts';
import { evidenceOf } from '../evidence.ts';
import type { Certainty, Evidence, Finding } from '../explanation.ts';
import { finding, type FindingCode } from './findings.ts';

/** Makes findings of the variations that led to the signed text, each with the line that it is about. */
export function matchFindings(
  match: BaseMatch,
  declared: BaseDraft,
  others: OtherValues,
  certainty: Certainty,
): readonly Finding[] {
  return mergeNotes(match.notes).map(({ code, detail }) =>
    finding(code, certainty, { detail, evidence: evidenceFor(code, match, declared, others) }),
  );
}

/** Joins the details of notes with one code: a mistake is told once. */
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

/** The line that a kind of finding is about; the whole text for the others. */
const lineOfCode: readonly (readonly [start: string, line: string])[] = [
  ['url_', '@target-uri'],
  ['method_', '@method'],
  ['digest_', 'content-digest'],
  ['date_', 'date'],
  ['base_other_date', 'date'],
  ['base_params_', '@signature-params'],
  ['base_other_created', '@signature-params'],
  ['base_created_', '@signature-params'],
];

function evidenceFor(
  code: FindingCode,
  match: BaseMatch,
  declared: BaseDraft,
  others: OtherValues,
): Evidence | undefined {
  const line = lineOfCode.find(([start]) => code.startsWith(start))?.[1];
  const index = line === undefined ? -1 : match.draft.structure.lines.indexOf(line);
  if (line === undefined || index < 0 || !declared.structure.lines.includes(line))
    return differing(writeBase(declared, others), match.text);
  const { isCavage } = match.draft.structure;
  return differing(
    writeLine(declared, others, line, index, declared.structure.isCavage),
    writeLine(match.draft, others, line, index, isCavage),
  );
}

/** What was done to the hash is not to be seen in the text. */
function differing(expected: string, received: string): Evidence | undefined {
  return expected === received ? undefined : evidenceOf(expected, received);
}
