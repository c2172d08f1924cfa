import { type KeyStore, KeyStoreError, type StoredKey } from '@countersign/key-store';
import {
  checkAttemptSettings,
  FollowedFile,
  optionsInvalid,
  signatureOf,
} from '@countersign/key-store/building';
import { readKeyUri } from './key-uri.ts';
import { SessionPool } from './session-pool.ts';

export interface Pkcs11Options {
  /** The path of the token's PKCS#11 module, a shared library of its vendor. */
  readonly module: string;
  /** The token's label. Needed if the module has several tokens. */
  readonly token?: string | undefined;
  /** The token's serial number, if labels are not distinct. */
  readonly serial?: string | undefined;
  /** The user PIN. A PIN that the token rejects is not tried again, so that the token does not lock. */
  readonly pin?: string | undefined;
  /** A file with the PIN. It is read again after the token has rejected the last PIN. */
  readonly pinFile?: string | undefined;
  /** How many sessions, each in its own thread, may sign at once. Default: 2. */
  readonly sessions?: number | undefined;
  /** The time limit of a signature, including waiting. Default: 5,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Opens a PKCS#11 token. Keys are named by PKCS#11 URIs (RFC 7512). The module is loaded, and the PIN tried, when the first
 * key is used.
 *
 * @throws KeyStoreError for invalid options
 *
 * @example
 * const store = openPkcs11({ module: '/usr/lib/softhsm/libsofthsm2.so', token: 'shop', pinFile: '/run/secrets/pin' });
 * const key = store.openKey('pkcs11:token=shop;id=%01');
 */
export function openPkcs11(options: Pkcs11Options): KeyStore {
  const { module, token, serial, sessions = 2 } = options;
  const { timeoutMs } = checkAttemptSettings({ timeoutMs: options.timeoutMs });
  if (typeof module !== 'string' || !module.startsWith('/'))
    throw optionsInvalid('module must be the full path of a PKCS#11 module.');
  if (!Number.isInteger(sessions) || sessions < 1 || sessions > 64)
    throw optionsInvalid('sessions must be a whole number from 1 to 64.');
  const pool = new SessionPool({
    module,
    token,
    serial,
    pin: pinOf(options),
    sessionsMax: sessions,
    timeoutMs,
  });

  function openKey(keyId: string): StoredKey {
    readKeyUri(keyId);
    return {
      keyId,
      sign: async (bytes) =>
        signatureOf(asBytes(await pool.run({ kind: 'sign', keyId, bytes })), 'The token'),
      publicKey: async () => String(await pool.run({ kind: 'publicKey', keyId })),
    };
  }

  async function createKey(likeKeyId: string): Promise<StoredKey> {
    readKeyUri(likeKeyId);
    return openKey(String(await pool.run({ kind: 'createKey', likeKeyId })));
  }

  return { openKey, createKey, close: () => pool.close() };
}

function asBytes(value: Uint8Array | string): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}

function pinOf({ pin, pinFile }: Pkcs11Options): () => Promise<string | undefined> {
  if (pin !== undefined && pinFile !== undefined) throw optionsInvalid('Give pin or pinFile, not both.');
  if (pinFile === undefined) return async () => pin;
  const file = new FollowedFile(pinFile);
  return async () => {
    try {
      return await file.text(true);
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new KeyStoreError('access_denied', `The file ${pinFile} with the PIN cannot be read (${code}).`);
    }
  };
}
