/**
 * Keeps the private key of a browser in IndexedDB, as a CryptoKey that cannot be exported: scripts of the
 * page can sign with it, but nothing can read it.
 *
 * @module
 */
import { encodeBase64, generateKeyPair } from '@countersign/signature';
import { defaultProfile } from '@countersign/signature/profile';
import type { KeySource } from './signing/key-source.ts';

const { algorithm } = defaultProfile;

const storeName = 'keys';

export interface StoredKeyOptions {
  /** The database. Default: `countersign`. */
  readonly database?: string | undefined;
}

/**
 * Opens the key of this name, or creates it if there is none. Register its `publicKey()`, then pass it as
 * `privateKey`. Concurrent calls, even from several tabs, get the same key.
 *
 * @example
 * const key = await openStoredKey('shop');
 * const fetch = signingFetch({ clientId: 'client_…', privateKey: key, coverDate: false });
 */
export async function openStoredKey(name: string, options: StoredKeyOptions = {}): Promise<KeySource> {
  const database = await openDatabase(options.database ?? 'countersign');
  try {
    const found = await read(database, name);
    return sourceOf(name, found ?? (await keep(database, name, await generatePair())));
  } finally {
    database.close();
  }
}

/** Replaces the key of this name with a new one, for rollover. Register the new public key before you use it. */
export async function replaceStoredKey(name: string, options: StoredKeyOptions = {}): Promise<KeySource> {
  const database = await openDatabase(options.database ?? 'countersign');
  try {
    const pair = await generatePair();
    await done(database.transaction(storeName, 'readwrite').objectStore(storeName).put(pair, name));
    return sourceOf(name, pair);
  } finally {
    database.close();
  }
}

/** Deletes the key of this name. It can never sign again. */
export async function deleteStoredKey(name: string, options: StoredKeyOptions = {}): Promise<void> {
  const database = await openDatabase(options.database ?? 'countersign');
  try {
    await done(database.transaction(storeName, 'readwrite').objectStore(storeName).delete(name));
  } finally {
    database.close();
  }
}

function generatePair(): Promise<CryptoKeyPair> {
  return generateKeyPair(algorithm, { bits: 3072, isExtractable: false }) as Promise<CryptoKeyPair>;
}

function sourceOf(name: string, { privateKey, publicKey }: CryptoKeyPair): KeySource {
  return {
    keyId: name,
    sign: async (bytes) =>
      new Uint8Array(
        await crypto.subtle.sign(algorithm.webCrypto.name, privateKey, bytes as Uint8Array<ArrayBuffer>),
      ),
    publicKey: async () => {
      const spki = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey));
      const lines = encodeBase64(spki).replace(/.{1,64}/g, '$&\n');
      return `-----BEGIN PUBLIC KEY-----\n${lines}-----END PUBLIC KEY-----\n`;
    },
  };
}

/** Opens the database. Other versions of this library may add stores, so this requests no specific version. */
function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName));
  return done(request);
}

function read(database: IDBDatabase, name: string): Promise<CryptoKeyPair | undefined> {
  const store = database.transaction(storeName, 'readonly').objectStore(storeName);
  return done(store.get(name) as IDBRequest<CryptoKeyPair | undefined>);
}

/** Stores the pair, or returns the pair that another caller stored first: write transactions run one at a time. */
async function keep(database: IDBDatabase, name: string, pair: CryptoKeyPair): Promise<CryptoKeyPair> {
  const store = database.transaction(storeName, 'readwrite').objectStore(storeName);
  const found = await done(store.get(name) as IDBRequest<CryptoKeyPair | undefined>);
  if (found !== undefined) return found;
  await done(store.put(pair, name));
  return pair;
}

function done<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a DOMException, which is an Error
    request.addEventListener('error', () => reject(request.error));
  });
}
