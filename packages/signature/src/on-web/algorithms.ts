import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import { ecdsaOnWeb } from './ecdsa.ts';
import { ed25519OnWeb } from './ed25519.ts';
import { rsaOnWeb } from './rsa.ts';
import type { WebAlgorithm } from './verification-key.ts';

/** The implementation of each algorithm on Web Crypto. */
export const webAlgorithms: Readonly<Record<AlgorithmName, WebAlgorithm>> = {
  'rsa-v1_5-sha256': rsaOnWeb,
  ed25519: ed25519OnWeb,
  'ecdsa-p256-sha256': ecdsaOnWeb('ecdsa-p256-sha256'),
  'ecdsa-p384-sha384': ecdsaOnWeb('ecdsa-p384-sha384'),
};
