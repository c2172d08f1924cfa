import { generateKeyPairSync } from 'node:crypto';
import { type AlgorithmName, algorithms, type KeyAlgorithm } from '@countersign/signature/rfc9421';
import { keptKeyPair } from './kept-keys.ts';

/** Both halves as PEM. */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

const asPem = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;

/** A key pair that this process did not have before; making one takes about a tenth of a second. */
export function makeKeyPair(modulusLength = 2048): KeyPair {
  return keptKeyPair(modulusLength, () => generateKeyPairSync('rsa', { modulusLength, ...asPem }));
}

/** The algorithms of the closed profiles. */
export const algorithmNames: readonly AlgorithmName[] = Object.keys(algorithms) as AlgorithmName[];

/** A new key pair for an algorithm. */
export function makeKeyPairFor(algorithm: KeyAlgorithm): KeyPair {
  switch (algorithm) {
    case 'rsa-v1_5-sha256':
    case 'rsa-pss-sha512':
    case 'PS256':
      return makeKeyPair();
    case 'ed25519':
      return generateKeyPairSync('ed25519', asPem);
    case 'ecdsa-p256-sha256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256', ...asPem });
    case 'ecdsa-p384-sha384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384', ...asPem });
  }
}
