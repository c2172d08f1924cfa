/** The bytes of a text in UTF-8. */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** The text of UTF-8; what is no UTF-8 becomes U+FFFD, and a mark of the byte order stays. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The bytes of a text that has one character for each of them. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** One character for each byte. Unlike the label `latin1` of TextDecoder, which means windows-1252. */
export function latin1Text(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += pieceBytes)
    text += String.fromCharCode(...bytes.subarray(start, start + pieceBytes));
  return text;
}

/** So many arguments every runtime takes. */
const pieceBytes = 8192;

/** Several pieces as one. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const piece of pieces) {
    whole.set(piece, position);
    position += piece.length;
  }
  return whole;
}
