import type { Signer } from '@countersign/signature';
import type { Io } from '../terminal/io.ts';
import type { Credentials } from './credentials.ts';
import { filedKeys } from './filed-keys.ts';
import { storedKeys } from './stored-keys.ts';

/** A key that is ready to sign. */
export interface OpenSigner {
  /** Rejects with a CommandError when a key store fails. */
  readonly signer: Signer;
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
