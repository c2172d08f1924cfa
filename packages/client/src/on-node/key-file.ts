import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { type AlgorithmName, readPrivateKey, SigningError } from '@countersign/signature';
import type { MessageAlgorithm } from '@countersign/signature/messages';
import { createAsyncBaseSigner, readSigningKey } from '@countersign/signature/node';
import type { KeySource } from '../signing/key-source.ts';
import type { ProfileSign } from '../signing/profile-settings.ts';

export interface KeyFileOptions {
  /** The passphrase of an encrypted key. */
  readonly passphrase?: string | undefined;
  /** The algorithms of keys that can be used. A file with a key for another one changes nothing. Default: all. */
  readonly algorithms?: readonly MessageAlgorithm[] | undefined;
  /** Called when a changed file contains no usable key; the last key stays in use. */
  readonly onError?: ((error: SigningError) => void) | undefined;
}

/** How long the file is assumed to be unchanged. Reading and parsing then still fit into the promised second. */
const checkedEveryMs = 500;

/**
 * A private key in a file: PEM or bare Base64, PKCS#8 or PKCS#1, optionally encrypted with a passphrase.
 * After the file changes, the new key signs within half a second. A file that is incomplete or contains no
 * key changes nothing: the last key stays in use. Nothing runs in the background, so there is nothing to
 * close.
 */
export function followKeyFile(path: string, options: KeyFileOptions = {}): KeySource {
  const { algorithm, ...source } = followKeyFileAs(path, options, createAsyncBaseSigner);
  return { ...source, algorithm: algorithm as () => Promise<AlgorithmName> };
}

/** A key file whose key may sign with an algorithm that only profiles have. */
export interface FollowedFile extends Omit<KeySource, 'algorithm'> {
  readonly algorithm: () => Promise<MessageAlgorithm>;
}

/**
 * Follows a key file whose keys are opened in another way.
 *
 * @param open returns the function that signs with a key of the file
 */
export function followKeyFileAs(path: string, options: KeyFileOptions, open: OpenKeyObject): FollowedFile {
  const file = new FollowedKeyFile(path, options, open);
  return {
    keyId: path,
    sign: async (bytes) => (await file.key()).sign(bytes),
    algorithm: async () => (await file.key()).sign.algorithm!(),
    publicKey: async () =>
      createPublicKey((await file.key()).keyObject).export({ type: 'spki', format: 'pem' }),
  };
}

type OpenKeyObject = (key: KeyObject) => ProfileSign | Promise<ProfileSign>;

/** A key, opened once for all its signatures. */
interface OpenKey {
  readonly keyObject: KeyObject;
  readonly sign: ProfileSign;
}

class FollowedKeyFile {
  readonly #path: string;
  readonly #options: KeyFileOptions;
  readonly #open: OpenKeyObject;
  #key: OpenKey | undefined;
  /** The file whose key is in use, or was rejected. */
  #version = '';
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #checking: Promise<OpenKey> | undefined;

  constructor(path: string, options: KeyFileOptions, open: OpenKeyObject) {
    this.#path = path;
    this.#options = options;
    this.#open = open;
  }

  async key(): Promise<OpenKey> {
    const isFresh = performance.now() - this.#checkedAtMs < checkedEveryMs;
    if (this.#key && isFresh) return this.#key;
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #opened(keyObject: KeyObject): Promise<OpenKey> {
    const sign = await this.#open(keyObject);
    const { algorithms } = this.#options;
    const own = await sign.algorithm?.();
    if (algorithms !== undefined && !algorithms.some((name) => name === own))
      throw new SigningError('private_key_invalid', `the key must be for ${algorithms.join(' or ')}.`);
    return { keyObject, sign };
  }

  async #check(): Promise<OpenKey> {
    try {
      // Taken before reading, so that the next check notices a change in between.
      const version = await versionOf(this.#path);
      if (version !== this.#version || !this.#key) {
        const keyObject = await readKeyFile(this.#path, this.#options.passphrase);
        this.#key = await this.#opened(keyObject);
        this.#version = version;
      }
    } catch (error) {
      const problem = asSigningError(this.#path, error);
      if (!this.#key) throw problem;
      this.#options.onError?.(problem);
    }
    this.#checkedAtMs = performance.now();
    return this.#key;
  }
}

/** Differs if the file was replaced or written, even within one tick of the file system's clock. */
async function versionOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

async function readKeyFile(path: string, passphrase: string | undefined): Promise<KeyObject> {
  const text = await readFile(path, 'utf8');
  if (passphrase === undefined) return readSigningKey(text);
  // Decrypts in the thread pool: a good password hash takes long.
  const reading = await readPrivateKey(text, passphrase);
  if (reading.ok) return readSigningKey(Buffer.from(reading.pkcs8Der).toString('base64'));
  return readSigningKey(text, passphrase);
}

function asSigningError(path: string, error: unknown): SigningError {
  if (error instanceof SigningError) return new SigningError(error.code, `${path}: ${error.message}`);
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return new SigningError('private_key_invalid', `The private key ${path} cannot be read (${code}).`, {
    cause: error,
  });
}
