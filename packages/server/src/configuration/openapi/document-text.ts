/** A position in a text, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A problem that is found while reading a document, before interpreting it. */
export interface DocumentProblem {
  /** Undefined if it concerns the whole document. */
  readonly place: Place | undefined;
  readonly message: string;
}

/** A parsed document, with the position of each part. */
export interface ParsedDocument {
  readonly value: unknown;
  /** Returns the position of a member, or of its nearest existing parent. */
  readonly placeOf: (at: readonly string[]) => Place;
}

/** Larger than the largest public API documents. */
const documentBytesMax = 67_108_864;

/** Maximum nesting of a document: deeper than people write, and far from a stack overflow. */
export const depthMax = 500;

/**
 * Decodes a document. Bytes that are not UTF-8 are a problem: a decoder would replace all of them with the same
 * character, and different names would become equal.
 */
export function decodeDocument(bytes: Uint8Array): string | DocumentProblem {
  if (bytes.length > documentBytesMax) {
    const message = `it has ${bytes.length} bytes; the limit is ${documentBytesMax}`;
    return { place: undefined, message };
  }
  // The first character is ASCII, so UTF-16 has a zero byte next to it, with or without a byte order mark.
  const [first, second] = bytes;
  if (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    first === 0 ||
    second === 0
  )
    return { place: undefined, message: 'it is encoded in UTF-16 or UTF-32; save it as UTF-8' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { place: firstReplacement(bytes), message: 'this is not UTF-8; save the document as UTF-8' };
  }
}

/** Returns the position of the first bytes that are not UTF-8. */
function firstReplacement(bytes: Uint8Array): Place | undefined {
  const text = new TextDecoder().decode(bytes);
  const encoder = new TextEncoder();
  const replacement = '\ufffd';
  let offset = text.indexOf(replacement);
  // The document may contain the replacement character itself.
  while (offset !== -1) {
    const start = encoder.encode(text.slice(0, offset)).length + (bytes[0] === 0xef ? 3 : 0);
    const isWritten = bytes[start] === 0xef && bytes[start + 1] === 0xbf && bytes[start + 2] === 0xbd;
    if (!isWritten) return new Lines(text).placeAt(offset);
    offset = text.indexOf(replacement, offset + 1);
  }
  return undefined;
}

/** Converts offsets in a text to lines and columns. */
export class Lines {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  placeAt(offset: number): Place {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 };
  }
}
