import {
  algorithmsOfKind,
  alternatives,
  isKeyAlgorithm,
  keyAlgorithmNames,
} from '@countersign/signature/rfc9421';
import { usageError } from '../exits.ts';

/** Says what a key is for that is registered. */
export const keyAlgorithmOption = {
  type: 'string',
  placeholder: 'NAME',
  help: `What an RSA key is for: ${alternatives(algorithmsOfKind('rsa'))}. Default: what the key says, or what the profile signs with.`,
} as const;

/** Reads the option. */
export function checkedAlgorithm(algorithm: string | undefined): string | undefined {
  if (algorithm === undefined || isKeyAlgorithm(algorithm)) return algorithm;
  throw usageError(`--algorithm must be ${alternatives(keyAlgorithmNames)}.`);
}
