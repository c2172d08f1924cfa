import { encodeBase64 } from '@countersign/signature';

export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Decodes UTF-8. Invalid bytes become U+FFFD; a byte order mark stays. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** One byte for each character; only for text without characters above U+00FF. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** One character for each byte, unlike TextDecoder's `latin1`, which means windows-1252. */
export function latin1Text(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += pieceBytes)
    text += String.fromCharCode(...bytes.subarray(start, start + pieceBytes));
  return text;
}

/** A number of arguments that every runtime accepts. */
const pieceBytes = 8192;

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const piece of pieces) {
    whole.set(piece, position);
    position += piece.length;
  }
  return whole;
}

export function utf16Bytes(text: string, isLittleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const low = isLittleEndian ? 0 : 1;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    bytes[index * 2 + low] = unit;
    bytes[index * 2 + 1 - low] = unit >> 8;
  }
  return bytes;
}

/** Little-endian. */
export function utf32Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 4);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index)!;
    if (point > 0xffff) index++;
    for (let shift = 0; shift < 32; shift += 8) bytes[length++] = point >> shift;
  }
  return bytes.subarray(0, length);
}

export function urlSafeBase64(bytes: Uint8Array): string {
  return encodeBase64(bytes).replace(/\+/g, '-').replace(/\//g, '_');
}

/** Not constant-time: nothing here is secret. */
export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
