import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import { ed25519OnNode } from './ed25519.ts';
import { rsaOnNode } from './rsa.ts';
import type { NodeAlgorithm } from './verification-key.ts';

/** The implementation of each algorithm on `node:crypto`. */
export const nodeAlgorithms: Readonly<Record<AlgorithmName, NodeAlgorithm>> = {
  'rsa-v1_5-sha256': rsaOnNode,
  ed25519: ed25519OnNode,
};
