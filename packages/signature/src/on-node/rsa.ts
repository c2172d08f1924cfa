import { constants, createPublicKey, hash, type KeyObject, publicDecrypt, randomBytes } from 'node:crypto';
import { createKeyCommand } from '../keys/create-key-command.ts';
import { decoyKey } from '../keys/rsa/decoy-key.ts';
import { readSubjectPublicKeyInfo } from '../keys/rsa/public-encoding.ts';
import { greatestSignature } from '../keys/rsa/signature-range.ts';
import type { NodeAlgorithm, NodeTrial, VerificationKey } from './verification-key.ts';

const algorithm = 'rsa-v1_5-sha256';

/** RSASSA-PKCS1-v1_5 with SHA-256. */
export const rsaOnNode: NodeAlgorithm = {
  hash: 'sha256',
  isFor: ({ asymmetricKeyType }) => asymmetricKeyType === 'rsa',
  signingInput: (key) => ({ key }),
  createTrial: (signatureBytes) => new RsaTrial(signatureBytes),
  verificationKey(spkiDer) {
    const numbers = readSubjectPublicKeyInfo(spkiDer);
    if (typeof numbers === 'string') throw new TypeError('The key is not an RSA key.');
    const keyObject = createPublicKey({ key: Buffer.from(spkiDer), format: 'der', type: 'spki' });
    return readyKey(keyObject, numbers.modulus);
  },
  problemOfPrivateKey({ asymmetricKeyDetails }) {
    const { modulusLength: bits = 0, publicExponent } = asymmetricKeyDetails ?? {};
    if (publicExponent !== 65537n)
      return `The private key's public exponent is not 65537. Create a new key: ${createKeyCommand}`;
    if (bits < 2048)
      return `The private key has ${bits} bits; at least 2048 are required. Create a new one: ${createKeyCommand}`;
    return undefined;
  },
};

const hashBytes = 32;
/** DigestInfo in DER, up to the digest that ends it (RFC 8017 section 9.2, note 1). */
const digestInfo = [
  0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
  0x20,
];

/**
 * RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2.2) for one length: recovers the encoded message and compares it with the
 * expected one. Each buffer is enough for all signatures of the length.
 */
class RsaTrial implements NodeTrial {
  readonly algorithm = algorithm;
  readonly decoys: VerificationKey[];
  /** EMSA-PKCS1-v1_5 (RFC 8017 section 9.2) of the expected base. */
  readonly #encodedMessage: Buffer;
  /** The number that goes into the operation. */
  readonly #operand: Buffer;

  constructor(size: number) {
    this.decoys = [createDecoy(size), createDecoy(size)];
    this.#encodedMessage = encodedMessageWithoutDigest(size);
    this.#operand = Buffer.alloc(size);
  }

  expect(base: Uint8Array): void {
    const digestStart = this.#encodedMessage.length - hashBytes;
    // As text: a buffer for each digest would cost more than hashing.
    this.#encodedMessage.write(hash('sha256', base, 'latin1'), digestStart, 'latin1');
  }

  /**
   * OpenSSL skips the operation if the signature is not below the modulus, which reveals something about the
   * key. In that case the operation runs without the first byte of the signature, which makes it small enough
   * for every key of its length.
   */
  verifies({ greatestSignature: greatest, keyObject }: VerificationKey, signature: Uint8Array): boolean {
    const isInRange = Buffer.compare(signature, greatest) <= 0;
    this.#operand.set(signature);
    this.#operand[0] = isInRange ? signature[0]! : 0;
    const recovered = recoverMessage(this.#operand, keyObject);
    return recovered !== undefined && recovered.equals(this.#encodedMessage) && isInRange;
  }
}

/** Runs only the RSA operation: its result is not examined, and every number below the modulus takes equally long. */
function recoverMessage(signature: Uint8Array, key: KeyObject): Buffer | undefined {
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    return undefined;
  }
}

/** OpenSSL prepares a key at its first operation. Doing that now hides from strangers that a key was never used. */
function readyKey(keyObject: KeyObject, modulus: Uint8Array): VerificationKey {
  const greatest = greatestSignature(modulus);
  recoverMessage(greatest, keyObject);
  return { algorithm, keyObject, signatureBytes: modulus.length, greatestSignature: greatest };
}

function createDecoy(size: number): VerificationKey {
  const { modulus, jwk } = decoyKey(randomBytes(size));
  return readyKey(createPublicKey({ key: jwk, format: 'jwk' }), modulus);
}

function encodedMessageWithoutDigest(size: number): Buffer {
  const encoded = Buffer.alloc(size, 0xff);
  const end = size - hashBytes;
  encoded.set([0x00, 0x01]);
  encoded.set([0x00, ...digestInfo], end - digestInfo.length - 1);
  return encoded;
}
