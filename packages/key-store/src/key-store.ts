/**
 * A private key that stays in its store. `@countersign/client` takes it as `privateKey`, and the asynchronous
 * signer of `@countersign/signature` takes its `sign`.
 */
export interface StoredKey {
  /**
   * The key's name in its store, including the version, such as `shop:3` or an ARN. Never a secret: it
   * appears in messages, and `openKey` takes it.
   */
  readonly keyId: string;
  /**
   * Signs bytes with the algorithm that the service has for the key's kind. Give it the message, not a hash. May be
   * called concurrently. Rejects with a KeyStoreError.
   */
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
  /** Returns the public half as SPKI PEM, to register it. Rejects with a KeyStoreError. */
  readonly publicKey: () => Promise<string>;
}

/** An open key store: everything a program needs to sign with its keys and to replace them. */
export interface KeyStore {
  /**
   * Returns a key by its `keyId`. Does not contact the store yet: `sign` and `publicKey` reject if there is
   * no such key. Throws a KeyStoreError if the name is not valid for a key.
   */
  readonly openKey: (keyId: string) => StoredKey;
  /**
   * Creates a new key of the same kind and size as an existing one, and returns it. It is unused until its
   * public half is registered and programs get its `keyId`. Never retried once the store may have received
   * the call, so a failure can leave an unused key behind.
   */
  readonly createKey: (likeKeyId: string) => Promise<StoredKey>;
  /** Releases connections, sessions and threads. Pending signatures complete first. */
  readonly close: () => Promise<void>;
}
