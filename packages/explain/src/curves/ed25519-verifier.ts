import {
  addEdwardsPoints,
  decodePoint,
  edwardsOrder as order,
  type EdwardsPoint,
  isSame,
  neutralEdwardsPoint,
  subtract,
  unsignedFrom,
} from '@countersign/signature/keys';
import { concatBytes } from '../byte-text.ts';
import { sha512 } from '../hashes/sha512.ts';
import type { HashFunction } from '../explanation.ts';
import { type Group, Multiplier, times } from './multiplier.ts';

/** The encoding of the generator B (RFC 8032 section 5.1). */
const generator = 0x6666666666666666666666666666666666666666666666666666666666666658n;

/** Returns true for the bytes that were signed. */
export type IsSigned = (bytes: Uint8Array) => boolean;

/**
 * Verifies Ed25519 signatures (RFC 8032 section 5.1.7). The first text costs about a millisecond, further ones a fraction
 * of it. Nothing here is secret, so timing may vary.
 */
export class Ed25519Verifier {
  readonly #publicKey: Uint8Array;
  readonly #point: EdwardsPoint | undefined;
  /** Made for the second text: it costs as much as several operations without it. */
  #multiplier: Multiplier<EdwardsPoint> | undefined;
  #isUsed = false;

  /** @param publicKey 32 bytes */
  constructor(publicKey: Uint8Array) {
    this.#publicKey = publicKey;
    this.#point = decodePoint(littleEndian(publicKey));
  }

  /** Prepares a signature. Undefined for bytes that are a signature of no text. */
  open(signature: Uint8Array, hash: HashFunction = sha512): IsSigned | undefined {
    if (signature.length !== 64) return undefined;
    const commitment = signature.slice(0, 32);
    const s = littleEndian(signature.subarray(32));
    const r = decodePoint(littleEndian(commitment));
    if (s >= order || r === undefined || this.#point === undefined) return undefined;
    // S·B = R + k·A, where only k depends on the text.
    const wanted = subtract(generatorMultiplier().times(s), r);
    const start = concatBytes([commitment, this.#publicKey]);
    return (bytes) => {
      const k = littleEndian(hash(concatBytes([start, bytes]))) % order;
      return isSame(this.#times(k), wanted);
    };
  }

  #times(number: bigint): EdwardsPoint {
    if (this.#isUsed) return (this.#multiplier ??= multiplierOf(this.#point!)).times(number);
    this.#isUsed = true;
    return times(group, this.#point!, number);
  }
}

const group: Group<EdwardsPoint> = { neutral: neutralEdwardsPoint, add: addEdwardsPoints };

let preparedGenerator: Multiplier<EdwardsPoint> | undefined;

function generatorMultiplier(): Multiplier<EdwardsPoint> {
  return (preparedGenerator ??= multiplierOf(decodePoint(generator)!));
}

function multiplierOf(point: EdwardsPoint): Multiplier<EdwardsPoint> {
  return new Multiplier(group, point, 32);
}

function littleEndian(bytes: Uint8Array): bigint {
  return unsignedFrom(bytes.toReversed());
}
