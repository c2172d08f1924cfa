import type { HashName } from '../explanation.ts';
import type { EncodedMessage } from './encoded-message.ts';

/** An algorithm that RSA keys are used with (RFC 9421 sections 3.3.1 and 3.3.2; `PS256` of RFC 7518). */
export interface RsaUse {
  readonly algorithm: string;
  readonly scheme: 'pkcs1' | 'pss';
  readonly hash: HashName;
  /** The length of the salt of RSASSA-PSS. */
  readonly saltBytes: number;
}

const uses: readonly RsaUse[] = [
  { algorithm: 'rsa-v1_5-sha256', scheme: 'pkcs1', hash: 'sha256', saltBytes: 0 },
  { algorithm: 'rsa-pss-sha512', scheme: 'pss', hash: 'sha512', saltBytes: 64 },
  { algorithm: 'PS256', scheme: 'pss', hash: 'sha256', saltBytes: 32 },
];

export const rsaAlgorithms: readonly string[] = uses.map(({ algorithm }) => algorithm);

/** Returns what a key with these algorithms is used with; the closed profile's algorithm if none is said. */
export function rsaUsesOf(algorithms: readonly string[] | undefined): readonly RsaUse[] {
  if (algorithms === undefined) return uses.slice(0, 1);
  return uses.filter(({ algorithm }) => algorithms.includes(algorithm));
}

/** Returns true if a signer that uses its key like this would produce exactly this encoding. */
export function isEncodedBy({ scheme, hash, saltBytes }: RsaUse, encoded: EncodedMessage): boolean {
  if (encoded.scheme === 'bare' || encoded.scheme !== scheme || encoded.hash !== hash) return false;
  return encoded.scheme === 'pss' ? encoded.salt.length === saltBytes : encoded.isProper;
}
