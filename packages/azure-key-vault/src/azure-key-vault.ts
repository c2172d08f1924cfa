import { type KeyStore, KeyStoreError, type StoredKey } from '@countersign/key-store';
import {
  decodeBase64,
  type JsonObject,
  objectOf,
  optionsInvalid,
  publicKeyPem,
  type Refused,
  sha256Of,
  signatureOf,
  type StoreCall,
  StoreConnection,
  type StoreConnectionOptions,
  visibleText,
} from '@countersign/key-store/building';
import { AccessTokens, type AzureCredential } from './access-tokens.ts';

export type { AzureCredential } from './access-tokens.ts';

export interface AzureKeyVaultOptions extends StoreConnectionOptions {
  /** The vault or the managed HSM, such as `https://shop.vault.azure.net`. */
  readonly address: string;
  /** The source of access tokens, such as a `DefaultAzureCredential` of `@azure/identity`. */
  readonly credential: AzureCredential;
  /** The scope of tokens. Default: derived from the address, such as `https://vault.azure.net/.default`. */
  readonly scope?: string | undefined;
}

/**
 * Opens an Azure Key Vault or a Managed HSM. Keys are named `NAME/VERSION`, the end of Azure's key identifier.
 *
 * @throws KeyStoreError for invalid options
 *
 * @example
 * const store = openAzureKeyVault({ address: 'https://shop.vault.azure.net', credential: new DefaultAzureCredential() });
 * const key = store.openKey('signing/9885aa558e8d448789683188f8c194b0');
 */
export function openAzureKeyVault(options: AzureKeyVaultOptions): KeyStore {
  const { ask, readKeyName } = openVault(options);

  function openKey(keyId: string): StoredKey {
    checkKeyId(keyId);
    return {
      keyId,
      sign: async (bytes) => {
        const body = { alg: 'RS256', value: sha256Of(bytes).toString('base64url') };
        const call = { keyId, method: 'POST', path: `${keyId}/sign`, body, isRepeatable: true } as const;
        const answer = await ask(call);
        checkSame(readKeyName(answer['kid']), keyId);
        return signatureOf(decodeBase64(answer['value'], 'base64url', storeName), storeName);
      },
      publicKey: async () => {
        const answer = await ask({ keyId, method: 'GET', path: keyId, isRepeatable: true });
        const key = objectOf(answer['key']);
        checkSame(readKeyName(key['kid']), keyId);
        return readPublicKey(key, keyId);
      },
    };
  }

  async function createKey(likeKeyId: string): Promise<StoredKey> {
    checkKeyId(likeKeyId);
    const [name = ''] = likeKeyId.split('/');
    const call = { method: 'POST', path: `${name}/rotate`, body: {}, isRepeatable: false } as const;
    const answer = await ask({ keyId: likeKeyId, ...call });
    const made = readKeyName(objectOf(answer['key'])['kid']);
    if (made === undefined || !made.startsWith(`${name}/`) || made === likeKeyId)
      throw new KeyStoreError(
        'answer_invalid',
        `${storeName} did not say which version of ${name} it has made.`,
      );
    return openKey(made);
  }

  return { openKey, createKey, close: async () => undefined };
}

const storeName = 'Azure Key Vault';
const apiVersion = '7.4';

/** Azure's limits on names; versions have 32 hexadecimal digits. */
const keyIdPattern = /^[0-9A-Za-z-]{1,127}\/[0-9a-f]{32}$/;

function checkKeyId(keyId: string): void {
  if (typeof keyId === 'string' && keyIdPattern.test(keyId)) return;
  throw optionsInvalid(
    'A key in Azure Key Vault is named NAME/VERSION, such as "signing/9885aa558e8d448789683188f8c194b0". The version is needed: the newest one may not be registered yet.',
  );
}

interface OpenVault {
  /** Calls an operation on keys, with a path below `/keys/`. */
  readonly ask: (call: Omit<StoreCall, 'headers' | 'refused'>) => Promise<JsonObject>;
  /** Returns the name and version in a key identifier that belongs to this vault. */
  readonly readKeyName: (kid: unknown) => string | undefined;
}

function openVault(options: AzureKeyVaultOptions): OpenVault {
  const { address, credential, scope } = options;
  const connection = new StoreConnection(storeName, address, options);
  const tokens = new AccessTokens(credential, scope ?? scopeOf(address));
  const keys = `${new URL(address).origin}/keys/`;

  async function headers(signal: AbortSignal): Promise<Record<string, string>> {
    return { Authorization: `Bearer ${await tokens.current(signal)}` };
  }

  function refused(status: number, body: JsonObject): Refused {
    if (status === 401) tokens.forget();
    return interpret(status, body);
  }

  return {
    ask: (call) =>
      connection.send({ ...call, path: `/keys/${call.path}?api-version=${apiVersion}`, headers, refused }),
    readKeyName: (kid) =>
      typeof kid === 'string' && kid.toLowerCase().startsWith(keys) ? kid.slice(keys.length) : undefined,
  };
}

function interpret(status: number, body: JsonObject): Refused {
  const { message: text, innererror } = objectOf(body['error']);
  const inner = objectOf(innererror)['code'];
  if (status === 404) return { code: 'key_not_found', text };
  // Azure responds with 401 when permissions have changed and it needs a fresh token, so retry.
  if (status === 401) return { code: 'access_denied', text, isTransient: true };
  if (status === 403)
    return {
      code: /^Key(Disabled|Expired|NotYetValid)$/.test(String(inner)) ? 'key_unusable' : 'access_denied',
      text,
    };
  if (status === 429) return { code: 'throttled', text };
  if (status >= 500 || status === 408) return { code: 'store_unavailable', text };
  return { code: 'key_unusable', text };
}

function checkSame(answered: string | undefined, keyId: string): void {
  if (answered !== keyId)
    throw new KeyStoreError('answer_invalid', `${storeName} answered for another key than ${keyId}.`);
}

function readPublicKey({ kty, n, e, key_ops: operations }: JsonObject, keyId: string): string {
  if (kty !== 'RSA' && kty !== 'RSA-HSM')
    throw new KeyStoreError('key_unusable', `The key ${keyId} is of the type ${visibleText(kty)}, not RSA.`);
  if (Array.isArray(operations) && !operations.includes('sign'))
    throw new KeyStoreError('key_unusable', `The key ${keyId} may not be used to sign.`);
  const numbers = {
    modulus: decodeBase64(n, 'base64url', storeName),
    exponent: decodeBase64(e, 'base64url', storeName),
  };
  return publicKeyPem(numbers, keyId);
}

/** Vaults and managed HSMs of all clouds: the name of the vault, then the scope of its tokens. */
function scopeOf(address: string): string {
  const { hostname } = new URL(address);
  const [, resource] =
    /^[0-9a-z-]+\.((?:vault|managedhsm)\.(?:azure\.net|azure\.cn|usgovcloudapi\.net))$/.exec(hostname) ?? [];
  if (resource !== undefined) return `https://${resource}/.default`;
  throw optionsInvalid(
    'The address is none of Azure Key Vault, such as https://shop.vault.azure.net. For another one, set scope too.',
  );
}
