import { unsignedFrom } from '../unsigned.ts';

/** The field's prime, the curve's constant d, and the order L of the generator (RFC 8032 section 5.1). */
const p = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
export const order: bigint = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The y of the points whose order divides 8. */
const smallOrders: readonly bigint[] = [
  0n,
  1n,
  p - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  p - 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
];

/** Returns true if bytes encode a point of a small order, canonically or not: anyone can sign for such a key. */
export function hasSmallOrder(publicKey: Uint8Array): boolean {
  const y = unsignedFrom(publicKey.toReversed()) & ((1n << 255n) - 1n);
  return smallOrders.includes(y % p);
}

/** A point in extended homogeneous coordinates (RFC 8032 section 5.1.4): x = X/Z, y = Y/Z, T = XY/Z. */
export interface EdwardsPoint {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
  readonly t: bigint;
}

/** The neutral point. */
export const neutral: EdwardsPoint = { x: 0n, y: 1n, z: 1n, t: 0n };

/** Reads a point (RFC 8032 section 5.1.3). Undefined for an encoding that is not canonical, and for no point. */
export function decodePoint(encoded: bigint): EdwardsPoint | undefined {
  const y = encoded & ((1n << 255n) - 1n);
  if (y >= p) return undefined;
  const u = modulo(y * y - 1n);
  const v = modulo(d * y * y + 1n);
  const candidate = modulo(u * power(v, 3n) * power(u * power(v, 7n), (p - 5n) / 8n));
  const square = modulo(v * candidate * candidate);
  const root =
    square === u ? candidate : square === modulo(-u) ? modulo(candidate * rootOfMinusOne) : undefined;
  if (root === undefined) return undefined;
  const isOdd = encoded >> 255n === 1n;
  if (root === 0n && isOdd) return undefined;
  const x = (root & 1n) === (isOdd ? 1n : 0n) ? root : p - root;
  return { x, y, z: 1n, t: modulo(x * y) };
}

/** Returns the sum of two points (RFC 8032 section 5.1.4). */
export function add(one: EdwardsPoint, other: EdwardsPoint): EdwardsPoint {
  const a = (one.y - one.x) * (other.y - other.x);
  const b = (one.y + one.x) * (other.y + other.x);
  const c = modulo(one.t * 2n * d) * other.t;
  const double = one.z * 2n * other.z;
  const [e, f, g, h] = [modulo(b - a), modulo(double - c), modulo(double + c), modulo(b + a)];
  return { x: modulo(e * f), y: modulo(g * h), z: modulo(f * g), t: modulo(e * h) };
}

/** Returns the difference of two points. */
export function subtract(one: EdwardsPoint, other: EdwardsPoint): EdwardsPoint {
  return add(one, { ...other, x: modulo(-other.x), t: modulo(-other.t) });
}

/** Returns true if two points are the same. */
export function isSame(one: EdwardsPoint, other: EdwardsPoint): boolean {
  return modulo(one.x * other.z - other.x * one.z) === 0n && modulo(one.y * other.z - other.y * one.z) === 0n;
}

/** Returns true for a point whose order is L: only those are public keys. */
export function hasOrderOfGenerator(point: EdwardsPoint): boolean {
  return !isSame(point, neutral) && isSame(times(point, order), neutral);
}

/** Returns the product of a point and a number. */
function times(point: EdwardsPoint, number: bigint): EdwardsPoint {
  let sum = neutral;
  for (const bit of number.toString(2)) {
    sum = add(sum, sum);
    if (bit === '1') sum = add(sum, point);
  }
  return sum;
}

const rootOfMinusOne = power(2n, (p - 1n) / 4n);

function modulo(number: bigint): bigint {
  const rest = number % p;
  return rest < 0n ? rest + p : rest;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = modulo(base);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % p;
    square = (square * square) % p;
  }
  return result;
}
