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
    name === 'RSASSA-PKCS1-v1_5' &&
    hash.name === 'SHA-256' &&
    modulusLength >= 2048 &&
    publicExponent.join() === '1,0,1' &&
    usages.includes('sign');
  return fits ? undefined : otherKey;
}

const noKey =
  'The private key is missing: pass its text (PEM or Base64), a key object, or a signing function.';
const otherKey =
  'The CryptoKey must be a private RSASSA-PKCS1-v1_5 key with SHA-256, at least 2048 bits, exponent 65537, and the usage "sign".';
