/** A piece of text: visible as it is, or an invisible character with a label. */
export type VisiblePiece =
  | { readonly kind: 'text'; readonly text: string; readonly start: number }
  | {
      readonly kind: 'mark';
      /** `LF` for example. */
      readonly label: string;
      readonly name: string;
      readonly start: number;
      readonly length: number;
      readonly endsLine: boolean;
    };

/**
 * Splits a text at invisible characters: line ends, tabs, spaces that are doubled or end a line, other white space,
 * zero-width and bidirectional characters, marks that join the letter before them, and controls.
 */
export function visiblePieces(text: string): readonly VisiblePiece[] {
  const pieces: VisiblePiece[] = [];
  let position = 0;
  for (const match of text.matchAll(invisible)) {
    const [character] = match;
    if (match.index > position)
      pieces.push({ kind: 'text', text: text.slice(position, match.index), start: position });
    const [label, name] = describe(character);
    const { length } = character;
    pieces.push({ kind: 'mark', label, name, start: match.index, length, endsLine: character === '\n' });
    position = match.index + length;
  }
  if (position < text.length) pieces.push({ kind: 'text', text: text.slice(position), start: position });
  return pieces;
}

// Only spaces that are easy to miss: at the start, at the end of a line, or more than one.
const invisible =
  /^ | (?= )|(?<= ) | (?=[\r\n]|$)|(?! )[\p{Z}\p{M}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u034f\u115f\u1160\u3164\uffa0]/gu;

const names: Readonly<Record<string, readonly [label: string, name: string]>> = {
  '\n': ['LF', 'line feed'],
  '\r': ['CR', 'carriage return'],
  '\t': ['TAB', 'tab'],
  ' ': ['SP', 'space'],
  '\u0000': ['NUL', 'zero byte'],
  '\u00a0': ['NBSP', 'no-break space'],
  '\u00ad': ['SHY', 'soft hyphen'],
  '\u200b': ['ZWSP', 'zero width space'],
  '\u200c': ['ZWNJ', 'zero width non-joiner'],
  '\u200d': ['ZWJ', 'zero width joiner'],
  '\u200e': ['LRM', 'left-to-right mark'],
  '\u200f': ['RLM', 'right-to-left mark'],
  '\u2028': ['LS', 'line separator'],
  '\u2029': ['PS', 'paragraph separator'],
  '\u2060': ['WJ', 'word joiner'],
  '\u3000': ['IDSP', 'ideographic space'],
  '\ufeff': ['BOM', 'byte order mark'],
};

function describe(character: string): readonly [label: string, name: string] {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const known = Object.hasOwn(names, character) ? names[character] : undefined;
  return known ? [known[0], `${known[1]}, ${code}`] : [code, code];
}
