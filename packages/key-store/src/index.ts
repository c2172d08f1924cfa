/**
 * Private keys that stay in a key store. Install the package for your store; this one is for code that works
 * with any of them.
 *
 * @module
 */
export { followKeyName, type FollowOptions } from './follow-key-name.ts';
export type { KeyStore, StoredKey } from './key-store.ts';
export { KeyStoreError, type KeyStoreErrorCode } from './key-store-error.ts';
