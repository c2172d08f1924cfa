import { isKeyAlgorithm, type KeyAlgorithm, keyAlgorithms } from '../rfc9421/key-algorithms.ts';
import { algorithmOfEncodedKey } from './key-kinds.ts';
import { readKeyText } from './key-text.ts';

/**
 * Returns the algorithm of a registered key; undefined for a kind that is not supported, and for an algorithm that is not one of
 * its kind. Skips what was checked at registration.
 *
 * @param registered the algorithm that it is registered for, if that is not the usual one of its kind
 */
export function algorithmOfPem(spkiPem: string, registered?: string): KeyAlgorithm | undefined {
  const text = readKeyText(spkiPem);
  const usual = text.kind === 'pem' ? algorithmOfEncodedKey(text.der) : undefined;
  if (usual === undefined || registered === undefined) return usual;
  if (!isKeyAlgorithm(registered)) return undefined;
  return keyAlgorithms[registered].keyKind === keyAlgorithms[usual].keyKind ? registered : undefined;
}
