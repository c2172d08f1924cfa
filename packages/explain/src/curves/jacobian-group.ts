import type { AffinePoint, PrimeCurve } from '@countersign/signature/keys';
import type { Group } from './multiplier.ts';

/** A point in Jacobian coordinates: x = X/Z², y = Y/Z³. The neutral point has Z = 0. */
export interface JacobianPoint {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
}

/** The points of a curve with a = −3 (SP 800-186 appendix D, and the formulas that follow from the chord and the tangent). */
export class JacobianGroup implements Group<JacobianPoint> {
  readonly neutral: JacobianPoint = { x: 1n, y: 1n, z: 0n };
  readonly #p: bigint;

  constructor({ p }: PrimeCurve) {
    this.#p = p;
  }

  pointOf({ x, y }: AffinePoint): JacobianPoint {
    return { x, y, z: 1n };
  }

  /** Returns true if the point has this x. */
  hasX({ x, z }: JacobianPoint, wanted: bigint): boolean {
    return z !== 0n && (x - wanted * z * z) % this.#p === 0n;
  }

  readonly add = (one: JacobianPoint, other: JacobianPoint): JacobianPoint => {
    if (one.z === 0n) return other;
    if (other.z === 0n) return one;
    const p = this.#p;
    const [oneSquare, otherSquare] = [(one.z * one.z) % p, (other.z * other.z) % p];
    const x1 = (one.x * otherSquare) % p;
    const y1 = (((one.y * otherSquare) % p) * other.z) % p;
    const run = ((other.x * oneSquare) % p) - x1;
    const rise = ((((other.y * oneSquare) % p) * one.z) % p) - y1;
    // x1 and its counterpart are both below p.
    if (run === 0n) return rise === 0n ? this.#double(one) : this.neutral;
    const square = (run * run) % p;
    const cube = (square * run) % p;
    const v = (x1 * square) % p;
    const x = modulo(rise * rise - cube - 2n * v, p);
    return {
      x,
      y: modulo(rise * (v - x) - y1 * cube, p),
      z: modulo(((one.z * other.z) % p) * run, p),
    };
  };

  #double({ x, y, z }: JacobianPoint): JacobianPoint {
    const p = this.#p;
    const zSquare = (z * z) % p;
    const ySquare = (y * y) % p;
    const v = (4n * x * ySquare) % p;
    // 3x² + az⁴ with a = −3.
    const slope = (3n * (x - zSquare) * (x + zSquare)) % p;
    const newX = modulo(slope * slope - 2n * v, p);
    return {
      x: newX,
      y: modulo(slope * (v - newX) - 8n * ySquare * ySquare, p),
      z: modulo(2n * y * z, p),
    };
  }
}

function modulo(number: bigint, p: bigint): bigint {
  const rest = number % p;
  return rest < 0n ? rest + p : rest;
}
