import type { KeyObject } from 'node:crypto';
import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import type { KeyAlgorithm } from '../rfc9421/key-algorithms.ts';
import { ecdsaOnNode } from './ecdsa.ts';
import { ed25519OnNode } from './ed25519.ts';
import { rsaOnNode } from './rsa.ts';
import { rsaPssOnNode } from './rsa-pss.ts';
import type { NodeAlgorithm, NodeVerifier } from './verification-key.ts';

/** The implementation of each algorithm of the closed profiles on `node:crypto`. */
export const nodeAlgorithms: Readonly<Record<AlgorithmName, NodeAlgorithm>> = {
  'rsa-v1_5-sha256': rsaOnNode,
  ed25519: ed25519OnNode,
  'ecdsa-p256-sha256': ecdsaOnNode('ecdsa-p256-sha256', 'prime256v1', 'sha256'),
  'ecdsa-p384-sha384': ecdsaOnNode('ecdsa-p384-sha384', 'secp384r1', 'sha384'),
};

/** The same for every algorithm that a key can be registered for. */
export const nodeVerifiers: Readonly<Record<KeyAlgorithm, NodeVerifier>> = {
  ...nodeAlgorithms,
  'rsa-pss-sha512': rsaPssOnNode('rsa-pss-sha512'),
  PS256: rsaPssOnNode('PS256'),
};

/** Returns the algorithm of a key, by its kind and curve; undefined for one that is not supported. */
export function algorithmOfKeyObject(key: KeyObject): AlgorithmName | undefined {
  const names = Object.keys(nodeAlgorithms) as AlgorithmName[];
  return names.find((name) => nodeAlgorithms[name].isFor(key));
}
