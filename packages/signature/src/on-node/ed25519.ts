import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import type { NodeAlgorithm, NodeTrial, VerificationKey } from './verification-key.ts';

const algorithm = 'ed25519';
const signatureBytes = 64;

/** Ed25519 (RFC 8032 section 5.1). OpenSSL rejects a number S that is not below the group's order, so nobody else can change it. */
export const ed25519OnNode: NodeAlgorithm = {
  hash: undefined,
  createTrial: () => new Ed25519Trial(),
  verificationKey(spkiDer) {
    const keyObject = createPublicKey({ key: Buffer.from(spkiDer), format: 'der', type: 'spki' });
    if (keyObject.asymmetricKeyType !== 'ed25519') throw new TypeError('The key is not an Ed25519 key.');
    return readyKey(keyObject);
  },
  problemOfPrivateKey: () => undefined,
};

/**
 * Verifies with OpenSSL. It takes equally long with every registered key: only S decides whether it does the operation, and
 * that is the caller's.
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
