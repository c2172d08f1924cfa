import { type Alternative, alternative } from '../drafts/alternatives.ts';
import type { TextChange } from '../drafts/base-draft.ts';

/** Lists what `printf` makes of a base that it is given as its format, without arguments. */
export function printfReadings(): readonly Alternative<TextChange>[] {
  const words = {
    what: 'You signed what printf makes of the signature base: it read the percent signs of the URL as formats.',
    mend: 'Give the base to printf as an argument: printf \'%s\' "$base".',
  };
  return ['', '\n'].map((end) =>
    alternative('base_encoded', words, 3, (text: string) => text.replace(format, formatted) + end),
  );
}

const format = /%([-+ #0]*)(\d*)(?:\.\d+)?([bscqdiuoxXfFeEgG%])/g;

/** A missing argument is an empty text, or zero. */
function formatted(_: string, flags: string, width: string, kind: string): string {
  if (kind === '%') return '%';
  const text = 'bscq'.includes(kind) ? '' : (zeros[kind.toLowerCase()] ?? '0');
  const size = Number(width || '0');
  if (flags.includes('-')) return text.padEnd(size);
  return text.padStart(size, flags.includes('0') && text !== '' ? '0' : ' ');
}

const zeros: Readonly<Record<string, string>> = { f: '0.000000', e: '0.000000e+00' };
