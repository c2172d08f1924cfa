import { hash } from 'node:crypto';
import { type KeyAlgorithm, keyAlgorithms } from '../rfc9421/key-algorithms.ts';
import { RsaOperation, rsaDecoys, rsaVerificationKey } from './rsa-operation.ts';
import type { NodeTrial, NodeVerifier, VerificationKey } from './verification-key.ts';

/** RSASSA-PSS with a salt as long as the hash. */
export function rsaPssOnNode(algorithm: 'rsa-pss-sha512' | 'PS256'): NodeVerifier {
  return {
    createTrial: (signatureBytes) => new PssTrial(algorithm, signatureBytes),
    verificationKey: (spkiDer) => rsaVerificationKey(spkiDer, algorithm),
  };
}

/** The last byte of an encoded message. */
const trailer = 0xbc;
/** What is hashed before the digest and the salt. */
const paddingBytes = 8;

/**
 * RSASSA-PSS (RFC 8017 section 8.1.2) for one length. OpenSSL stops decoding at the first wrong byte, and anyone can look for
 * a signature that gets further with a given key; so the decoding is here, and does the same whatever the key and the
 * signature. Each buffer is enough for all signatures of the length.
 */
class PssTrial implements NodeTrial {
  readonly algorithm: KeyAlgorithm;
  readonly decoys: VerificationKey[];
  readonly #operation: RsaOperation;
  readonly #hashName: 'sha256' | 'sha512';
  /** The length of the hash, and of the salt. */
  readonly #hashBytes: number;
  /** Eight zeros, the expected base's digest, and the salt (RFC 8017 section 9.1.2, step 12). */
  readonly #salted: Buffer;
  /** What the mask is made from: the hash in the encoded message, and a counter (RFC 8017 appendix B.2.1). */
  readonly #seed: Buffer;
  /** In whole hashes, so a little longer than needed. */
  readonly #mask: Buffer;

  constructor(algorithm: 'rsa-pss-sha512' | 'PS256', size: number) {
    const { saltBytes = 0 } = keyAlgorithms[algorithm];
    this.algorithm = algorithm;
    this.decoys = rsaDecoys(size);
    this.#operation = new RsaOperation(size);
    this.#hashName = saltBytes === 32 ? 'sha256' : 'sha512';
    this.#hashBytes = saltBytes;
    this.#salted = Buffer.alloc(paddingBytes + 2 * saltBytes);
    this.#seed = Buffer.alloc(saltBytes + 4);
    this.#mask = Buffer.alloc(Math.ceil((size - saltBytes - 1) / saltBytes) * saltBytes);
  }

  expect(base: Uint8Array): void {
    this.#salted.write(hash(this.#hashName, base, 'latin1'), paddingBytes, 'latin1');
  }

  verifies(key: VerificationKey, signature: Uint8Array): boolean {
    const { encoded, isInRange } = this.#operation.recover(key, signature);
    const isEncoded = this.#isEncoding(encoded ?? Buffer.alloc(signature.length), key.greatestSignature[0]!);
    return isEncoded && encoded !== undefined && isInRange;
  }

  /**
   * EMSA-PSS-VERIFY (RFC 8017 section 9.1.2), without an early end.
   *
   * @param recovered as long as the modulus
   * @param firstByte that of the modulus, which says how many bits the encoded message has: one less than the modulus
   */
  #isEncoding(recovered: Buffer, firstByte: number): boolean {
    const hashBytes = this.#hashBytes;
    // A modulus of one bit more than whole bytes has an encoded message of one byte less.
    const start = firstByte === 1 ? 1 : 0;
    const hashStart = recovered.length - hashBytes - 1;
    const saltStart = hashStart - hashBytes;
    const expected = recovered.subarray(hashStart, -1);
    this.#makeMask(expected);
    const unusedBits = firstByte === 1 ? 0 : Math.clz32(firstByte) - 23;
    const usedBits = 0xff >> unusedBits;
    let wrong = recovered.at(-1)! ^ trailer;
    if (start === 1) wrong |= recovered[0]!;
    wrong |= recovered[start]! & ~usedBits;
    // Zeros, 0x01, and the salt, once unmasked.
    for (let index = start; index < saltStart; index++) {
      const byte = recovered[index]! ^ this.#mask[index - start]!;
      wrong |= (index === start ? byte & usedBits : byte) ^ (index === saltStart - 1 ? 1 : 0);
    }
    for (let index = saltStart; index < hashStart; index++)
      this.#salted[index - saltStart + paddingBytes + hashBytes] =
        recovered[index]! ^ this.#mask[index - start]!;
    return hash(this.#hashName, this.#salted, 'buffer').equals(expected) && wrong === 0;
  }

  /** MGF1 (RFC 8017 appendix B.2.1). */
  #makeMask(seed: Buffer): void {
    this.#seed.set(seed);
    for (let made = 0; made < this.#mask.length; made += this.#hashBytes) {
      this.#seed[this.#seed.length - 1] = made / this.#hashBytes;
      this.#mask.write(hash(this.#hashName, this.#seed, 'latin1'), made, 'latin1');
    }
  }
}
