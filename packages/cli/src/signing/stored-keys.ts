import { createSigner, SigningError } from '@countersign/signature';
import { dirname, resolve } from 'node:path';
import { CommandError, usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import type { KeySource } from './key-source.ts';
import { openProfileSigner } from './profile-signer.ts';
import { fingerprintOf } from './public-half.ts';

/** The parts of a key store that this program uses. */
interface KeyStore {
  readonly openKey: (keyId: string) => StoredKey;
  readonly createKey: (likeKeyId: string) => Promise<StoredKey>;
}

interface StoredKey {
  readonly keyId: string;
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>;
  readonly publicKey: () => Promise<string>;
}

type Options = Record<string, unknown>;

/** Opens a store with the settings of a file. */
interface StoreKind {
  /** Loads the store's package, which is optional, and returns its function that opens a store. */
  readonly load: () => Promise<(options: never) => KeyStore>;
  /** The settings that its file may have. Settings that end in `File` are paths relative to it. No secrets. */
  readonly settings: readonly string[];
  /** Converts settings of the file into options that cannot be written as JSON, or are secret. */
  readonly complete?: (settings: Options, io: Io) => Options;
}

const overHttp = ['timeoutMs', 'concurrencyMax', 'allowUnencryptedConnection'];

const kinds: ReadonlyMap<string, StoreKind> = new Map<string, StoreKind>([
  [
    'pkcs11',
    {
      load: async () => (await import('@countersign/pkcs11')).openPkcs11,
      settings: ['module', 'token', 'serial', 'pinFile', 'sessions', 'timeoutMs'],
    },
  ],
  [
    'vault',
    {
      load: async () => (await import('@countersign/vault')).openVault,
      settings: ['address', 'mount', 'namespace', 'tokenFile', ...overHttp],
      complete: (settings, { environment: { VAULT_TOKEN: token } }) =>
        token && settings['tokenFile'] === undefined ? { ...settings, token } : settings,
    },
  ],
  [
    'aws-kms',
    {
      load: async () => (await import('@countersign/aws-kms')).openAwsKms,
      settings: ['region', 'endpoint', 'timeoutMs', 'concurrencyMax'],
    },
  ],
  [
    'google-kms',
    {
      load: async () => (await import('@countersign/google-kms')).openGoogleKms,
      settings: ['address', ...overHttp],
    },
  ],
  [
    'azure-key-vault',
    {
      load: async () => (await import('@countersign/azure-key-vault')).openAzureKeyVault,
      settings: ['address', 'scope', 'tokenFile', ...overHttp],
      complete: ({ tokenFile, ...settings }, io) => ({ ...settings, credential: tokenIn(tokenFile, io) }),
    },
  ],
]);

/**
 * Private keys in the key store that a file describes, such as
 * `{ "store": "vault", "address": "https://vault.example.com:8200", "tokenFile": "token" }`.
 */
export async function storedKeys(keyStoreFile: string, io: Io): Promise<KeySource> {
  const store = await openStore(keyStoreFile, io);
  return {
    holds: 'name of the key',
    async open(text, file, { clientId, nonce, nowMs, profile }) {
      if (text.includes('PRIVATE KEY'))
        throw usageError(`${file} holds a private key: with a key store, it must hold the key's name there.`);
      const key = await answered(() => store.openKey(text.trim()));
      const pem = await answered(() => key.publicKey());
      const fingerprint = fingerprintOf(pem);
      const privateKey = (base: Uint8Array): Promise<Uint8Array> => answered(() => key.sign(base));
      try {
        if (profile !== undefined) {
          const stored = { keyId: key.keyId, sign: privateKey, publicKey: async () => pem };
          const signer = await openProfileSigner({ privateKey: stored }, { clientId, nowMs }, profile);
          return {
            signer,
            profileHeaders: signer.signatureHeaders,
            fingerprint: () => fingerprint,
            publicKeyPem: () => pem,
          };
        }
        const signer = await createSigner({ keyid: clientId, privateKey, nonce, nowMs });
        return { signer, fingerprint: () => fingerprint, publicKeyPem: () => pem };
      } catch (error) {
        if (!(error instanceof SigningError)) throw error;
        const kind = error.code === 'private_key_invalid' ? 'local' : 'usage';
        throw new CommandError(kind, error.code, error.message);
      }
    },
    async makeLike(text, bits) {
      if (bits !== undefined)
        throw usageError('--bits cannot be used with a key store, which creates a key of the same size.');
      const { keyId } = await answered(() => store.createKey(text.trim()));
      return `${keyId}\n`;
    },
  };
}

async function openStore(keyStoreFile: string, io: Io): Promise<KeyStore> {
  const { store: name, ...settings } = await readSettings(keyStoreFile, io);
  const kind = typeof name === 'string' ? kinds.get(name) : undefined;
  if (kind === undefined)
    throw invalid(keyStoreFile, `"store" must be one of ${[...kinds.keys()].join(', ')}`);
  const unknown = Object.keys(settings).find((key) => !kind.settings.includes(key));
  if (unknown !== undefined) {
    const advice = `"${unknown}" is no setting of ${String(name)}, which has ${kind.settings.join(', ')}`;
    throw invalid(keyStoreFile, advice);
  }
  const folder = dirname(resolve(io.folder, keyStoreFile));
  const located = Object.entries(settings).map(([key, value]) => [
    key,
    key.endsWith('File') && typeof value === 'string' ? resolve(folder, value) : value,
  ]);
  const options = Object.fromEntries(located) as Options;
  const open = await load(kind, String(name));
  // The package checks its options.
  return answered(() => open((kind.complete?.(options, io) ?? options) as never));
}

/** Hides the parser's own message, which quotes the file. */
async function readSettings(keyStoreFile: string, io: Io): Promise<Options> {
  const text = await readTextFile(io, keyStoreFile, 'file of the key store');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Options;
  } catch {
    // The error below covers this.
  }
  throw invalid(keyStoreFile, 'it must hold one JSON object, such as {"store": "vault", "address": …}');
}

/** A credential for Azure: the access token in a file, as `az account get-access-token` prints it. */
function tokenIn(file: unknown, io: Io): { readonly getToken: () => Promise<object> } {
  if (typeof file !== 'string')
    throw new CommandError(
      'local',
      'key_store_invalid',
      'azure-key-vault needs a "tokenFile", a file with an access token: az account get-access-token ' +
        '--resource https://vault.azure.net --query accessToken --output tsv',
    );
  return {
    async getToken() {
      const token = (await readTextFile(io, file, 'access token')).trim();
      // Read again a minute later: the store stops using a token two minutes before its end.
      return { token, expiresOnTimestamp: Date.now() + 180_000 };
    },
  };
}

async function load(kind: StoreKind, name: string): Promise<Awaited<ReturnType<StoreKind['load']>>> {
  try {
    return await kind.load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const packageName = `@countersign/${name}`;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${packageName}'`)) throw error;
    throw new CommandError(
      'local',
      'key_store_not_installed',
      `The package ${packageName} is not installed next to this command. Install it in the same place.`,
    );
  }
}

/** Converts the error of a key store, which contains no secrets, into one of this program. */
async function answered<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'KeyStoreError') throw error;
    const { code, isTransient, message } = error as Error & { code: string; isTransient: boolean };
    throw new CommandError(isTransient ? 'unreachable' : 'local', code, message);
  }
}

function invalid(file: string, why: string): CommandError {
  return new CommandError('local', 'key_store_invalid', `${file}: ${why}.`);
}
