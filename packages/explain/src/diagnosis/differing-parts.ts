/**
 * Shortens two texts to the parts in which they differ, cut at one of `ends` if possible, with an ellipsis
 * for the common text. Short texts stay whole.
 */
export function differingParts(
  one: string,
  other: string,
  ends: string,
): readonly [one: string, other: string] {
  if (Math.max(one.length, other.length) <= wholeLengthMax) return [one, other];
  if (ends === wholeStart) return [shortened(one, 0, 0), shortened(other, 0, 0)];
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const kept = endOfPart(one, end, ends);
  const found = startOfPart(one, start, ends);
  // If one text only lacks something, the text before it shows where.
  const from = found >= shorter - kept ? Math.max(0, found - contextLength) : found;
  return [shortened(one, from, kept), shortened(other, from, kept)];
}

/** Marks a text that is shown from its start. */
export const wholeStart = '^';

const wholeLengthMax = 80;
const partLengthMax = 60;
/** How much of the common text to show if no end is near. */
const contextLength = 12;

function startOfPart(text: string, start: number, ends: string): number {
  for (let at = start; at >= Math.max(0, start - partLengthMax / 2); at--)
    if (ends.includes(text[at] ?? ' ')) return at;
  return Math.max(0, start - contextLength);
}

/** The number of characters at the end to leave out. */
function endOfPart(text: string, end: number, ends: string): number {
  const last = text.length - end;
  for (let at = last; at < Math.min(text.length, last + partLengthMax / 2); at++)
    if (ends.includes(text[at] ?? ' ')) return text.length - at;
  return Math.max(0, end - contextLength);
}

function shortened(text: string, from: number, kept: number): string {
  const to = Math.min(Math.max(from, text.length - kept), from + partLengthMax);
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
