import { nextLoopTurn } from '@countersign/gate/loop-turns';
import type { MessageAlgorithm } from '@countersign/signature/messages/node';
import {
  holdsPrivateKey,
  keyFingerprint,
  type PublicKeyPolicy,
  type PublicKeyRefusalCode,
  readPublicKeyInTurns,
} from '@countersign/signature/node';
import { type DirectoryKey, type SkipReason, thumbprintOfPem } from './directory-key.ts';

/** How keys of a directory are read. */
export interface KeyReading {
  readonly nowMs: number;
  readonly policy: PublicKeyPolicy;
  readonly limits: KeyLimits;
  /** The keys that the directory had before, which need not be examined again. */
  readonly known: readonly DirectoryKey[];
}

/** How many keys of a directory count. Beyond that, keys are skipped: examining one takes up to 70 ms for 4096 bits of RSA. */
export interface KeyLimits {
  readonly keysMax: number;
  readonly rsaKeysMax: number;
}

/** What a directory says about a key. */
export interface KeyClaims {
  readonly kid: string | undefined;
  readonly algorithm: MessageAlgorithm | undefined;
  readonly startsAtMs: number | undefined;
  readonly endsAtMs: number | undefined;
}

/** More characters than any entry with a key needs, even with certificates. */
export const entryCharactersMax = 16_384;
const keyIdCharactersMax = 1024;

/** Returns true for a key ID that signatures can name (RFC 8941 section 3.3.3: printable ASCII). */
export function isKeyId(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value) && value.length <= keyIdCharactersMax;
}

/** Returns true if an entry holds something that looks like a private key, wherever. */
export function holdsSecret(text: string): boolean {
  return text.length <= entryCharactersMax && holdsPrivateKey(text);
}

/** Examines a public key's text: PEM, or a JWK without `alg`. Yields to other work every few milliseconds. */
export async function readKey(
  text: string,
  claims: KeyClaims,
  policy: PublicKeyPolicy,
): Promise<DirectoryKey | SkipReason> {
  const reading = await readPublicKeyInTurns(text, policy, () => nextLoopTurn('keys'));
  if (!reading.ok) return skipReasons[reading.code];
  const { kind, algorithm, bits, spkiPem } = reading.key;
  const isRsa = kind === 'rsa';
  if (!isRsa && claims.algorithm !== undefined && claims.algorithm !== algorithm)
    return 'algorithm_not_supported';
  const isRsaAlgorithm = claims.algorithm === undefined || rsaAlgorithms.has(claims.algorithm);
  if (isRsa && !isRsaAlgorithm) return 'algorithm_not_supported';
  return {
    ...claims,
    algorithm: isRsa ? claims.algorithm : algorithm,
    thumbprint: thumbprintOfPem(spkiPem),
    fingerprint: keyFingerprint(reading.key),
    spkiPem,
    bits,
  };
}

const rsaAlgorithms: ReadonlySet<MessageAlgorithm> = new Set(['rsa-v1_5-sha256', 'rsa-pss-sha512', 'PS256']);

const skipReasons: Readonly<Record<PublicKeyRefusalCode, SkipReason>> = {
  key_missing: 'malformed',
  key_malformed: 'malformed',
  private_key: 'private_key',
  several_keys: 'malformed',
  not_rsa: 'kind_not_supported',
  pss_only: 'algorithm_not_supported',
  modulus_too_small: 'weak',
  modulus_too_large: 'kind_not_supported',
  exponent_not_allowed: 'weak',
  modulus_weak_small_factor: 'weak',
  modulus_weak_close_primes: 'weak',
  modulus_weak_roca: 'weak',
  modulus_weak_prime: 'weak',
  modulus_even: 'weak',
  published_test_key: 'published_test_key',
};
