import { type Alternative, alternative } from '../drafts/alternatives.ts';
import type { TextChange } from '../drafts/base-draft.ts';

/** Lists the results of `printf` with the base as its format, without arguments. */
export function printfReadings(): readonly Alternative<TextChange>[] {
  const words = {
    signed: 'what printf makes of the signature base: it read the percent signs of the URL as formats',
    mend: 'Give the base to printf as an argument: printf \'%s\' "$base".',
  };
  return ['', '\n'].map((end) =>
    alternative('base_encoded', words, 3, (text: string) => {
      const read = textOfFormat(text);
      return read === undefined ? text : read + end;
    }),
  );
}

/** A width never begins with a zero, which is a flag: otherwise the pattern would try every split of many zeros. */
const format = /%([-+ #0]*)([1-9]\d*)?(?:\.\d+)?([bscqdiuoxXfFeEgG%])/g;
/**
 * The usual width is 20, from the `%20` of a URL. The sender of a request chooses its widths, so they are
 * limited.
 */
const widthMax = 300;
const lengthMax = 32 * 1024;

/** Returns what printf writes, or undefined if that is too long, which is known before the text is built. */
function textOfFormat(text: string): string | undefined {
  const pieces: string[] = [];
  let end = 0;
  let length = text.length;
  for (const match of text.matchAll(format)) {
    const [whole, flags = '', width = '0', kind = ''] = match;
    const size = Number(width);
    if (size > widthMax) return undefined;
    const piece = formatted(flags, size, kind);
    length += piece.length - whole.length;
    if (length > lengthMax) return undefined;
    pieces.push(text.slice(end, match.index), piece);
    end = match.index + whole.length;
  }
  return pieces.join('') + text.slice(end);
}

/** A missing argument is an empty text, or zero. */
function formatted(flags: string, size: number, kind: string): string {
  if (kind === '%') return '%';
  const text = 'bscq'.includes(kind) ? '' : (zeros[kind.toLowerCase()] ?? '0');
  if (flags.includes('-')) return text.padEnd(size);
  return text.padStart(size, flags.includes('0') && text !== '' ? '0' : ' ');
}

const zeros: Readonly<Record<string, string>> = { f: '0.000000', e: '0.000000e+00' };
