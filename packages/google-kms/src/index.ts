/**
 * Signs with keys in Google Cloud KMS.
 *
 * @module
 */
export { type GoogleKmsOptions, openGoogleKms, type RequestHeaders } from './google-kms.ts';
export {
  followKeyName,
  type FollowOptions,
  type KeyStore,
  KeyStoreError,
  type KeyStoreErrorCode,
  type StoredKey,
} from '@countersign/key-store';
