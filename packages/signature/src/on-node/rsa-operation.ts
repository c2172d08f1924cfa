import { constants, createPublicKey, type KeyObject, publicDecrypt, randomBytes } from 'node:crypto';
import { decoyKey } from '../keys/rsa/decoy-key.ts';
import { readSubjectPublicKeyInfo } from '../keys/rsa/public-encoding.ts';
import { greatestSignature } from '../keys/rsa/signature-range.ts';
import type { KeyAlgorithm } from '../rfc9421/key-algorithms.ts';
import type { VerificationKey } from './verification-key.ts';

/** The operation with RSA public keys on signatures of one length (RFC 8017 section 5.2.2), whatever their encoding. */
export class RsaOperation {
  /** The number that goes into the operation. */
  readonly #operand: Buffer;

  constructor(signatureBytes: number) {
    this.#operand = Buffer.alloc(signatureBytes);
  }

  /**
   * Recovers the encoded message of a signature; undefined if it is one of no key, after as much work.
   *
   * OpenSSL skips the operation if the signature is not below the modulus, which reveals something about the
   * key. In that case the operation runs without the first byte of the signature, which makes it small enough
   * for every key of its length.
   */
  recover(
    { greatestSignature: greatest, keyObject }: VerificationKey,
    signature: Uint8Array,
  ): { readonly encoded: Buffer | undefined; readonly isInRange: boolean } {
    const isInRange = Buffer.compare(signature, greatest) <= 0;
    this.#operand.set(signature);
    this.#operand[0] = isInRange ? signature[0]! : 0;
    return { encoded: operate(this.#operand, keyObject), isInRange };
  }
}

/** Runs only the RSA operation: its result is not examined, and every number below the modulus takes equally long. */
function operate(signature: Uint8Array, key: KeyObject): Buffer | undefined {
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    return undefined;
  }
}

/** Makes an RSA key ready to verify by one algorithm. @throws TypeError for a key of another kind */
export function rsaVerificationKey(spkiDer: Uint8Array, algorithm: KeyAlgorithm): VerificationKey {
  const numbers = readSubjectPublicKeyInfo(spkiDer);
  if (typeof numbers === 'string') throw new TypeError('The key is not an RSA key.');
  const keyObject = createPublicKey({ key: Buffer.from(spkiDer), format: 'der', type: 'spki' });
  return readyKey(keyObject, numbers.modulus, algorithm);
}

/** OpenSSL prepares a key at its first operation. Doing that now hides from strangers that a key was never used. */
function readyKey(keyObject: KeyObject, modulus: Uint8Array, algorithm: KeyAlgorithm): VerificationKey {
  const greatest = greatestSignature(modulus);
  operate(greatest, keyObject);
  return { algorithm, keyObject, signatureBytes: modulus.length, greatestSignature: greatest };
}

const decoys = new Map<number, VerificationKey[]>();

/**
 * Returns the decoys for signatures of a length, at first two that are made for the purpose. All RSA algorithms share them,
 * because the operation is the same: one without keys would otherwise have only those.
 */
export function rsaDecoys(signatureBytes: number): VerificationKey[] {
  let ofLength = decoys.get(signatureBytes);
  if (ofLength === undefined) {
    ofLength = [createDecoy(signatureBytes), createDecoy(signatureBytes)];
    decoys.set(signatureBytes, ofLength);
  }
  return ofLength;
}

function createDecoy(size: number): VerificationKey {
  const { modulus, jwk } = decoyKey(randomBytes(size));
  return readyKey(createPublicKey({ key: jwk, format: 'jwk' }), modulus, 'rsa-v1_5-sha256');
}
