import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { checkEcPublicKey } from '../keys/ec/ec-keys.ts';
import { type AlgorithmName, algorithms } from '../rfc9421/algorithms.ts';
import type { NodeAlgorithm, NodeTrial, VerificationKey } from './verification-key.ts';

/** RFC 9421 section 3.3.4: r and s, each as long as the curve's numbers, and not the DER that `node:crypto` would take. */
const dsaEncoding = 'ieee-p1363';

/** ECDSA over one curve. */
export function ecdsaOnNode(
  algorithm: AlgorithmName,
  curveName: 'prime256v1' | 'secp384r1',
  hash: 'sha256' | 'sha384',
): NodeAlgorithm {
  const { min: signatureBytes } = algorithms[algorithm].signatureBytes;
  const noNumber = new Uint8Array(0);

  /** OpenSSL prepares a key at its first operation. Doing that now hides from strangers that a key was never used. */
  function readyKey(keyObject: KeyObject): VerificationKey {
    // With r or s outside of 1 to n − 1, it would do no operation.
    const signature = new Uint8Array(signatureBytes).fill(1);
    verify(hash, noNumber, { key: keyObject, dsaEncoding }, signature);
    return { algorithm, keyObject, signatureBytes, greatestSignature: noNumber };
  }

  function createDecoy(): VerificationKey {
    return readyKey(generateKeyPairSync('ec', { namedCurve: curveName }).publicKey);
  }

  /**
   * Verifies with OpenSSL. How long it takes depends on the signature, on the text and, by some microseconds, on the public
   * key. A signature with r or s out of range costs no operation, whichever key it is for.
   */
  class EcdsaTrial implements NodeTrial {
    readonly algorithm = algorithm;
    readonly decoys: VerificationKey[] = [createDecoy(), createDecoy()];
    #base: Uint8Array = noNumber;

    expect(base: Uint8Array): void {
      this.#base = base;
    }

    verifies({ keyObject }: VerificationKey, signature: Uint8Array): boolean {
      return verify(hash, this.#base, { key: keyObject, dsaEncoding }, signature);
    }
  }

  return {
    hash,
    isFor: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
      asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === curveName,
    signingInput: (key) => ({ key, dsaEncoding }),
    createTrial: () => new EcdsaTrial(),
    verificationKey(spkiDer) {
      checkEcPublicKey(spkiDer, algorithm);
      return readyKey(createPublicKey({ key: Buffer.from(spkiDer), format: 'der', type: 'spki' }));
    },
    problemOfPrivateKey: () => undefined,
  };
}
