import { wrongType } from '../arguments/check-argument.ts';

/**
 * A message's header lines as received, names in any case, one code point up to U+00FF per octet: a flat list of names
 * and values (node:http's `rawHeaders`), a list of pairs, or a `Headers` object. Not node:http's `headers`, which loses
 * lines.
 */
export type HeaderLines = readonly string[] | Iterable<readonly [string, string]>;

/** Receives header lines one by one. */
export interface LineReader {
  /** @param value with the white space around it */
  take(name: string, value: string): void;
}

/**
 * Gives each header line to a reader, in order, and returns the reader.
 *
 * @throws TypeError if the lines have another form
 */
export function takeLines<Reader extends LineReader>(lines: HeaderLines, reader: Reader): Reader {
  if (isFlat(lines)) {
    if (lines.length % 2 !== 0) throw wrongHeaders(lines);
    for (let index = 0; index < lines.length; index += 2) takeLine(lines[index], lines[index + 1], reader);
  } else {
    if (typeof lines !== 'object' || lines === null || !(Symbol.iterator in lines)) throw wrongHeaders(lines);
    for (const pair of lines) {
      if (!Array.isArray(pair) || pair.length !== 2) throw wrongHeaders(lines);
      takeLine(pair[0], pair[1], reader);
    }
  }
  return reader;
}

function takeLine(name: unknown, value: unknown, reader: LineReader): void {
  if (typeof name !== 'string' || typeof value !== 'string') throw wrongHeaders([name, value]);
  reader.take(name, value);
}

function wrongHeaders(lines: unknown): TypeError {
  return wrongType(
    'headers',
    lines,
    'a flat list of names and values, such as rawHeaders of node:http, a list of pairs, or Headers, all texts',
  );
}

function isFlat(lines: HeaderLines): lines is readonly string[] {
  return Array.isArray(lines) && (lines.length === 0 || typeof lines[0] === 'string');
}

/** Removes the white space around a field's value (RFC 9110 section 5.5). */
export function trimOptionalWhitespace(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isOptionalWhitespace(value.charCodeAt(start))) start++;
  while (end > start && isOptionalWhitespace(value.charCodeAt(end - 1))) end--;
  return start === 0 && end === value.length ? value : value.slice(start, end);
}

function isOptionalWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
