import { openAzureKeyVault } from '@countersign/azure-key-vault';
import { openPkcs11 } from '@countersign/pkcs11';
import { createSigner } from '@countersign/signature';
import { followKeyName, type KeyStore, KeyStoreError, openVault, type StoredKey } from '@countersign/vault';

const stores: readonly KeyStore[] = [
  openVault({ address: 'https://vault.example.com:8200', token: undefined }),
  openPkcs11({ module: '/usr/lib/module.so', sessions: 1 }),
  openAzureKeyVault({
    address: 'https://shop.vault.azure.net',
    credential: { getToken: async () => ({ token: 'x', expiresOnTimestamp: 0 }) },
  }),
];
export const key: StoredKey = stores[0]!.openKey('shop:1');
export const followed: Promise<StoredKey> = followKeyName('key-name', stores[0]!);
await createSigner({ keyid: 'shop', privateKey: key.sign });
export const codeOf = (error: unknown): string => (error instanceof KeyStoreError ? error.code : '');

// @ts-expect-error an address is needed
openVault({ token: 'x' });
