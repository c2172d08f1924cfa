const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const notInAlphabet = 255;
const valueOfCharacter: Uint8Array = new Uint8Array(128).fill(notInAlphabet);
for (let value = 0; value < 64; value++) valueOfCharacter[alphabet.charCodeAt(value)] = value;

/** Node's and Bun's codec is several times as fast as what a program can do; elsewhere the loops below do the same. */
const native = (globalThis as { Buffer?: NativeCodec }).Buffer;

/** What is used of `Buffer` where there is one. */
interface NativeCodec {
  byteLength(text: string): number;
  from(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer>;
  from(buffer: ArrayBufferLike, byteOffset: number, length: number): { toString(encoding: 'base64'): string };
}

/**
 * Decodes Base64 (RFC 4648 section 4) of which only the canonical text is accepted.
 *
 * Padding must be there, the unused bits of the last character must be zero, and nothing outside the
 * alphabet may occur, so that a byte sequence has exactly one text (RFC 4648 section 3.5).
 * Returns undefined for every other text.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!native) return decodePortably(text);
  // It reads the low byte of a character only, and the alphabet of URLs too.
  if (native.byteLength(text) !== text.length || text.includes('-') || text.includes('_')) return undefined;
  const padding = !text.endsWith('=') ? 0 : text.endsWith('==') ? 2 : 1;
  const last = text.charAt(text.length - 1 - padding);
  if (text.length % 4 !== 0 || (padding > 0 && !lastCharacters[padding].includes(last))) return undefined;
  // It skips everything else that it does not know: then there are fewer bytes than the characters promise.
  const bytes = native.from(text, 'base64');
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}

/** The characters that may stand before one and two signs of padding: those whose unused bits are zero. */
const lastCharacters = ['', 'AEIMQUYcgkosw048', 'AQgw'] as const;

/** Encodes bytes as canonical Base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  if (!native) return encodePortably(bytes);
  return native.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** `decodeBase64` without the platform's help; exported for the test that holds the two against each other. */
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

/** `encodeBase64` without the platform's help; exported for the same test. */
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
