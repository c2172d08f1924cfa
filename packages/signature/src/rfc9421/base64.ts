const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const notInAlphabet = 255;
const valueOfCode: Uint8Array = new Uint8Array(256).fill(notInAlphabet);
for (let value = 0; value < 64; value++) valueOfCode[alphabet.charCodeAt(value)] = value;

/** Node's and Bun's codec is several times faster at encoding; elsewhere the loop below does the same. */
const native = (globalThis as { Buffer?: NativeCodec }).Buffer;

/** The part of `Buffer` that is used where it exists. */
interface NativeCodec {
  allocUnsafe(length: number): Uint8Array<ArrayBuffer>;
  from(buffer: ArrayBufferLike, byteOffset: number, length: number): { toString(encoding: 'base64'): string };
}

const { TextEncoder } = globalThis as unknown as { TextEncoder: new () => Utf8Encoder };
const encoder = new TextEncoder();

/** The part of `TextEncoder` that is used. Every runtime has it, but its type comes with the DOM's. */
interface Utf8Encoder {
  encode(text: string): Uint8Array;
  encodeInto(text: string, bytes: Uint8Array): unknown;
}

/** The longest text that is decoded without a separate buffer: longer than that of any signature. */
const reusedLength = 2048;
/**
 * Decoding is synchronous, so one buffer is enough. The last character may need three bytes: without room for
 * them, an old byte would remain.
 */
const reusedCodes = new Uint8Array(reusedLength + 2);

/**
 * Decodes canonical Base64 (RFC 4648 section 4).
 *
 * Padding is required, the unused bits of the last character must be zero, and characters outside the alphabet are not
 * allowed, so that a byte sequence has exactly one text (RFC 4648 section 3.5). Returns undefined for any other text.
 *
 * Not by the platform's codec: its AVX-512 instructions slow down the operation with a key that follows, by more than this loop
 * takes.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const { length } = text;
  if (length % 4 !== 0) return undefined;
  if (length === 0) return new Uint8Array(0);
  const codes = codesOf(text);
  const padding = codes[length - 1] !== 0x3d ? 0 : codes[length - 2] !== 0x3d ? 1 : 2;
  const bytesLength = (length / 4) * 3 - padding;
  const bytes = native ? native.allocUnsafe(bytesLength) : new Uint8Array(bytesLength);
  const wholeGroupsEnd = padding === 0 ? length : length - 4;
  let position = 0;
  let seen = 0;
  for (let index = 0; index < wholeGroupsEnd; index += 4) {
    const a = valueOfCode[codes[index]!]!;
    const b = valueOfCode[codes[index + 1]!]!;
    const c = valueOfCode[codes[index + 2]!]!;
    const d = valueOfCode[codes[index + 3]!]!;
    seen |= a | b | c | d;
    bytes[position++] = (a << 2) | (b >> 4);
    bytes[position++] = (b << 4) | (c >> 2);
    bytes[position++] = (c << 6) | d;
  }
  if (seen > 63) return undefined;
  if (padding === 0) return bytes;

  const a = valueOfCode[codes[wholeGroupsEnd]!]!;
  const b = valueOfCode[codes[wholeGroupsEnd + 1]!]!;
  const c = padding === 2 ? 0 : valueOfCode[codes[wholeGroupsEnd + 2]!]!;
  const unusedBits = padding === 2 ? b & 15 : c & 3;
  if ((a | b | c) > 63 || unusedBits !== 0) return undefined;
  bytes[position++] = (a << 2) | (b >> 4);
  if (padding === 1) bytes[position] = (b << 4) | (c >> 2);
  return bytes;
}

/**
 * Returns the text's characters as UTF-8, at the same positions up to the first one that is not ASCII. All
 * bytes of that one are outside the alphabet.
 */
function codesOf(text: string): Uint8Array {
  if (text.length > reusedLength) return encoder.encode(text);
  encoder.encodeInto(text, reusedCodes);
  return reusedCodes;
}

/** Encodes bytes as canonical Base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  if (!native) return encodePortably(bytes);
  return native.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** `encodeBase64` without the platform's codec; exported for the test that compares the two. */
export function encodePortably(bytes: Uint8Array): string {
  let text = '';
  const wholeGroupsEnd = bytes.length - (bytes.length % 3);
  for (let index = 0; index < wholeGroupsEnd; index += 3) {
    const group = (bytes[index]! << 16) | (bytes[index + 1]! << 8) | bytes[index + 2]!;
    text += character(group >> 18) + character(group >> 12) + character(group >> 6) + character(group);
  }
  if (bytes.length - wholeGroupsEnd === 1) {
    const last = bytes[wholeGroupsEnd]!;
    text += character(last >> 2) + character(last << 4) + '==';
  } else if (bytes.length - wholeGroupsEnd === 2) {
    const last = (bytes[wholeGroupsEnd]! << 8) | bytes[wholeGroupsEnd + 1]!;
    text += character(last >> 10) + character(last >> 4) + character(last << 2) + '=';
  }
  return text;
}

function character(value: number): string {
  return alphabet[value & 63]!;
}
