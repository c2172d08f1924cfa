import { type Evidence, evidenceOf } from '../findings/evidence.ts';
import { latin1Text, utf8Text } from '../byte-text.ts';

/** Where two sequences of bytes first differ, with both sides around that place. */
export interface ByteDifference {
  /** The offset of the first different byte, from 0. */
  readonly offset: number;
  /** The first different byte of each side; undefined if that side ends there. */
  readonly beforeByte: number | undefined;
  readonly afterByte: number | undefined;
  /** The length of each side. */
  readonly beforeBytes: number;
  readonly afterBytes: number;
  /** The text around the place: `expected` is the side before. */
  readonly evidence: Evidence;
  /** True if the text is cut at its start or its end. */
  readonly isExcerpt: boolean;
}

/** Compares two sequences of bytes. Undefined if they are equal. */
export function byteDifference(before: Uint8Array, after: Uint8Array): ByteDifference | undefined {
  const length = Math.min(before.length, after.length);
  let offset = 0;
  while (offset < length && before[offset] === after[offset]) offset++;
  if (offset === before.length && offset === after.length) return undefined;
  const start = Math.max(0, characterStart(before, offset) - beforeMax);
  const from = characterStart(before, start);
  return {
    offset,
    beforeByte: before[offset],
    afterByte: after[offset],
    beforeBytes: before.length,
    afterBytes: after.length,
    evidence: evidenceOf(excerpt(before, from, offset), excerpt(after, from, offset)),
    isExcerpt: from > 0 || before.length > offset + afterMax || after.length > offset + afterMax,
  };
}

/** The bytes to show before and after the first different one. */
const beforeMax = 240;
const afterMax = 240;

function excerpt(bytes: Uint8Array, from: number, offset: number): string {
  const end = offset + afterMax;
  const shown = bytes.subarray(from, end >= bytes.length ? bytes.length : characterStart(bytes, end));
  const text = utf8Text(shown);
  return text.includes('\ufffd') ? latin1Text(shown) : text;
}

/** Moves back to the start of a UTF-8 character, at most three bytes. */
function characterStart(bytes: Uint8Array, offset: number): number {
  let start = offset;
  while (start > 0 && offset - start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
