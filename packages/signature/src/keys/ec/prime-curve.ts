import { unsignedFrom } from '../unsigned.ts';

/** A curve y² = x³ − 3x + b over a prime field, of prime order (SEC 1 section 2.2.1, FIPS 186-5 and SP 800-186). */
export interface PrimeCurve {
  /** The field's prime. Leaves 3 when divided by 4, so that roots are powers. */
  readonly p: bigint;
  readonly b: bigint;
  /** The number of points. */
  readonly order: bigint;
  readonly generator: AffinePoint;
  /** The length of a coordinate, and of a number below the order. */
  readonly bytes: number;
}

/** A point of a curve that is not the neutral one. */
export interface AffinePoint {
  readonly x: bigint;
  readonly y: bigint;
}

/** SP 800-186 section 3.2.1.3. */
export const p256: PrimeCurve = {
  p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  generator: {
    x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
  },
  bytes: 32,
};

/** SP 800-186 section 3.2.1.4. */
export const p384: PrimeCurve = {
  p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
  b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  generator: {
    x: 0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
    y: 0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
  },
  bytes: 48,
};

/** Reads a point in either form of SEC 1 section 2.3.4. Undefined for the neutral point and for no point of the curve. */
export function decodeCurvePoint(curve: PrimeCurve, encoded: Uint8Array): AffinePoint | undefined {
  const { bytes } = curve;
  const form = encoded[0];
  const x = unsignedFrom(encoded.subarray(1, 1 + bytes));
  if (form === 4 && encoded.length === 1 + 2 * bytes) {
    const point = { x, y: unsignedFrom(encoded.subarray(1 + bytes)) };
    return isOnCurve(curve, point) ? point : undefined;
  }
  if ((form !== 2 && form !== 3) || encoded.length !== 1 + bytes) return undefined;
  const y = yOf(curve, x);
  if (y === undefined) return undefined;
  return { x, y: (y & 1n) === BigInt(form & 1) ? y : curve.p - y };
}

/** Returns one of the two y that a point with this x has; undefined if there is no such point. */
function yOf(curve: PrimeCurve, x: bigint): bigint | undefined {
  const { p } = curve;
  const y = powerModulo(rightSide(curve, x), (p + 1n) / 4n, p);
  return isOnCurve(curve, { x, y }) ? y : undefined;
}

function isOnCurve(curve: PrimeCurve, { x, y }: AffinePoint): boolean {
  return x < curve.p && y < curve.p && (y * y - rightSide(curve, x)) % curve.p === 0n;
}

function rightSide({ p, b }: PrimeCurve, x: bigint): bigint {
  return (x * (((x * x) % p) + p - 3n) + b) % p;
}

function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
