import type { Evidence } from '@countersign/explain';
import type { Colours } from '../terminal/colour.ts';
import { visibleExactly } from '../terminal/visible.ts';

/** How much of a line is shown before and after the place where two texts differ. */
const beforeMax = 54;
const afterMax = 32;

/**
 * The lines of two texts in which they first differ, one above the other, with a mark below the place. Characters that
 * cannot be seen are shown.
 */
export function firstDifferenceText(
  { expected, received, firstDifference }: Evidence,
  labels: readonly [expected: string, received: string],
  { good, bad, faint }: Colours,
): string {
  const place = startOfCharacter(expected, received, firstDifference);
  const lineStart = expected.lastIndexOf('\n', place - 1) + 1;
  const start = Math.max(lineStart, place - beforeMax);
  const lead = (start > lineStart ? '…' : '') + visibleExactly(startOfPiece(expected, start, place));
  const width = Math.max(...labels.map((label) => label.length)) + 2;
  const line = (label: string, text: string, paint: (text: string) => string): string =>
    `   ${label.padEnd(width)}${lead}${paint(pieceFrom(text, place))}\n`;
  const where =
    expected.includes('\n') || received.includes('\n')
      ? faint(` line ${expected.slice(0, place).split('\n').length}, character ${place - lineStart + 1}`)
      : '';
  return [
    line(labels[0], expected, good),
    line(labels[1], received, bad),
    `   ${' '.repeat(width + Array.from(lead).length)}^${where}\n`,
  ].join('');
}

/** Never between the two halves of a character, nor between a letter and the mark that belongs to it. */
function startOfCharacter(expected: string, received: string, place: number): number {
  const isLow = (text: string): boolean => /[\udc00-\udfff]/.test(text[place] ?? '');
  return place > 0 && (isLow(expected) || isLow(received)) ? place - 1 : place;
}

function startOfPiece(text: string, start: number, place: number): string {
  return text.slice(start, place).replace(/^[\udc00-\udfff]/, '');
}

/** From a place to the end of its line, with that end. */
function pieceFrom(text: string, place: number): string {
  if (place >= text.length) return ' (ends here)';
  const lineEnd = text.indexOf('\n', place);
  const end = Math.min(lineEnd < 0 ? text.length : lineEnd + 1, place + afterMax);
  const isCut = end < text.length && text[end - 1] !== '\n';
  return visibleExactly(text.slice(place, end).replace(/[\ud800-\udbff]$/, '')) + (isCut ? '…' : '');
}
