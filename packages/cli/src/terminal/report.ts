import type { Io, Output } from './io.ts';
import { visible, visibleLines } from './visible.ts';

export function writeJson(io: Io, value: object): void {
  io.output.write(`${visibleLines(JSON.stringify(value, undefined, 2))}\n`);
}

/** Writes a one-line note to standard error. */
export function writeNote(io: Io, text: string): void {
  io.errors.write(`${coloursFor(io, io.errors).faint(`note: ${visible(text)}`)}\n`);
}

/** Explains on standard error why a command failed. */
export function writeError(io: Io, text: string): void {
  io.errors.write(`${coloursFor(io, io.errors).bad('countersign:')} ${visibleLines(text)}\n`);
}

export type Paint = (text: string) => string;

export interface Colours {
  readonly good: Paint;
  readonly bad: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

/** Colours for a terminal; none for files and pipes, with `NO_COLOR` (no-color.org), or on a dumb terminal. */
export function coloursFor(io: Io, output: Output): Colours {
  const { NO_COLOR: noColour = '', TERM: terminal } = io.environment;
  const coloured = output.isTTY === true && noColour === '' && terminal !== 'dumb';
  const paint = (on: number, off: number): Paint =>
    coloured ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  return { good: paint(32, 39), bad: paint(31, 39), strong: paint(1, 22), faint: paint(2, 22) };
}
