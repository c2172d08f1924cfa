const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const notInAlphabet = 255;
const valueOfCharacter: Uint8Array = new Uint8Array(128).fill(notInAlphabet);
for (let value = 0; value < 64; value++) valueOfCharacter[alphabet.charCodeAt(value)] = value;

/** Node's and Bun's codec is several times faster than JavaScript; elsewhere the loops below do the same. */
const native = (globalThis as { Buffer?: NativeCodec }).Buffer;

/** The part of `Buffer` that is used where it exists. */
interface NativeCodec {
  byteLength(text: string): number;
  from(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer>;
  from(buffer: ArrayBufferLike, byteOffset: number, length: number): { toString(encoding: 'base64'): string };
}

/**
 * Decodes canonical Base64 (RFC 4648 section 4).
 *
 * Padding is required, the unused bits of the last character must be zero, and characters outside the alphabet are not
 * allowed, so that a byte sequence has exactly one text (RFC 4648 section 3.5). Returns undefined for any other text.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!native) return decodePortably(text);
  // Buffer reads only a character's low byte, and also accepts the URL alphabet.
  if (native.byteLength(text) !== text.length || text.includes('-') || text.includes('_')) return undefined;
  const padding = !text.endsWith('=') ? 0 : text.endsWith('==') ? 2 : 1;
  const last = text.charAt(text.length - 1 - padding);
  if (text.length % 4 !== 0 || (padding > 0 && !lastCharacters[padding].includes(last))) return undefined;
  // Buffer skips all other unknown characters, which leaves fewer bytes than the text's length implies.
  const bytes = native.from(text, 'base64');
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}

/** The characters allowed before one and two padding characters: those whose unused bits are zero. */
const lastCharacters = ['', 'AEIMQUYcgkosw048', 'AQgw'] as const;

/** Encodes bytes as canonical Base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  if (!native) return encodePortably(bytes);
  return native.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** `decodeBase64` without the platform's codec; exported for the test that compares the two. */
export function decodePortably(text: string): Uint8Array<ArrayBuffer> | undefined {
  const length = text.length;
  if (length % 4 !== 0) return undefined;
  if (length === 0) return new Uint8Array(0);
  const padding = text.charCodeAt(length - 1) !== 0x3d ? 0 : text.charCodeAt(length - 2) !== 0x3d ? 1 : 2;
  const bytes = new Uint8Array((length / 4) * 3 - padding);
  const wholeGroupsEnd = padding === 0 ? length : length - 4;
  let position = 0;
  for (let index = 0; index < wholeGroupsEnd; index += 4) {
    const a = characterValue(text, index);
    const b = characterValue(text, index + 1);
    const c = characterValue(text, index + 2);
    const d = characterValue(text, index + 3);
    if ((a | b | c | d) > 63) return undefined;
    bytes[position++] = (a << 2) | (b >> 4);
    bytes[position++] = ((b & 15) << 4) | (c >> 2);
    bytes[position++] = ((c & 3) << 6) | d;
  }
  if (padding === 0) return bytes;

  const a = characterValue(text, wholeGroupsEnd);
  const b = characterValue(text, wholeGroupsEnd + 1);
  const c = padding === 2 ? 0 : characterValue(text, wholeGroupsEnd + 2);
  const unusedBits = padding === 2 ? b & 15 : c & 3;
  if ((a | b | c) > 63 || unusedBits !== 0) return undefined;
  bytes[position++] = (a << 2) | (b >> 4);
  if (padding === 1) bytes[position] = ((b & 15) << 4) | (c >> 2);
  return bytes;
}

/** `encodeBase64` without the platform's codec; exported for the same test. */
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

function characterValue(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < 128 ? valueOfCharacter[code]! : notInAlphabet;
}

function character(value: number): string {
  return alphabet[value & 63]!;
}
