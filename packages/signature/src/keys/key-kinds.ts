import { type AlgorithmName, algorithms, alternatives } from '../rfc9421/algorithms.ts';
import { type KeyAlgorithm, keyAlgorithms } from '../rfc9421/key-algorithms.ts';
import { type AlgorithmIdentifier, readEncodedPublicKey } from './key-encodings.ts';
import { type EcKeyFacts, p256Keys, p384Keys } from './ec/ec-keys.ts';
import { type Ed25519KeyFacts, ed25519Keys } from './ed25519/ed25519-keys.ts';
import type { KeyReader } from './key-kind.ts';
import type { PublicKeyPolicy } from './public-key-refusal.ts';
import { type RsaKeyFacts, rsaKeys, type RsaPrivateKeyCode } from './rsa/rsa-keys.ts';

/** What is known about a public key of any kind. */
export type AnyKeyFacts = RsaKeyFacts | Ed25519KeyFacts | EcKeyFacts;

/** The reasons for rejecting a private key that depend on its kind. */
export type AnyPrivateKeyCode = RsaPrivateKeyCode;

/** The kinds of keys that can be registered and sign. */
export const keyReaders: readonly KeyReader<AnyKeyFacts>[] = [rsaKeys, ed25519Keys, p256Keys, p384Keys];

/** Returns the kind of an encoded key; undefined for one that is not supported. */
export function readerOf(identifier: AlgorithmIdentifier): KeyReader<AnyKeyFacts> | undefined {
  return keyReaders.find(({ isFor }) => isFor(identifier));
}

/** Returns the algorithm of an encoded public key, which is that of its kind; undefined for a kind that is not supported. */
export function algorithmOfEncodedKey(spkiDer: Uint8Array): AlgorithmName | undefined {
  const encoded = readEncodedPublicKey(spkiDer);
  return encoded && readerOf(encoded)?.algorithm;
}

/**
 * Returns the algorithm of an encoded public key.
 *
 * @param registered the algorithm that it is registered for, if that was recorded
 * @throws TypeError for a kind that is not supported, and for a key that is registered for an algorithm of another kind
 */
export function algorithmOfPublicKey<Registered extends KeyAlgorithm = AlgorithmName>(
  spkiDer: Uint8Array,
  registered?: Registered,
): Registered | AlgorithmName {
  const algorithm = algorithmOfEncodedKey(spkiDer);
  if (algorithm === undefined) throw new TypeError('The bytes are not a public key of a supported kind.');
  if (registered === undefined) return algorithm;
  if (keyAlgorithms[registered].keyKind !== algorithms[algorithm].keyKind)
    throw new TypeError('The key is of another kind than the algorithm that it is registered for.');
  return registered;
}

/** Returns the length of the longest signature by a key of any kind that a policy allows. */
export function longestSignature(policy: PublicKeyPolicy = {}): number {
  return Math.max(...keyReaders.map(({ signatureBytesMax }) => signatureBytesMax(policy)));
}

/** The forms in which a public key may be given, for help. */
export const publicKeyForms: string = `PEM, bare Base64, certificate, JWK, ${alternatives(keyReaders.map(({ ssh }) => ssh.type))} line`;

/** Describes a key to people: `RSA, 3072 bits`. */
export function describeKey(
  { algorithm, bits }: { readonly algorithm: KeyAlgorithm; readonly bits: number },
  formatNumber: (number: number) => string = String,
): string {
  return `${keyAlgorithms[algorithm].keyTitle}, ${formatNumber(bits)} bits`;
}
