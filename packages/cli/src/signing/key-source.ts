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

/** Who signs with the key, and how. */
export interface SignerSettings {
  readonly clientId: string;
  readonly nonce: boolean;
  /** The clock that signatures get their time from. */
  readonly nowMs: () => number;
}

/** Where a client's private keys are: in key files, or in a key store of which key files hold the names. */
export interface KeySource {
  /** What the key file holds, for messages. */
  readonly holds: 'private key' | 'name of the key';
  /**
   * Opens the key that a key file holds or names. Throws a CommandError that contains none of the key.
   *
   * @param file where the text comes from, to be named in errors
   */
  readonly open: (text: string, file: string, settings: SignerSettings) => Promise<OpenSigner>;
  /** Makes a key like the one of a key file, and returns what a key file for it holds. */
  readonly makeLike: (text: string, modulusBits: number | undefined) => Promise<string>;
}

/** Opens the place of the credentials' keys. Throws a CommandError if the key store cannot be used. */
export async function openKeySource(
  { keyStoreFile }: Credentials,
  passphrase: string | undefined,
  io: Io,
): Promise<KeySource> {
  return keyStoreFile === undefined ? filedKeys(passphrase) : storedKeys(keyStoreFile, io);
}
