import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { hasSmallOrder } from '../keys/ed25519/edwards-point.ts';
import type { NodeAlgorithm, NodeTrial, VerificationKey } from './verification-key.ts';

const algorithm = 'ed25519';
const signatureBytes = 64;

/** Ed25519 (RFC 8032 section 5.1). OpenSSL rejects a number S that is not below the group's order, so nobody else can change it. */
export const ed25519OnNode: NodeAlgorithm = {
  hash: undefined,
  isFor: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519',
  signingInput: (key) => ({ key }),
  createTrial: () => new Ed25519Trial(),
  verificationKey(spkiDer) {
    const keyObject = createPublicKey({ key: Buffer.from(spkiDer), format: 'der', type: 'spki' });
    if (!this.isFor(keyObject)) throw new TypeError('The key is not an Ed25519 key.');
    // Registration refuses it, but a registry may hold what was written past it.
    if (hasSmallOrder(spkiDer.subarray(-32))) throw new TypeError('Anyone can sign for this key.');
    return readyKey(keyObject);
  },
  problemOfPrivateKey: () => undefined,
};

/**
 * Verifies with OpenSSL. How long it takes depends on the signature, on the text and, by some microseconds, on the public
 * key: someone who has a client's public key could measure which client that is, and nobody else can.
 */
class Ed25519Trial implements NodeTrial {
  readonly algorithm = algorithm;
  readonly decoys: VerificationKey[] = [createDecoy(), createDecoy()];
  #base: Uint8Array = new Uint8Array(0);

  expect(base: Uint8Array): void {
    this.#base = base;
  }

  verifies({ keyObject }: VerificationKey, signature: Uint8Array): boolean {
    return verify(undefined, this.#base, keyObject, signature);
  }
}

/** OpenSSL prepares a key at its first operation. Doing that now hides from strangers that a key was never used. */
function readyKey(keyObject: KeyObject): VerificationKey {
  verify(undefined, new Uint8Array(0), keyObject, new Uint8Array(signatureBytes));
  return { algorithm, keyObject, signatureBytes, greatestSignature: noNumber };
}

const noNumber = new Uint8Array(0);

function createDecoy(): VerificationKey {
  return readyKey(generateKeyPairSync('ed25519').publicKey);
}
