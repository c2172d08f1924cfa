import { checkEcPublicKey } from '../keys/ec/ec-keys.ts';
import { type AlgorithmName, algorithms } from '../rfc9421/algorithms.ts';
import type { VerificationKey, WebAlgorithm } from './verification-key.ts';

/** ECDSA over one curve. */
export function ecdsaOnWeb(algorithm: AlgorithmName): WebAlgorithm {
  const { webCrypto, signatureBytes: length, newKeyPair } = algorithms[algorithm];
  const signatureBytes = length.min;

  /** Runtimes prepare a key at its first operation. Doing that now hides from strangers that a key was never used. */
  async function readyKey(cryptoKey: CryptoKey): Promise<VerificationKey> {
    // With r or s outside of 1 to n − 1, there would be no operation.
    const signature = new Uint8Array(signatureBytes).fill(1);
    await crypto.subtle.verify(webCrypto, cryptoKey, signature, new Uint8Array(0));
    return { algorithm, cryptoKey, signatureBytes, greatestSignature: noNumber };
  }

  return {
    async verificationKey(spkiDer) {
      checkEcPublicKey(spkiDer, algorithm);
      const spki = new Uint8Array(spkiDer);
      return readyKey(await crypto.subtle.importKey('spki', spki, webCrypto, false, ['verify']));
    },
    async createDecoy() {
      const usages: KeyUsage[] = ['sign', 'verify'];
      const pair = (await crypto.subtle.generateKey(newKeyPair(0), false, usages)) as CryptoKeyPair;
      return readyKey(pair.publicKey);
    },
    verifies: ({ cryptoKey }, signature, base) =>
      crypto.subtle.verify(webCrypto, cryptoKey as CryptoKey, new Uint8Array(signature), base),
  };
}

const noNumber = new Uint8Array(0);
