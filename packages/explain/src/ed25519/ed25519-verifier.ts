import { unsignedFrom } from '@countersign/signature/keys';
import { concatBytes } from '../byte-text.ts';
import { sha512 } from '../hashes/sha512.ts';
import type { HashFunction } from '../explanation.ts';
import { decodePoint, Multiplier, isSame, subtract } from './edwards-point.ts';

/** The group's order L, and the encoding of its generator B (RFC 8032 section 5.1). */
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const generator = 0x6666666666666666666666666666666666666666666666666666666666666658n;

/** Returns true for the bytes that were signed. */
export type IsSigned = (bytes: Uint8Array) => boolean;

/**
 * Verifies Ed25519 signatures (RFC 8032 section 5.1.7) of many texts: an operation with the key takes a fraction of a
 * millisecond, after some for preparing the key. Nothing here is secret, so timing may vary.
 */
export class Ed25519Verifier {
  readonly #publicKey: Uint8Array;
  #multiplier: Multiplier | undefined;

  /** @param publicKey 32 bytes */
  constructor(publicKey: Uint8Array) {
    this.#publicKey = publicKey;
  }

  /** Prepares a signature. Undefined for bytes that are a signature of no text. */
  open(signature: Uint8Array, hash: HashFunction = sha512): IsSigned | undefined {
    if (signature.length !== 64) return undefined;
    const commitment = signature.slice(0, 32);
    const s = littleEndian(signature.subarray(32));
    const r = decodePoint(littleEndian(commitment));
    if (s >= order || r === undefined) return undefined;
    const key = (this.#multiplier ??= multiplierOf(littleEndian(this.#publicKey)));
    if (key === undefined) return undefined;
    // S·B = R + k·A, where only k depends on the text.
    const wanted = subtract(generatorMultiplier().times(s), r);
    const start = concatBytes([commitment, this.#publicKey]);
    return (bytes) => {
      const k = littleEndian(hash(concatBytes([start, bytes]))) % order;
      return isSame(key.times(k), wanted);
    };
  }
}

let preparedGenerator: Multiplier | undefined;

function generatorMultiplier(): Multiplier {
  return (preparedGenerator ??= multiplierOf(generator)!);
}

function multiplierOf(encoded: bigint): Multiplier | undefined {
  const point = decodePoint(encoded);
  return point && new Multiplier(point);
}

function littleEndian(bytes: Uint8Array): bigint {
  return unsignedFrom(bytes.toReversed());
}
