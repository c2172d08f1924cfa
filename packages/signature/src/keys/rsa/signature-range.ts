/**
 * Returns the greatest number that is a valid signature of a key: one less than the modulus (RFC 8017 section
 * 5.2.2), in as many bytes.
 *
 * @param modulus odd, big-endian, without leading zeros
 */
export function greatestSignature(modulus: Uint8Array): Uint8Array<ArrayBuffer> {
  const number = new Uint8Array(modulus);
  number[number.length - 1]! -= 1;
  return number;
}
