import { algorithms } from '../rfc9421/algorithms.ts';

/**
 * Returns what is wrong with a CryptoKey for signing requests, in one sentence; undefined if nothing is. Also
 * advises on any other value, above all on `undefined`: an environment variable that is not set.
 */
export function problemOfSigningCryptoKey(key: unknown): string | undefined {
  // Not `instanceof`: test runners and frames have their own CryptoKey.
  if (typeof key !== 'object' || key === null || !('algorithm' in key)) return noKey;
  const { type, algorithm, usages } = key as CryptoKey;
  const { name, hash, modulusLength, publicExponent } = algorithm as RsaHashedKeyAlgorithm;
  const fits =
    type === 'private' &&
    name === webCrypto.name &&
    hash.name === webCrypto.hash &&
    modulusLength >= 2048 &&
    publicExponent.join() === '1,0,1' &&
    usages.includes('sign');
  if (fits) return undefined;
  return `The CryptoKey must be a private ${webCrypto.name} key with ${webCrypto.hash}, at least 2048 bits, exponent 65537, and the usage "sign".`;
}

const { webCrypto } = algorithms['rsa-v1_5-sha256'];

const noKey =
  'The private key is missing: pass its text (PEM or Base64), a key object, or a signing function.';
