import type { AlgorithmName } from '@countersign/signature';
import type { CandidateKey, Hashes } from '../explanation.ts';
import { type EncodedMessage, isProperEncoding, readEncodedMessage } from '../rsa/encoded-message.ts';
import { readModulus, recoverEncodedMessage } from '../rsa/rsa-public-operation.ts';

export type { EncodedMessage } from '../rsa/encoded-message.ts';
export { pssPayload } from '../rsa/pss.ts';

/** A candidate's key, ready to recover what it signed. Other kinds of keys reveal nothing, and are not candidates. */
export interface SigningKey {
  readonly candidate: CandidateKey;
  /** The only algorithm that the service uses it with. */
  readonly algorithm: AlgorithmName;
  /** The length of each of its signatures. */
  readonly signatureBytes: number;
  /** Recovers what this key signed; undefined if another key signed, or the length differs. */
  readonly recover: (signature: Uint8Array, hashes: Hashes) => EncodedMessage | undefined;
}

/** Reads a candidate's key; undefined if its signatures reveal nothing. */
export function readSigningKey(candidate: CandidateKey): SigningKey | undefined {
  const key = readModulus(candidate.spkiPem);
  if (key === undefined) return undefined;
  const modulusBits = key.modulus.toString(2).length;
  return {
    candidate,
    algorithm: 'rsa-v1_5-sha256',
    signatureBytes: key.modulusBytes,
    recover(signature, hashes) {
      const encoded = recoverEncodedMessage(signature, key);
      return encoded && readEncodedMessage(encoded, modulusBits, hashes);
    },
  };
}

/** Returns the hash that a signature of the profile's algorithm is over; undefined for any other signature. */
export function properHash(key: SigningKey, signature: Uint8Array, hashes: Hashes): Uint8Array | undefined {
  const message = key.recover(signature, hashes);
  return message && isProperEncoding(message) ? message.payload : undefined;
}
