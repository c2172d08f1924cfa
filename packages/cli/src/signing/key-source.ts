import type { RequestToSign, SignedRequest, SigningTime } from '@countersign/signature';
import type { Io } from '../terminal/io.ts';
import type { Credentials } from './credentials.ts';
import { filedKeys } from './filed-keys.ts';
import type { ProfileSettings } from './profile-signer.ts';
import { storedKeys } from './stored-keys.ts';

/** A request to sign, with its other headers, of which profiles cover some. */
export interface RequestOfCommand extends RequestToSign {
  /** Returns the value of the header with this name, in lower case. */
  readonly header?: ((name: string) => string | undefined) | undefined;
}

/** Signs requests, by whichever profile. */
export interface CommandSigner {
  readonly keyid: string;
  /** Rejects with SigningError, and with a CommandError when a key store fails. */
  sign(request: RequestOfCommand, time?: SigningTime): Promise<SignedRequest>;
}

/** A key that is ready to sign. */
export interface OpenSigner {
  readonly signer: CommandSigner;
  /**
   * The headers that a signer by another profile sets, in lower case; it finds its own seconds. Undefined for the service's own
   * profile.
   */
  readonly profileHeaders?: readonly string[] | undefined;
  /** The public key's fingerprint, to compare with the registered one. Takes about 50 ms the first time. */
  readonly fingerprint: () => string | undefined;
  readonly publicKeyPem: () => string;
}

/** The signer's credentials and options. */
export interface SignerSettings {
  readonly clientId: string;
  readonly nonce: boolean;
  /** The clock for the time of signatures. */
  readonly nowMs: () => number;
  /** Undefined for the service's own profile. */
  readonly profile?: ProfileSettings | undefined;
}

/** The place of a client's private keys: key files, or a key store whose key names are in key files. */
export interface KeySource {
  /** The kind of content of the key file, for messages. */
  readonly holds: 'private key' | 'name of the key';
  /**
   * Opens the key that a key file contains or names. Throws a CommandError that contains none of the key.
   *
   * @param file the source of the text, for errors
   */
  readonly open: (text: string, file: string, settings: SignerSettings) => Promise<OpenSigner>;
  /** Creates a key like the one of a key file, and returns the content for its key file. */
  readonly makeLike: (text: string, bits: number | undefined) => Promise<string>;
}

/** Opens the place of the credentials' keys. Throws a CommandError if the key store cannot be used. */
export async function openKeySource(
  { keyStoreFile }: Credentials,
  passphrase: string | undefined,
  io: Io,
): Promise<KeySource> {
  return keyStoreFile === undefined ? filedKeys(passphrase) : storedKeys(keyStoreFile, io);
}
