import { alternatives } from '../rfc9421/algorithms.ts';
import { keyReaders } from './key-kinds.ts';

/**
 * Returns what is wrong with a CryptoKey for signing requests, in one sentence; undefined if nothing is. Also
 * advises on any other value, above all on `undefined`: an environment variable that is not set.
 */
export function problemOfSigningCryptoKey(key: unknown): string | undefined {
  // Not `instanceof`: test runners and frames have their own CryptoKey.
  if (typeof key !== 'object' || key === null || !('algorithm' in key)) return noKey;
  const { type, algorithm, usages } = key as CryptoKey;
  const fits =
    type === 'private' &&
    keyReaders.some(({ cryptoKey }) => cryptoKey.fits(algorithm)) &&
    usages.includes('sign');
  return fits ? undefined : `The CryptoKey must be a private ${usable}, and the usage "sign".`;
}

const usable = alternatives(keyReaders.map(({ cryptoKey }) => cryptoKey.description));

const noKey =
  'The private key is missing: pass its text (PEM or Base64), a key object, or a signing function.';
