import type { Colours } from './colour.ts';
import { visible } from './visible.ts';

/**
 * A signature base under its title, with the ends of its lines: they are signed too, and the last line has none. That is
 * where signers go wrong.
 */
export function signatureBaseText(title: string, base: string, { strong, faint }: Colours): string {
  const lines = base.split('\n');
  const shown = lines.map(
    (line, index) => `  ${visible(line)}${index + 1 < lines.length ? faint('\\n') : ''}\n`,
  );
  return `${strong(title)} ${faint('(exactly these bytes are signed; \\n is one line feed)')}\n${shown.join('')}`;
}
