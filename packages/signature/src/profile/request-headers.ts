import { wrongType } from '../arguments/check-argument.ts';

/**
 * A request's header lines as received, names in any case, one code point up to U+00FF per octet: a flat list of names
 * and values (node:http's `rawHeaders`), a list of pairs, or a `Headers` object. Not node:http's `headers`, which loses
 * lines.
 */
export type HeaderLines = readonly string[] | Iterable<readonly [string, string]>;

/** The fields that the profile reads, taken from a request once. */
export interface SignatureHeaders {
  readonly signatureInput: HeaderLine;
  readonly signature: HeaderLine;
  readonly date: HeaderLine;
  readonly contentDigest: HeaderLine;
  /**
   * True if `Upgrade` asks for another protocol. Ignores `h2c` alone, in which each request is still a
   * request: Java offers it with every request.
   */
  readonly asksToSwitch: boolean;
}

/** The value of the only line with a name, and the number of lines with that name. */
export interface HeaderLine {
  readonly count: number;
  /** Without surrounding white space (RFC 9110 section 5.5). Only meaningful if count is 1. */
  readonly value: string;
}

const absent: HeaderLine = { count: 0, value: '' };

/**
 * Takes the profile's fields from the header lines and ignores all others.
 *
 * @throws TypeError if the lines have another form
 */
export function readSignatureHeaders(lines: HeaderLines): SignatureHeaders {
  const headers = new TakenHeaders();
  if (isFlat(lines)) {
    if (lines.length % 2 !== 0) throw wrongHeaders(lines);
    for (let index = 0; index < lines.length; index += 2) headers.take(lines[index]!, lines[index + 1]!);
  } else {
    if (typeof lines !== 'object' || lines === null || !(Symbol.iterator in lines)) throw wrongHeaders(lines);
    for (const pair of lines) {
      if (!Array.isArray(pair) || pair.length !== 2) throw wrongHeaders(lines);
      headers.take(pair[0], pair[1]);
    }
  }
  return headers;
}

function wrongHeaders(lines: unknown): TypeError {
  return wrongType(
    'headers',
    lines,
    'a flat list of names and values, such as rawHeaders of node:http, a list of pairs, or Headers, all texts',
  );
}

class TakenHeaders implements SignatureHeaders {
  signatureInput: HeaderLine = absent;
  signature: HeaderLine = absent;
  date: HeaderLine = absent;
  contentDigest: HeaderLine = absent;
  asksToSwitch = false;

  /** Compares lengths first, which rules out most other names without lower-casing them. */
  take(name: string, value: string): void {
    if (typeof name !== 'string' || typeof value !== 'string') throw wrongHeaders([name, value]);
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === 'date') this.date = line(this.date, value);
        break;
      case 7:
        if (name.toLowerCase() === 'upgrade') this.asksToSwitch ||= isAnotherProtocol(value);
        break;
      case 9:
        if (name.toLowerCase() === 'signature') this.signature = line(this.signature, value);
        break;
      case 14:
        if (name.toLowerCase() === 'content-digest') this.contentDigest = line(this.contentDigest, value);
        break;
      case 15:
        if (name.toLowerCase() === 'signature-input') this.signatureInput = line(this.signatureInput, value);
        break;
    }
  }
}

function isAnotherProtocol(protocols: string): boolean {
  return protocols.split(',').some((protocol) => {
    const name = trimOptionalWhitespace(protocol).toLowerCase();
    return name !== '' && name !== 'h2c';
  });
}

function isFlat(lines: HeaderLines): lines is readonly string[] {
  return Array.isArray(lines) && (lines.length === 0 || typeof lines[0] === 'string');
}

function line(earlier: HeaderLine, value: string): HeaderLine {
  return { count: earlier.count + 1, value: trimOptionalWhitespace(value) };
}

function trimOptionalWhitespace(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isOptionalWhitespace(value.charCodeAt(start))) start++;
  while (end > start && isOptionalWhitespace(value.charCodeAt(end - 1))) end--;
  return start === 0 && end === value.length ? value : value.slice(start, end);
}

function isOptionalWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
