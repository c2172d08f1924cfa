/** The field's prime, and the curve's constant d (RFC 8032 section 5.1). */
export const p: bigint = 2n ** 255n - 19n;
export const d: bigint = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** The y of the points whose order divides 8: for them, signatures say nothing about a private key. */
const smallOrders: readonly bigint[] = [
  0n,
  1n,
  p - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  p - 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
];

/**
 * Returns true if a number encodes a point of a small order, canonically or not. Anyone can make signatures that verify
 * by such a key.
 */
export function hasSmallOrder(encoded: bigint): boolean {
  return smallOrders.includes(yOf(encoded) % p);
}

/** Returns true if a number is the canonical encoding of a point (RFC 8032 section 5.1.3). */
export function isPoint(encoded: bigint): boolean {
  const y = yOf(encoded);
  if (y >= p) return false;
  const numerator = (y * y - 1n + p) % p;
  const denominator = (d * y * y + 1n) % p;
  // Euler's criterion for x² = numerator / denominator. Points with x = 0 have a small order.
  return power((numerator * denominator) % p, (p - 1n) / 2n) === 1n;
}

/** The encoding without the sign of x. */
function yOf(encoded: bigint): bigint {
  return encoded & ((1n << 255n) - 1n);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % p;
    square = (square * square) % p;
  }
  return result;
}
