import { keyTitles } from '../rfc9421/algorithms.ts';
import { createKeyCommand } from './create-key-command.ts';
import type { AnyPrivateKeyCode } from './key-kinds.ts';

/** The rejection of a text as a private key. */
export interface PrivateKeyRefusal {
  readonly ok: false;
  readonly code: PrivateKeyRefusalCode;
  /** Says what is wrong and what to do, in one or two sentences. Never contains any of the text or the passphrase. */
  readonly message: string;
}

/** The reason why a text is rejected. */
export type PrivateKeyRefusalCode = GeneralCode | AnyPrivateKeyCode;

/** A reason that any kind of key can have. `not_rsa` stands for every kind that is not supported. */
type GeneralCode =
  | 'key_missing'
  | 'key_malformed'
  | 'several_keys'
  | 'public_key'
  | 'private_key_encrypted'
  | 'passphrase_wrong'
  | 'encryption_not_supported'
  | 'format_not_supported'
  | 'not_rsa';

/** A way to read the encryptions that are not supported. */
export const convertAdvice = 'Convert the key: openssl pkcs8 -topk8 -v2 aes-256-cbc -in old.pem -out new.pem';

/** The default message for each code about any kind of key. */
const messages: Readonly<Record<GeneralCode, string>> = {
  key_missing: 'There is no key in the text.',
  key_malformed: 'The private key is damaged or incomplete. Use the whole key file.',
  several_keys: 'The text contains more than one key. Use exactly one private key.',
  public_key: 'This is a public key, which cannot sign. Use the private key instead.',
  private_key_encrypted: 'The private key is encrypted. Provide its passphrase.',
  passphrase_wrong: 'The passphrase is wrong, or the private key is damaged.',
  encryption_not_supported: `The private key's encryption is not supported. ${convertAdvice}`,
  format_not_supported: "The private key's format is not supported. Convert the key to PKCS#8.",
  not_rsa: `The private key is not an ${keyTitles} key. Create one: ${createKeyCommand}`,
};

/** Rejects a key for a reason that any kind of key can have. */
export function refusePrivateKey(code: GeneralCode, message: string = messages[code]): PrivateKeyRefusal {
  return { ok: false, code, message };
}

/** Rejects a key of a kind that is not supported. */
export function refusePrivateKind(): PrivateKeyRefusal {
  return refusePrivateKey('not_rsa');
}
