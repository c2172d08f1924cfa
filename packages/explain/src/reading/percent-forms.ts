import { latin1Bytes, utf8Bytes } from '../byte-text.ts';

/** One way to percent-encode texts. */
export interface PercentForm {
  readonly detail: string;
  readonly write: (plain: string) => string;
}

/**
 * Lists every way in which an encoder may write texts: it leaves or escapes each of their characters. No
 * table of encoders could be complete.
 */
export function everyPercentForm(texts: readonly string[], hasPlus: boolean): readonly PercentForm[] {
  const all = texts.join('');
  if (all.length > lengthMax) return [];
  const found = new Set(all.match(/[!-,/:-@[-^`{-~]/g));
  // Nearly all encoders leave these unescaped.
  for (const rare of '._-') if (all.includes(rare) && found.size < charactersMax - 1) found.add(rare);
  const characters = [...found].slice(0, charactersMax);
  const spaces = all.includes(' ') ? ['%20', ' ', ...(hasPlus ? ['+'] : [])] : ['%20'];
  const charsets = /[^\x00-\x7f]/.test(all)
    ? (['utf-8', 'as it is', 'latin-1'] as const)
    : (['utf-8'] as const);
  const forms: PercentForm[] = [];
  for (let bits = 0; bits < 2 ** characters.length; bits++) {
    const left = characters.filter((_, index) => bits & (1 << index));
    const escaped = characters.filter((character) => !left.includes(character));
    const hasHex =
      charsets.length > 1 || escaped.some((character) => /[a-f]/.test(hexOf(character.charCodeAt(0))));
    const usual = escaped.length === 0 ? 'nothing else' : escaped.join(' ');
    for (const space of spaces)
      for (const charset of charsets)
        for (const isLower of hasHex ? [false, true] : [false]) {
          if (forms.length === formsMax) return forms;
          const detail = `with ${usual} percent-encoded${left.length === 0 ? '' : `, and ${left.join(' ')} as they are`}`;
          forms.push({ detail, write: writer({ left: new Set(left), space, charset, isLower }) });
        }
  }
  return forms;
}

const lengthMax = 2048;
const charactersMax = 8;
const formsMax = 1024;

interface Encoder {
  readonly left: ReadonlySet<string>;
  readonly space: string;
  readonly charset: 'utf-8' | 'latin-1' | 'as it is';
  readonly isLower: boolean;
}

function writer({ left, space, charset, isLower }: Encoder): PercentForm['write'] {
  const escaped = (bytes: Uint8Array): string => {
    let text = '';
    for (const byte of bytes) text += `%${isLower ? hexOf(byte) : hexOf(byte).toUpperCase()}`;
    return text;
  };
  return (plain) => {
    let text = '';
    for (const character of plain.toWellFormed()) {
      if (character === ' ') text += space;
      else if (/[A-Za-z0-9]/.test(character) || left.has(character)) text += character;
      else if (character < '\x80' || charset === 'utf-8') text += escaped(utf8Bytes(character));
      else text += charset === 'latin-1' && character <= '\xff' ? escaped(latin1Bytes(character)) : character;
    }
    return text;
  };
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
