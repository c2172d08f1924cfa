/** Reads big-endian bytes as a non-negative number. No bytes make zero. */
export function unsignedFrom(bytes: Uint8Array): bigint {
  return BigInt(`0x0${hexadecimal(bytes)}`);
}

/** Returns the big-endian bytes of a non-negative number, with leading zeros up to a length. */
export function unsignedBytes(number: bigint, length: number): Uint8Array<ArrayBuffer> {
  const digits = number.toString(16).padStart(2 * length, '0');
  return Uint8Array.from({ length }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
  );
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
