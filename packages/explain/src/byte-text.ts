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
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let index = 0; index < text.length; index++)
    view.setUint16(index * 2, text.charCodeAt(index), isLittleEndian);
  return new Uint8Array(view.buffer);
}

/** Little-endian. */
export function utf32Bytes(text: string): Uint8Array {
  const points = Array.from(text, (character) => character.codePointAt(0)!);
  const view = new DataView(new ArrayBuffer(points.length * 4));
  points.forEach((point, index) => view.setUint32(index * 4, point, true));
  return new Uint8Array(view.buffer);
}

export function urlSafeBase64(bytes: Uint8Array): string {
  return encodeBase64(bytes).replace(/\+/g, '-').replace(/\//g, '_');
}
