import { FollowedFile } from './followed-file.ts';
import type { KeyStore, StoredKey } from './key-store.ts';
import { KeyStoreError } from './key-store-error.ts';

export interface FollowOptions {
  /** Called when a changed file names no usable key; the last key stays in use. */
  readonly onError?: ((error: KeyStoreError) => void) | undefined;
}

/**
 * Returns the key whose `keyId` is in a file. After the file is replaced, signatures use the newly named key
 * within half a second, so programs change keys without a restart. A file that is unreadable, or names no
 * key, changes nothing.
 *
 * @example
 * const key = await followKeyName('key-name', store);
 */
export async function followKeyName(
  file: string,
  store: Pick<KeyStore, 'openKey'>,
  options: FollowOptions = {},
): Promise<StoredKey> {
  const followed = new FollowedFile(file);
  let current = await open();
  /** The text that was reported, so that it is reported only once. */
  let reported = '';

  async function open(): Promise<StoredKey> {
    let keyId: string;
    try {
      keyId = await followed.text();
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new KeyStoreError(
        'options_invalid',
        `The file ${file} with the name of the key cannot be read (${code}).`,
      );
    }
    return store.openKey(keyId);
  }

  async function present(): Promise<StoredKey> {
    try {
      const keyId = await followed.text();
      if (keyId !== current.keyId) current = store.openKey(keyId);
      reported = '';
    } catch (error) {
      const problem =
        error instanceof KeyStoreError
          ? error
          : new KeyStoreError(
              'options_invalid',
              `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
            );
      if (reported !== problem.message) options.onError?.(problem);
      reported = problem.message;
    }
    return current;
  }

  return {
    get keyId() {
      return current.keyId;
    },
    sign: async (bytes) => (await present()).sign(bytes),
    publicKey: async () => (await present()).publicKey(),
  };
}
