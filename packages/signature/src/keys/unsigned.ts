/** Reads big-endian bytes as a non-negative number. No bytes make zero. */
export function unsignedFrom(bytes: Uint8Array): bigint {
  return BigInt(`0x0${hexadecimal(bytes)}`);
}

/** Counts the bits of a big-endian number without leading zero bytes. */
export function bitLength(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : bytes.length * 8 - (Math.clz32(bytes[0] ?? 0) - 24);
}

/** Formats bytes as lower-case hexadecimal. */
export function hexadecimal(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += bytesInHex[byte]!;
  return text;
}

const bytesInHex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
