import { concatBytes, latin1Text } from '../byte-text.ts';

/**
 * Decodes a chunked body (RFC 9112 section 7.1). Ignores extensions and trailers. Undefined if the coding is damaged,
 * truncated, or followed by something else.
 */
export function readChunkedBody(bytes: Uint8Array): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  let position = 0;
  for (;;) {
    const line = readLine(bytes, position);
    const [, digits] = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?$/.exec(line?.text ?? '') ?? [];
    if (line === undefined || digits === undefined) return undefined;
    const size = Number.parseInt(digits, 16);
    if (size === 0) return endsAfterTrailers(bytes, line.next) ? concatBytes(chunks) : undefined;
    const chunkEnd = line.next + size;
    const end = readLine(bytes, chunkEnd);
    // Require the same line end as above. Otherwise a size that is one too large would take the CR as part of the
    // body.
    if (end?.text !== '' || end.endBytes !== line.endBytes) return undefined;
    chunks.push(bytes.subarray(line.next, chunkEnd));
    position = end.next;
  }
}

function endsAfterTrailers(bytes: Uint8Array, start: number): boolean {
  let position = start;
  for (;;) {
    const line = readLine(bytes, position);
    if (line === undefined) return false;
    position = line.next;
    // Editors add a final line end.
    if (line.text === '') return bytes.subarray(position).every((byte) => byte === 0x0a || byte === 0x0d);
  }
}

interface Line {
  readonly text: string;
  readonly endBytes: number;
  readonly next: number;
}

/** Reads the line at a position. Undefined if it has no end. */
function readLine(bytes: Uint8Array, start: number): Line | undefined {
  const end = bytes.indexOf(0x0a, start);
  if (end < 0) return undefined;
  const textEnd = end > start && bytes[end - 1] === 0x0d ? end - 1 : end;
  // A size line is short. Do not decode a whole chunk that is mistaken for one.
  const text = latin1Text(bytes.subarray(start, Math.min(textEnd, start + 256)));
  return { text, endBytes: end - textEnd + 1, next: end + 1 };
}
