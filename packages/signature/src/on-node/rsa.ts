import { hash } from 'node:crypto';
import { createKeyCommand } from '../keys/create-key-command.ts';
import { RsaOperation, rsaDecoys, rsaVerificationKey } from './rsa-operation.ts';
import type { NodeAlgorithm, NodeTrial, VerificationKey } from './verification-key.ts';

const algorithm = 'rsa-v1_5-sha256';

/** RSASSA-PKCS1-v1_5 with SHA-256. */
export const rsaOnNode: NodeAlgorithm = {
  hash: 'sha256',
  isFor: ({ asymmetricKeyType }) => asymmetricKeyType === 'rsa',
  signingInput: (key) => ({ key }),
  createTrial: (signatureBytes) => new RsaTrial(signatureBytes),
  verificationKey: (spkiDer) => rsaVerificationKey(spkiDer, algorithm),
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
  readonly #operation: RsaOperation;

  constructor(size: number) {
    this.decoys = rsaDecoys(size);
    this.#encodedMessage = encodedMessageWithoutDigest(size);
    this.#operation = new RsaOperation(size);
  }

  expect(base: Uint8Array): void {
    const digestStart = this.#encodedMessage.length - hashBytes;
    // As text: a buffer for each digest would cost more than hashing.
    this.#encodedMessage.write(hash('sha256', base, 'latin1'), digestStart, 'latin1');
  }

  verifies(key: VerificationKey, signature: Uint8Array): boolean {
    const { encoded, isInRange } = this.#operation.recover(key, signature);
    return encoded !== undefined && encoded.equals(this.#encodedMessage) && isInRange;
  }
}

function encodedMessageWithoutDigest(size: number): Buffer {
  const encoded = Buffer.alloc(size, 0xff);
  const end = size - hashBytes;
  encoded.set([0x00, 0x01]);
  encoded.set([0x00, ...digestInfo], end - digestInfo.length - 1);
  return encoded;
}
