import { openAzureKeyVault } from '@countersign/azure-key-vault';
import { KeyStoreError } from '@countersign/key-store';
import { openPkcs11 } from '@countersign/pkcs11';
import { openVault } from '@countersign/vault';

const answers = { data: { signature: `vault:v1:${Buffer.alloc(256, 1).toString('base64')}` } };
const fetch = async () => new Response(JSON.stringify(answers));
const credential = { getToken: async () => ({ token: 'x', expiresOnTimestamp: 0 }) };

const vault = openVault({ address: 'https://vault.example.com', fetch });
const azure = openAzureKeyVault({ address: 'https://shop.vault.azure.net', credential, fetch });
const token = openPkcs11({ module: '/nowhere/module.so' });
const codeOf = (error) => (error instanceof KeyStoreError ? error.code : String(error));
const bytes = new Uint8Array(3);
console.log(
  JSON.stringify({
    vault: (await vault.openKey('shop:1').sign(bytes)).length,
    azure: await azure
      .openKey(`signing/${'a'.repeat(32)}`)
      .sign(bytes)
      .catch(codeOf),
    // Without node:ffi, or without the module: said, not thrown from an import.
    pkcs11: await token.openKey('pkcs11:id=%01').sign(bytes).catch(codeOf),
  }),
);
await token.close();
