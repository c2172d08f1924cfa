import type { Io, Output } from './io.ts';

/** Writes a text in a colour, or leaves it as it is. */
export type Paint = (text: string) => string;

/** The colours of one output. */
export interface Colours {
  readonly good: Paint;
  readonly bad: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

/** Colours on a terminal; none in files and pipes, with `NO_COLOR` (no-color.org), or on a terminal without them. */
export function coloursFor(io: Io, output: Output): Colours {
  const { NO_COLOR: noColour = '', TERM: terminal } = io.environment;
  const coloured = output.isTTY === true && noColour === '' && terminal !== 'dumb';
  const paint = (on: number, off: number): Paint =>
    coloured ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  return { good: paint(32, 39), bad: paint(31, 39), strong: paint(1, 22), faint: paint(2, 22) };
}
