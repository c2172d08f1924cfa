import { type HeaderLines, takeLines, trimOptionalWhitespace } from '../rfc9421/header-lines.ts';

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
  return takeLines(lines, new TakenHeaders());
}

class TakenHeaders implements SignatureHeaders {
  signatureInput: HeaderLine = absent;
  signature: HeaderLine = absent;
  date: HeaderLine = absent;
  contentDigest: HeaderLine = absent;
  asksToSwitch = false;

  /** Compares lengths first, which rules out most other names without lower-casing them. */
  take(name: string, value: string): void {
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

function line(earlier: HeaderLine, value: string): HeaderLine {
  return { count: earlier.count + 1, value: trimOptionalWhitespace(value) };
}
