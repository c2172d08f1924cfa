/**
 * Signs with keys in Azure Key Vault or an Azure Managed HSM.
 *
 * @module
 */
export { type AzureCredential, type AzureKeyVaultOptions, openAzureKeyVault } from './azure-key-vault.ts';
export {
  followKeyName,
  type FollowOptions,
  type KeyStore,
  KeyStoreError,
  type KeyStoreErrorCode,
  type StoredKey,
} from '@countersign/key-store';
