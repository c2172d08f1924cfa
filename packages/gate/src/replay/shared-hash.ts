/*
 * The "multilinear" hashes of Lemire and Kaser, "Strongly universal string hashing is fast" (The Computer
 * Journal, 2014), for bytes and secret 32-bit multipliers; n bytes use n + 1 multipliers. The highest 25 bits
 * are strongly universal: without the secret, nobody can choose inputs that collide more often than random
 * ones.
 */

/** Hashes bytes to a number of bits, with the first multipliers. */
export function hashBytes(
  bytes: Uint8Array,
  from: number,
  length: number,
  secret: Uint32Array,
  bits: number,
): number {
  let sum = secret[0]!;
  for (let index = 0; index < length; index++)
    sum = (sum + Math.imul(secret[1 + index]!, bytes[from + index]!)) | 0;
  return sum >>> (32 - bits);
}

/** Hashes a text of one byte per code point, with the multipliers that start at the given one. */
export function hashText(text: string, secret: Uint32Array, from: number, bits: number): number {
  let sum = secret[from]!;
  for (let index = 0; index < text.length; index++)
    sum = (sum + Math.imul(secret[from + 1 + index]!, text.charCodeAt(index))) | 0;
  return sum >>> (32 - bits);
}
