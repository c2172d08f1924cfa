/**
 * Signs with keys in AWS KMS.
 *
 * @module
 */
export { type AwsKmsOptions, openAwsKms } from './aws-kms.ts';
export {
  followKeyName,
  type FollowOptions,
  type KeyStore,
  KeyStoreError,
  type KeyStoreErrorCode,
  type StoredKey,
} from '@countersign/key-store';
