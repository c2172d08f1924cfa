import type { DocumentSection } from 'virtual:documents';

/** A piece of a text; hits are what the person searched for. */
export interface Piece {
  readonly text: string;
  readonly isHit: boolean;
}

export interface FoundSection {
  readonly section: DocumentSection;
  readonly heading: readonly Piece[];
  /** The text around the first hit. */
  readonly excerpt: readonly Piece[];
}

const wordsMax = 8;

/** Splits a search into the words that must all be found, in lower case. */
export function searchWords(search: string): readonly string[] {
  return [
    ...new Set(
      search
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== ''),
    ),
  ].slice(0, wordsMax);
}

/** Finds the sections that contain every word, the best first: hits in headings count most. */
export function searchSections(
  sections: readonly DocumentSection[],
  words: readonly string[],
  max: number,
): readonly FoundSection[] {
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, max)
    .map(({ section }) => ({
      section,
      heading: piecesOf(section.heading, words),
      excerpt: piecesOf(excerptOf(section.text, words), words),
    }));
}

/** Splits a text at the hits. */
export function piecesOf(text: string, words: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const [from, to] of hitsIn(text, words)) {
    if (from > end) pieces.push({ text: text.slice(end, from), isHit: false });
    pieces.push({ text: text.slice(from, to), isHit: true });
    end = to;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isHit: false });
  return pieces;
}

/** Returns where the words are in a text, in order and without overlaps. */
export function hitsIn(text: string, words: readonly string[]): readonly (readonly [number, number])[] {
  if (words.length === 0) return [];
  // The longest first, so that "signature_missing" is one hit if the person also searches for "signature".
  const escaped = words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  return [...text.matchAll(new RegExp(escaped.join('|'), 'giu'))].map(
    ({ index, 0: hit }) => [index, index + hit.length] as const,
  );
}

function scoreOf({ heading, text }: DocumentSection, words: readonly string[]): number {
  const title = heading.toLowerCase();
  const body = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    if (title === word) score += 100;
    else if (title.startsWith(word)) score += 30;
    else if (title.includes(word)) score += 20;
    else if (body.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

const excerptLength = 180;

function excerptOf(text: string, words: readonly string[]): string {
  const first = hitsIn(text, words)[0]?.[0] ?? 0;
  const from = first < 60 ? 0 : text.indexOf(' ', first - 60) + 1;
  const piece = text.slice(from, from + excerptLength);
  return `${from > 0 ? '… ' : ''}${piece}${from + excerptLength < text.length ? ' …' : ''}`;
}
