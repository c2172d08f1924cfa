/**
 * Signs with keys in the transit engine of HashiCorp Vault or OpenBao.
 *
 * @module
 */
export { openVault, type VaultOptions } from './vault.ts';
export {
  followKeyName,
  type FollowOptions,
  type KeyStore,
  KeyStoreError,
  type KeyStoreErrorCode,
  type StoredKey,
} from '@countersign/key-store';
