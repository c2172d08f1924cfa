import {
  differingEncoding,
  differingEscapes,
  differingNumbers,
  differingOrder,
  type TwoTexts,
} from '../bodies/written-differently.ts';
import { type Certainty, type Evidence, evidenceOf } from '../findings/evidence.ts';
import { type Finding, finding, type Note } from '../findings/finding.ts';
import type { FindingCode } from '../findings/findings.ts';
import { visiblePieces } from '../findings/visible-pieces.ts';

/** Returns true if a note is about the bytes that were hashed. */
export function isOfBody({ code }: Note): boolean {
  return code.startsWith('body_');
}

/**
 * Describes what was hashed instead of the body that was sent. However many differences there are, the cause
 * is one: the hashed bytes are not the sent ones. So it is one finding that lists every difference.
 */
export function hashedBodyFinding(
  notes: readonly Note[],
  certainty: Certainty,
  {
    texts,
    evidence,
  }: { readonly texts?: TwoTexts | undefined; readonly evidence?: Evidence | undefined } = {},
): Finding {
  const codes = [...new Set(notes.map(({ code }) => code))].toSorted((a, b) => rankOf(a) - rankOf(b));
  const mends = new Set(notes.flatMap(({ mend }) => mend ?? []));
  return finding(codes[0]!, certainty, {
    alsoCodes: codes.slice(1),
    what: whatOf(notes, texts),
    ...(mends.size > 0 && { mend: [...mends].join(' ') }),
    evidence,
  });
}

function whatOf(notes: readonly Note[], texts: TwoTexts | undefined): string {
  const whats = [...new Set(notes.flatMap(({ what }) => what ?? []))];
  const subjects = [...new Set(notes.flatMap(({ subject }) => subject ?? []))];
  const differences = [...new Set(notes.flatMap((note) => differenceOf(note, texts)))];
  const isSaid = whats.length > 0 && differences.length === 0 && subjects.length <= 1;
  if (isSaid) return whats.join(' ');
  const subject = subjects.length === 0 ? usualSubject(notes, texts) : subjects.join(', and then ');
  // A subject ends its own phrase.
  const comma = subjects.length > 0 && differences.length > 0 ? ', ' : ' ';
  const hashed = `You hashed ${subject}${differences.length > 0 ? comma : ''}${listed(differences)}`;
  return [...whats, `${hashed}, ${arrivalOf(texts)}.`].join(' ');
}

/**
 * Shows the received text from shortly before the first difference. Without the texts, only says that they
 * differ.
 */
function arrivalOf(texts: TwoTexts | undefined): string {
  if (texts === undefined || unreadable.test(texts.sent)) return 'not the bytes that arrived';
  const { firstDifference } = evidenceOf(texts.hashed, texts.sent);
  const { sent } = texts;
  const start = sent.length <= arrivedLengthMax ? 0 : Math.max(0, firstDifference - contextLength);
  const end = start + arrivedLengthMax;
  const shown = visiblePieces(sent.slice(start, end)).map((piece) =>
    piece.kind === 'text' ? piece.text : piece.label === 'SP' ? ' ' : `<${piece.label}>`,
  );
  return `but ${start > 0 ? '…' : ''}${shown.join('')}${end < sent.length ? '…' : ''} arrived`;
}

/** Describes bytes that are not UTF-8. */
const unreadable = /[\x00-\x08\x0e-\x1f\ufffd]/;
const arrivedLengthMax = 40;
const contextLength = 12;

function differenceOf(
  { code, detail, isExact }: Note,
  texts: TwoTexts | undefined,
): string | readonly string[] {
  if (detail === undefined || detail === '') return [];
  if (!texts || isExact) return detail;
  const examples = differences[code]?.(texts);
  if (examples === undefined) return detail;
  return code === 'body_json_key_order' ? `with its keys in the order ${examples}` : `with ${examples}`;
}

const differences: Readonly<Partial<Record<FindingCode, (texts: TwoTexts) => string | undefined>>> = {
  body_json_escapes: differingEscapes,
  body_json_numbers: differingNumbers,
  body_json_key_order: differingOrder,
  body_encoded: differingEncoding,
};

function usualSubject(notes: readonly Note[], texts: TwoTexts | undefined): string {
  if (notes.some(({ code }) => code.startsWith('body_json_'))) return 'the same JSON';
  if (notes.every(({ code }) => code === 'body_charset' || code === 'body_line_ends')) return 'the same text';
  const isForm = notes.some(({ code }) => code === 'body_encoded' || code === 'body_form_encoded');
  return isForm && texts?.sent.includes('=') === true ? 'the same form' : 'the same body';
}

function listed(texts: readonly string[]): string {
  if (texts.length <= 1) return texts.join('');
  // Commas within the texts would merge the two lists into one.
  const comma = texts.some((text) => text.includes(', ')) ? '; ' : ', ';
  return `${texts.slice(0, -1).join(comma)}${comma === '; ' ? ';' : ''} and ${texts.at(-1)}`;
}

/** The biggest change comes first: it gives the finding its code and title. */
const ranked: readonly FindingCode[] = [
  'body_json_twice',
  'body_compression',
  'body_empty',
  'body_printed',
  'body_python_repr',
  'body_form_encoded',
  'body_truncated',
  'body_json_whitespace',
  'body_json_separators',
  'body_encoded',
  'body_json_members',
  'body_json_numbers',
  'body_json_key_order',
  'body_json_escapes',
  'body_charset',
  'body_bom',
  'body_line_ends',
];

function rankOf(code: FindingCode): number {
  const rank = ranked.indexOf(code);
  return rank < 0 ? ranked.length : rank;
}
