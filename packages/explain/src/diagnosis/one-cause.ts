import type { Note } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';

/** A note that includes others: one cause, and one fix for all. */
export interface JoinedNote extends Note {
  readonly alsoCodes?: readonly FindingCode[];
}

/** Notes that have a common cause if they occur together. The first note includes the others. */
interface Cause {
  readonly code: FindingCode;
  readonly consequences: readonly FindingCode[];
  /** The advice for all of them, unless the first note's advice covers it. */
  readonly mend?: string;
  /** Set if they have a common cause only with the same detail. */
  readonly needsSameDetail?: boolean;
}

const causes: readonly Cause[] = [
  {
    code: 'url_path_only',
    consequences: ['url_path_prefix', 'url_double_slash', 'url_trailing_slash', 'url_no_query'],
    mend: 'Sign the full URL exactly as you call it, with scheme, host, path and query.',
  },
  {
    code: 'method_other',
    consequences: ['method_case'],
    mend: 'Sign the method of the request line, in upper case.',
  },
  {
    code: 'base_unquoted_names',
    consequences: ['base_name_case', 'base_colon_space'],
    mend: 'Write each line as `"name": value`: the name in lower case and double quotes, a colon and one space.',
  },
  {
    code: 'base_crlf',
    consequences: ['base_trailing_newline'],
    mend: 'Join the lines with a single newline character, 0x0A, with none after the last.',
    needsSameDetail: true,
  },
];

/** Joins the notes that have a common cause. */
export function joinCauses(notes: readonly Note[]): readonly JoinedNote[] {
  return causes.reduce<readonly JoinedNote[]>(joinCause, notes);
}

function joinCause(
  notes: readonly JoinedNote[],
  { code, consequences, mend, needsSameDetail = false }: Cause,
): readonly JoinedNote[] {
  const first = notes.find((note) => note.code === code);
  if (first === undefined) return notes;
  const told = notes.filter(
    (note) => consequences.includes(note.code) && (!needsSameDetail || note.detail === first.detail),
  );
  if (told.length === 0) return notes;
  const joined: JoinedNote = {
    ...first,
    ...(mend !== undefined && { mend }),
    alsoCodes: told.map((note) => note.code),
  };
  return notes.flatMap((note) => (note === first ? [joined] : told.includes(note) ? [] : [note]));
}
