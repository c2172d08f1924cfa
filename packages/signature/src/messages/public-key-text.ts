import { wrongType } from '../arguments/check-argument.ts';
import { readPublicKey } from '../keys/public-key.ts';
import { unrestrictedPublicKey } from '../keys/pss-only-keys.ts';
import { algOfRsaJwk, withAlgOfClients } from '../keys/rsa-jwk.ts';
import type { PublicKeyPolicy } from '../keys/public-key-refusal.ts';
import { type AlgorithmName, algorithms } from '../rfc9421/algorithms.ts';
import {
  algorithmForKey,
  algorithmOfJwk,
  type MessageAlgorithm,
  messageAlgorithms,
  type MessageKeyOptions,
} from './algorithms.ts';

/** A JSON Web Key (RFC 7517), as a parsed object. */
export interface JsonWebKeyObject {
  readonly kty?: unknown;
  readonly alg?: unknown;
  readonly [member: string]: unknown;
}

/** A public key that was examined, and the only algorithm that it is used with. */
export interface ExaminedKey {
  readonly spkiDer: Uint8Array<ArrayBuffer>;
  readonly algorithm: MessageAlgorithm;
}

/** A public key that was examined, for any algorithm of its kind. */
export interface ExaminedPublicKey {
  readonly spkiDer: Uint8Array<ArrayBuffer>;
  /** The algorithm that clients' keys of this kind have in the service. */
  readonly kind: AlgorithmName;
  /** The algorithm that its JWK names. */
  readonly named: MessageAlgorithm | undefined;
  /** True for an RSA key that says that it is for RSASSA-PSS alone. */
  readonly isForPss: boolean;
}

/**
 * Reads and examines a public key's text, or a JWK: the same rules as for clients' keys, so weak keys are rejected.
 *
 * @throws TypeError that says what is wrong with the key
 */
export function examinePublicKey(
  key: string | JsonWebKeyObject,
  policy: PublicKeyPolicy = {},
): ExaminedPublicKey {
  const text = typeof key === 'object' && key !== null ? JSON.stringify(key) : key;
  if (typeof text !== 'string') throw wrongType('key', text, 'the text of a public key, or a JWK');
  const alg = algOfRsaJwk(text);
  const named = alg === undefined ? undefined : algorithmOfJwk(alg);
  const unrestricted = unrestrictedPublicKey(text);
  const usable = alg === undefined ? (unrestricted ?? text) : withAlgOfClients(text);
  const reading = readPublicKey(usable, policy);
  if (!reading.ok)
    throw new TypeError(
      reading.code === 'pss_only'
        ? 'The key is restricted to RSASSA-PSS with a hash function or a salt of its own. Use a key without these restrictions.'
        : reading.message,
    );
  return {
    spkiDer: new Uint8Array(reading.key.spkiDer),
    kind: reading.key.algorithm,
    named,
    isForPss: unrestricted !== undefined,
  };
}

/** Does the same, and determines the only algorithm that the key is used with. */
export function examineKey(key: string | JsonWebKeyObject, options: MessageKeyOptions): ExaminedKey {
  const { spkiDer, kind, named, isForPss } = examinePublicKey(key, options);
  if (named !== undefined && options.algorithm !== undefined && named !== options.algorithm)
    throw new TypeError(`The JWK is for ${named}, not for ${options.algorithm}.`);
  const algorithm = algorithmForKey(algorithms[kind].keyKind, named ?? options.algorithm);
  if (isForPss) checkPss(algorithm);
  return { spkiDer, algorithm };
}

/** @throws TypeError for an algorithm other than RSASSA-PSS */
export function checkPss(algorithm: MessageAlgorithm): void {
  if (messageAlgorithms[algorithm].saltBytes === undefined)
    throw new TypeError(`The key is for RSASSA-PSS, not for ${algorithm}.`);
}
