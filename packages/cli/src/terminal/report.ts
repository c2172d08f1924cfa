import { coloursFor } from './colour.ts';
import type { Io } from './io.ts';
import { visible, visibleLines } from './visible.ts';

/** Writes one JSON object to standard output. */
export function writeJson(io: Io, value: object): void {
  io.output.write(`${visibleLines(JSON.stringify(value, undefined, 2))}\n`);
}

/** Tells something beside the result, in one line on standard error. */
export function writeNote(io: Io, text: string): void {
  io.errors.write(`${coloursFor(io, io.errors).faint(`note: ${visible(text)}`)}\n`);
}

/** Tells why a command did not do its work, on standard error. */
export function writeError(io: Io, text: string): void {
  io.errors.write(`${coloursFor(io, io.errors).bad('countersign:')} ${visibleLines(text)}\n`);
}
