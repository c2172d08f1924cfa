import { type AffinePoint, type PrimeCurve, unsignedFrom } from '@countersign/signature/keys';
import type { HashFunction } from '../explanation.ts';
import type { IsSigned } from './ed25519-verifier.ts';
import { JacobianGroup, type JacobianPoint } from './jacobian-group.ts';
import { Multiplier, times } from './multiplier.ts';

/**
 * Verifies ECDSA signatures (FIPS 186-5 section 6.4.2) that are r and s, each as long as the curve's numbers. A
 * signature costs some milliseconds, and each text a fraction of one. Nothing here is secret, so timing may vary.
 */
export class EcdsaVerifier {
  readonly #curve: PrimeCurve;
  readonly #group: JacobianGroup;
  readonly #publicPoint: JacobianPoint;

  constructor(curve: PrimeCurve, publicPoint: AffinePoint) {
    this.#curve = curve;
    this.#group = new JacobianGroup(curve);
    this.#publicPoint = this.#group.pointOf(publicPoint);
  }

  /** Prepares a signature. Undefined for bytes that are a signature of no text. */
  open(signature: Uint8Array, hash: HashFunction): IsSigned | undefined {
    const { p, order, bytes } = this.#curve;
    const group = this.#group;
    if (signature.length !== 2 * bytes) return undefined;
    const [r, s] = [unsignedFrom(signature.subarray(0, bytes)), unsignedFrom(signature.subarray(bytes))];
    if (r === 0n || s === 0n || r >= order || s >= order) return undefined;
    const inverse = inverseOf(s, order);
    // R = u1·G + u2·Q, where only u1 depends on the text.
    const ofKey = times(group, this.#publicPoint, (r * inverse) % order);
    return (text) => {
      const hashed = unsignedFrom(hash(text).subarray(0, bytes));
      const point = group.add(generatorOf(this.#curve, group).times((hashed * inverse) % order), ofKey);
      // r is the x of R, less the order if that is smaller than x.
      return group.hasX(point, r) || (r + order < p && group.hasX(point, r + order));
    };
  }
}

const generators = new Map<PrimeCurve, Multiplier<JacobianPoint>>();

function generatorOf(curve: PrimeCurve, group: JacobianGroup): Multiplier<JacobianPoint> {
  let generator = generators.get(curve);
  if (!generator)
    generators.set(curve, (generator = new Multiplier(group, group.pointOf(curve.generator), curve.bytes)));
  return generator;
}

/** Extended Euclid. The order is a prime, so each number below it but zero has an inverse. */
function inverseOf(number: bigint, order: bigint): bigint {
  let [rest, next] = [order, number];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + order : factor;
}
