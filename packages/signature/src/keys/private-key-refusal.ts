import { keyTitles } from '../rfc9421/algorithms.ts';
import { createKeyCommand } from './create-key-command.ts';

/** The rejection of a text as a private key. */
export interface PrivateKeyRefusal {
  readonly ok: false;
  readonly code: PrivateKeyRefusalCode;
  /** Says what is wrong and what to do, in one or two sentences. Never contains any of the text or the passphrase. */
  readonly message: string;
}

/** The reason why a text is rejected. `not_rsa` stands for every kind of key that is not supported. */
export type PrivateKeyRefusalCode =
  | 'key_missing'
  | 'key_malformed'
  | 'several_keys'
  | 'public_key'
  | 'private_key_encrypted'
  | 'passphrase_wrong'
  | 'encryption_not_supported'
  | 'format_not_supported'
  | 'not_rsa'
  | 'pss_only'
  | 'modulus_too_small'
  | 'modulus_too_large'
  | 'exponent_not_allowed';

/** A way to read the encryptions that are not supported. */
export const convertAdvice = 'Convert the key: openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem';

/** The default message for each code. */
const messages: Readonly<Record<PrivateKeyRefusalCode, string>> = {
  key_missing: 'There is no key in the text.',
  key_malformed: 'The private key is damaged or incomplete. Use the whole key file.',
  several_keys: 'The text contains more than one key. Use exactly one private key.',
  public_key: 'This is a public key, which cannot sign. Use the private key instead.',
  private_key_encrypted: 'The private key is encrypted. Provide its passphrase.',
  passphrase_wrong: 'The passphrase is wrong, or the private key is damaged.',
  encryption_not_supported: `The private key's encryption is not supported. ${convertAdvice}`,
  format_not_supported: "The private key's format is not supported. Convert the key to PKCS#8.",
  not_rsa: `The private key is not an ${keyTitles} key. Create one: ${createKeyCommand}`,
  pss_only:
    'The private key is restricted to RSA-PSS, but requests are signed with PKCS#1 v1.5. Create a key without the ' +
    `restriction: ${createKeyCommand}`,
  modulus_too_small: `The private key has fewer than 2048 bits. Create a new one: ${createKeyCommand}`,
  modulus_too_large: `The private key has more than 8192 bits. Create a new one: ${createKeyCommand}`,
  exponent_not_allowed: `The private key's public exponent is not 65537. Create a new key: ${createKeyCommand}`,
};

export function refusePrivateKey(
  code: PrivateKeyRefusalCode,
  message: string = messages[code],
): PrivateKeyRefusal {
  return { ok: false, code, message };
}

/** Rejects a key of a kind that is not supported. */
export function refusePrivateKind(): PrivateKeyRefusal {
  return refusePrivateKey('not_rsa');
}
