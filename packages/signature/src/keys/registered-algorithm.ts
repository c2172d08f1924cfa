import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import { algorithmOfEncodedKey } from './key-kinds.ts';
import { readKeyText } from './key-text.ts';

/** Returns the algorithm of a registered key; undefined for a kind that is not supported. Skips what was checked at registration. */
export function algorithmOfPem(spkiPem: string): AlgorithmName | undefined {
  const text = readKeyText(spkiPem);
  return text.kind === 'pem' ? algorithmOfEncodedKey(text.der) : undefined;
}
