import {
  type Evidence,
  type EvidenceKind,
  firstDifferingCharacter,
  visiblePieces,
} from '@countersign/explain';
import type { Colours } from '../terminal/report.ts';

const labels: Readonly<Record<EvidenceKind, readonly [expected: string, received: string]>> = {
  signed: ['expected', 'signed'],
  changed: ['arrived', 'signed'],
  claimed: ['expected', 'built'],
  hashed: ['received', 'hashed'],
  received: ['expected', 'received'],
};

/** How many characters of a text to show before and after the first difference. */
const beforeMax = 54;
const afterMax = 40;

/**
 * Shows two texts, one above the other, starting at the line in which they first differ, with a mark below
 * the place. A backslash is one backslash; an invisible character is shown as its name in angle brackets.
 */
export function differenceText(evidence: Evidence, kind: EvidenceKind, colours: Colours): string {
  return sidesText(evidence, labels[kind], colours);
}

/** Does the same with custom labels. */
export function sidesText(
  evidence: Evidence,
  [expectedLabel, receivedLabel]: readonly [expected: string, received: string],
  { good, bad, faint }: Colours,
): string {
  const { expected, received } = evidence;
  const place = firstDifferingCharacter(evidence);
  // From a negative position, lastIndexOf searches the first character.
  const lineStart = place === 0 ? 0 : expected.lastIndexOf('\n', place - 1) + 1;
  const start = Math.max(lineStart, place - beforeMax);
  const lead = (start > lineStart ? '…' : '') + visiblePart(expected, start, place);
  const width = Math.max(expectedLabel.length, receivedLabel.length) + 2;
  const line = (label: string, text: string, paint: (text: string) => string): string =>
    `   ${label.padEnd(width)}${lead}${paint(partFrom(text, place))}\n`;
  const where =
    expected.includes('\n') || received.includes('\n')
      ? faint(` line ${expected.slice(0, place).split('\n').length}, character ${place - lineStart + 1}`)
      : '';
  return [
    line(expectedLabel, expected, good),
    line(receivedLabel, received, bad),
    `   ${' '.repeat(width + Array.from(lead).length)}^${where}\n`,
  ].join('');
}

/** Shows a text like `differenceText`, a line on each line; those that the other text doesn't have are marked. */
export function markedLines(evidence: Evidence, { bad }: Colours): string {
  const right = new Set(linesWithEnds(evidence.expected));
  return linesWithEnds(evidence.received)
    .map((line) => (right.has(line) ? `    ${visibleText(line)}\n` : `  ${bad(`! ${visibleText(line)}`)}\n`))
    .join('');
}

function linesWithEnds(text: string): readonly string[] {
  return text.split(/(?<=\n)|(?<=\r)(?!\n)/);
}

function partFrom(text: string, place: number): string {
  if (place >= text.length) return ' (ends here)';
  const end = place + afterMax;
  return visiblePart(text, place, end) + (end < text.length ? '…' : '');
}

/** Returns a text unchanged, except for invisible characters. */
function visibleText(text: string): string {
  return visiblePart(text, 0, text.length);
}

/** Whether a character is invisible depends on its neighbours, so the part is taken from the pieces of the whole. */
function visiblePart(text: string, start: number, end: number): string {
  return visiblePieces(text)
    .filter((piece) => piece.start < end)
    .map((piece) => {
      if (piece.kind === 'text') return wholeCharacters(piece.text, start - piece.start, end - piece.start);
      if (piece.start < start) return '';
      return piece.label === 'SP' ? '·' : `<${piece.label}>`;
    })
    .join('');
}

/** Cuts a text without leaving half of a surrogate pair. */
function wholeCharacters(text: string, start: number, end: number): string {
  return text
    .slice(Math.max(0, start), end)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff]$/, '');
}
