import { keyTitles } from '../rfc9421/algorithms.ts';
import { createKeyCommand } from './create-key-command.ts';

/** Exceptions from a verifier's default limits. */
export interface PublicKeyPolicy {
  /** The largest modulus, in bits. Defaults to 4096; values above 8192 count as 8192. */
  readonly modulusBitsMax?: number;
  /** Accepts test keys whose private half is published. Never use it in production: anyone can sign with them. */
  readonly allowPublishedTestKeys?: boolean;
}

/** Accepts keys of every size that some service may accept. */
export const everyKeySize: PublicKeyPolicy = { modulusBitsMax: 8192 };

/** The rejection of a text as a public key. */
export interface PublicKeyRefusal {
  readonly ok: false;
  readonly code: PublicKeyRefusalCode;
  /** Says what is wrong and what to do, in one or two sentences. Never contains any of the text. */
  readonly message: string;
}

/** The reason why a text is rejected. `not_rsa` stands for every kind of key that is not supported. */
export type PublicKeyRefusalCode =
  | 'key_missing'
  | 'key_malformed'
  | 'private_key'
  | 'several_keys'
  | 'not_rsa'
  | 'pss_only'
  | 'modulus_too_small'
  | 'modulus_too_large'
  | 'exponent_not_allowed'
  | 'modulus_weak_small_factor'
  | 'modulus_weak_close_primes'
  | 'modulus_weak_roca'
  | 'modulus_weak_prime'
  | 'modulus_even'
  | 'published_test_key';

/** A reason that any kind of key can have. */
type GeneralCode =
  | 'key_missing'
  | 'key_malformed'
  | 'private_key'
  | 'several_keys'
  | 'not_rsa'
  | 'published_test_key';

/** The default message for each code about any kind of key. */
const messages: Readonly<Record<GeneralCode, string>> = {
  key_missing: 'There is no key in the text.',
  key_malformed: 'The key is damaged or incomplete. Copy the whole key again.',
  private_key:
    'This is a private key, or contains one. If it has left the machine it was created on, treat it as compromised and ' +
    'create a new one. Send only the public key: openssl pkey -in private.pem -pubout',
  several_keys: 'The text contains more than one key. Send exactly one.',
  not_rsa: `The key is not an ${keyTitles} key. Create one: ${createKeyCommand}`,
  published_test_key: `This is a test key, and its private key is public. Create your own: ${createKeyCommand}`,
};

/** Rejects a key for a reason that any kind of key can have. */
export function refuseKey(code: GeneralCode, message: string = messages[code]): PublicKeyRefusal {
  return { ok: false, code, message };
}

/** Rejects a key of a kind that is not supported. */
export function refuseKind(message?: string): PublicKeyRefusal {
  return refuseKey('not_rsa', message);
}
