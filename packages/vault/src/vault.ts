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
} from '@countersign/key-store/building';
import { openToken, type TokenOptions } from './token.ts';

export interface VaultOptions extends StoreConnectionOptions, TokenOptions {
  /** Vault's address, such as `https://vault.example.com:8200`, or a Vault agent on `http://127.0.0.1:8100`. */
  readonly address: string;
  /** The path of the transit engine. Default: `transit`. */
  readonly mount?: string | undefined;
  /** The namespace, for Vault Enterprise and OpenBao. */
  readonly namespace?: string | undefined;
}

/**
 * Opens the transit engine of Vault or OpenBao. Keys are named `NAME:VERSION`, such as `shop:3`: the version
 * is part of the name, because a newer one is rejected until it is registered.
 *
 * @throws KeyStoreError for invalid options
 *
 * @example
 * const store = openVault({ address: 'https://vault.example.com:8200', tokenFile: '/run/vault/token' });
 * const key = store.openKey('shop:3');
 */
export function openVault(options: VaultOptions): KeyStore {
  const ask = openEngine(options);

  function openKey(keyId: string): StoredKey {
    const key = readKeyId(keyId);
    return {
      keyId,
      sign: async (bytes) => {
        const body = {
          input: sha256Of(bytes).toString('base64'),
          prehashed: true,
          hash_algorithm: 'sha2-256',
          // Without it, Vault signs with PSS.
          signature_algorithm: 'pkcs1v15',
          key_version: key.version,
        };
        const data = await ask({ keyId, method: 'POST', path: `sign/${key.name}`, body, isRepeatable: true });
        return readSignature(data['signature'], key);
      },
      publicKey: async () => readPublicKey(await readKey(keyId), key),
    };
  }

  function readKey(keyId: string): Promise<JsonObject> {
    return ask({ keyId, method: 'GET', path: `keys/${readKeyId(keyId).name}`, isRepeatable: true });
  }

  async function createKey(likeKeyId: string): Promise<StoredKey> {
    const { name } = readKeyId(likeKeyId);
    const path = `keys/${name}/rotate`;
    const made = await ask({ keyId: likeKeyId, method: 'POST', path, body: {}, isRepeatable: false });
    // Before version 1.14, Vault does not report the version that it created.
    const version = (made['latest_version'] === undefined ? await readKey(likeKeyId) : made)[
      'latest_version'
    ];
    if (!Number.isInteger(version))
      throw new KeyStoreError('answer_invalid', `Vault did not say which version of ${name} it has made.`);
    return openKey(`${name}:${Number(version)}`);
  }

  return { openKey, createKey, close: async () => undefined };
}

/** Calls the transit engine, with a path below its mount. Returns the member `data` of the response. */
type AskEngine = (call: Omit<StoreCall, 'headers' | 'refused'>) => Promise<JsonObject>;

function openEngine(options: VaultOptions): AskEngine {
  const { namespace } = options;
  const mount = checkedPath(options.mount ?? 'transit', 'mount');
  if (namespace !== undefined) checkedPath(namespace, 'namespace');
  const connection = new StoreConnection(storeName, options.address, options);
  const token = openToken(options);

  async function headers(): Promise<Record<string, string>> {
    const value = await token.value();
    return {
      // A Vault agent can require this header, so that no web page makes requests through it.
      'X-Vault-Request': 'true',
      ...(namespace !== undefined && { 'X-Vault-Namespace': namespace }),
      ...(value !== undefined && { 'X-Vault-Token': value }),
    };
  }

  return async (call) => {
    const send = (): Promise<JsonObject> =>
      connection.send({ ...call, path: `/v1/${mount}/${call.path}`, headers, refused });
    try {
      return objectOf((await send())['data']);
    } catch (error) {
      // The token may have expired, and its successor may already be in the file.
      const isDenied = error instanceof KeyStoreError && error.code === 'access_denied';
      if (!isDenied || !(await token.hasChanged())) throw error;
      return objectOf((await send())['data']);
    }
  };
}

const storeName = 'Vault';

interface KeyVersion {
  readonly name: string;
  readonly version: number;
}

function readKeyId(keyId: string): KeyVersion {
  const [, name, version] = /^([A-Za-z0-9](?:[\w.-]*\w)?):([1-9]\d{0,8})$/.exec(keyId) ?? [];
  if (name !== undefined && version !== undefined) return { name, version: Number(version) };
  throw optionsInvalid(
    'A key in Vault is named NAME:VERSION, such as "shop:3". The version is needed: the newest one may not be registered yet.',
  );
}

/** Vault writes `vault:v3:` in front of a signature, and another mount or a fork may write another word. */
function readSignature(text: unknown, { name, version }: KeyVersion): Uint8Array {
  const [, signedBy, base64] = /^[^:]+:v(\d+):([^:]+)$/.exec(typeof text === 'string' ? text : '') ?? [];
  if (base64 === undefined)
    throw new KeyStoreError('answer_invalid', 'Vault returned no signature of the form vault:v1:….');
  if (Number(signedBy) !== version) {
    throw new KeyStoreError(
      'answer_invalid',
      `Vault signed with version ${signedBy} of ${name} instead of version ${version}.`,
    );
  }
  return signatureOf(decodeBase64(base64, 'base64', storeName), storeName);
}

function readPublicKey(data: JsonObject, { name, version }: KeyVersion): string {
  const type = typeof data['type'] === 'string' ? data['type'] : 'of an unknown type';
  if (!type.startsWith('rsa-'))
    throw new KeyStoreError('key_unusable', `The key ${name} is ${type}; create one with type=rsa-3072.`);
  const found = objectOf(objectOf(data['keys'])[version]);
  const pem = found['public_key'];
  if (typeof pem === 'string') return publicKeyPem(pem, `${name}:${version}`);
  throw new KeyStoreError(
    'key_not_found',
    `Vault has no version ${version} of ${name}; the newest is ${String(Number(data['latest_version']))}.`,
  );
}

function refused(status: number, body: JsonObject): Refused {
  const errors = Array.isArray(body['errors']) ? body['errors'] : [];
  const text = errors.filter((each) => typeof each === 'string').join('; ');
  // Only the text distinguishes these from other mistakes, and from failures of Vault itself.
  const isMissing = /key not found|no such key version|higher than the latest key version/.test(text);
  if (isMissing) return { code: 'key_not_found', text };
  if (text.startsWith('requested version for signing ')) return { code: 'key_unusable', text };
  if (status === 404)
    return { code: 'key_not_found', text: text || 'no such key, or no transit engine at this path' };
  if (status === 403 || status === 401) return { code: 'access_denied', text };
  if (status === 429) return { code: 'throttled', text };
  // 412: a standby does not have the last change yet.
  if (status === 412 || status >= 500) return { code: 'store_unavailable', text };
  return { code: 'key_unusable', text };
}

function checkedPath(path: unknown, name: string): string {
  const text = typeof path === 'string' ? path.replace(/^\/+|\/+$/g, '') : '';
  const segments = text.split('/');
  if (segments.every((segment) => /^[\w.~-]+$/.test(segment) && !/^\.+$/.test(segment))) return text;
  throw optionsInvalid(`${name} must be a path such as "transit".`);
}
