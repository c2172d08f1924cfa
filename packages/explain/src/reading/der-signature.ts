/** Reads a signature in DER, as most ECDSA libraries write it: a SEQUENCE of two INTEGERs that fills the bytes exactly. */
export function readDerSignature(bytes: Uint8Array): readonly [r: Uint8Array, s: Uint8Array] | undefined {
  if (bytes[0] !== 0x30) return undefined;
  const start = bytes[1] === 0x81 ? 3 : 2;
  if (bytes[start - 1] !== bytes.length - start || bytes[start] !== 2) return undefined;
  const second = start + 2 + (bytes[start + 1] ?? 0);
  if (bytes[second] !== 2 || second + 2 + (bytes[second + 1] ?? 0) !== bytes.length) return undefined;
  return [bytes.subarray(start + 2, second), bytes.subarray(second + 2)];
}

/**
 * Returns what a signature in DER means: r and s one after the other, each of a length. Undefined for other bytes, and for
 * numbers that are longer.
 */
export function plainSignature(bytes: Uint8Array, numberBytes: number): Uint8Array | undefined {
  const numbers = readDerSignature(bytes)?.map((number) => number.subarray(number[0] === 0 ? 1 : 0));
  if (numbers === undefined || numbers.some(({ length }) => length > numberBytes)) return undefined;
  const plain = new Uint8Array(2 * numberBytes);
  for (const [index, number] of numbers.entries())
    plain.set(number, (index + 1) * numberBytes - number.length);
  return plain;
}
