/**
 * Signs with keys in an HSM, a token or a smart card, over PKCS#11.
 *
 * @module
 */
export { openPkcs11, type Pkcs11Options } from './pkcs11.ts';
export {
  followKeyName,
  type FollowOptions,
  type KeyStore,
  KeyStoreError,
  type KeyStoreErrorCode,
  type StoredKey,
} from '@countersign/key-store';
