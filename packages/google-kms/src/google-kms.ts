import { setTimeout as pause } from 'node:timers/promises';
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
import { GoogleAuth } from 'google-auth-library';
import { crc32c } from './crc32c.ts';

/** Adds credentials to requests: a `GoogleAuth`, or a client, of google-auth-library. */
export interface RequestHeaders {
  getRequestHeaders(url?: string): Promise<Headers>;
}

export interface GoogleKmsOptions extends StoreConnectionOptions {
  /**
   * The source of credentials. Default: Application Default Credentials, such as the service account of the
   * machine or the file that `GOOGLE_APPLICATION_CREDENTIALS` names.
   */
  readonly auth?: RequestHeaders | undefined;
  /** Another address of the service. Default: `https://cloudkms.googleapis.com`. */
  readonly address?: string | undefined;
}

/**
 * Opens Google Cloud KMS. Keys are named by the resource name of a version.
 *
 * @throws KeyStoreError for invalid options
 *
 * @example
 * const store = openGoogleKms();
 * const key = store.openKey('projects/shop/locations/europe-west3/keyRings/api/cryptoKeys/signing/cryptoKeyVersions/1');
 */
export function openGoogleKms(options: GoogleKmsOptions = {}): KeyStore {
  const ask = openService(options);

  function openKey(keyId: string): StoredKey {
    checkKeyId(keyId);
    /** Known once the key's algorithm was checked: the service would sign with any. */
    let checked: Promise<string> | undefined;
    const publicKey = (): Promise<string> => {
      checked ??= readPublicKey(keyId).catch((error: unknown) => {
        checked = undefined;
        throw error;
      });
      return checked;
    };
    return {
      keyId,
      publicKey,
      sign: async (bytes) => {
        await publicKey();
        const digest = sha256Of(bytes);
        let signature: Uint8Array | undefined;
        await ask({
          keyId,
          method: 'POST',
          path: `${keyId}:asymmetricSign`,
          body: { digest: { sha256: digest.toString('base64') }, digestCrc32c: String(crc32c(digest)) },
          isRepeatable: true,
          check: (answer) => {
            signature = readSignature(answer, keyId);
          },
        });
        return signatureOf(signature, storeName);
      },
    };
  }

  async function readPublicKey(keyId: string): Promise<string> {
    const check = (answer: JsonObject): void => checkPublicKey(answer, keyId);
    const path = `${keyId}/publicKey`;
    const answer = await ask({ keyId, method: 'GET', path, isRepeatable: true, check });
    const algorithm = answer['algorithm'];
    if (!/^RSA_SIGN_PKCS1_\d+_SHA256$/.test(String(algorithm))) {
      throw new KeyStoreError(
        'key_unusable',
        `The key ${keyId} has the algorithm ${visibleText(algorithm)}; create one with rsa-sign-pkcs1-3072-sha256.`,
      );
    }
    return publicKeyPem(String(answer['pem']), keyId);
  }

  async function createKey(likeKeyId: string): Promise<StoredKey> {
    checkKeyId(likeKeyId);
    const path = likeKeyId.replace(/\/\d+$/, '');
    const made = await ask({ keyId: likeKeyId, method: 'POST', path, body: {}, isRepeatable: false });
    const name = String(made['name']);
    if (!name.startsWith(`${path}/`) || !keyIdPattern.test(name))
      throw new KeyStoreError('answer_invalid', `${storeName} did not say which version it has made.`);
    await whenEnabled(ask, name, made['state']);
    return openKey(name);
  }

  return { openKey, createKey, close: async () => undefined };
}

const storeName = 'Google Cloud KMS';
const scope = 'https://www.googleapis.com/auth/cloudkms';
const generatingMsMax = 120_000;
const generatingPollMs = 500;

const keyIdPattern =
  /^projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+\/cryptoKeyVersions\/[1-9]\d*$/;

function checkKeyId(keyId: string): void {
  if (typeof keyId === 'string' && keyIdPattern.test(keyId)) return;
  throw optionsInvalid(
    'A key in Google Cloud KMS is named by a version: "projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/1".',
  );
}

/** Calls the service, with a resource name as the path. */
type AskService = (call: Omit<StoreCall, 'headers' | 'refused'>) => Promise<JsonObject>;

function openService(options: GoogleKmsOptions): AskService {
  const address = options.address ?? 'https://cloudkms.googleapis.com';
  const connection = new StoreConnection(storeName, address, options);
  const auth: RequestHeaders = options.auth ?? new GoogleAuth({ scopes: [scope] });

  async function headers(): Promise<Record<string, string>> {
    try {
      return Object.fromEntries(await auth.getRequestHeaders(address));
    } catch {
      // The library's own error can contain the request for a token.
      throw new KeyStoreError(
        'access_denied',
        'There are no credentials for Google Cloud KMS. Set GOOGLE_APPLICATION_CREDENTIALS, run "gcloud auth application-default login", or run with a service account.',
      );
    }
  }

  return (call) => connection.send({ ...call, path: `/v1/${call.path}`, headers, refused });
}

/** Waits until a new version can sign: an HSM needs time to create one. */
async function whenEnabled(ask: AskService, name: string, firstState: unknown): Promise<void> {
  const untilMs = performance.now() + generatingMsMax;
  for (let state = firstState; state !== 'ENABLED';) {
    const isWorking = state === 'PENDING_GENERATION';
    if (!isWorking || performance.now() > untilMs) {
      const code = isWorking ? 'store_unavailable' : 'key_unusable';
      throw new KeyStoreError(code, `The new key ${name} is ${visibleText(state)}.`);
    }
    await pause(generatingPollMs);
    const answer = await ask({ keyId: name, method: 'GET', path: name, isRepeatable: true });
    state = answer['state'];
  }
}

/** Damage in transit is rare and temporary: Google recommends retrying a few times. */
function damaged(what: string): KeyStoreError {
  return new KeyStoreError('answer_invalid', `${what} was damaged on its way from or to ${storeName}.`, true);
}

function readSignature(answer: JsonObject, keyId: string): Uint8Array {
  if (answer['name'] !== keyId)
    throw new KeyStoreError('answer_invalid', `${storeName} answered for another key than ${keyId}.`);
  const signature = decodeBase64(answer['signature'], 'base64', storeName);
  const isWhole =
    answer['verifiedDigestCrc32c'] === true && answer['signatureCrc32c'] === String(crc32c(signature));
  if (!isWhole) throw damaged('The digest or the signature');
  return signature;
}

function checkPublicKey(answer: JsonObject, keyId: string): void {
  if (answer['name'] !== keyId)
    throw new KeyStoreError('answer_invalid', `${storeName} answered for another key than ${keyId}.`);
  if (answer['pemCrc32c'] !== String(crc32c(Buffer.from(String(answer['pem'])))))
    throw damaged('The public key');
}

function refused(status: number, body: JsonObject): Refused {
  const { status: name, message: text } = objectOf(body['error']);
  if (name === 'NOT_FOUND' || status === 404) return { code: 'key_not_found', text };
  if (status === 401 || status === 403) return { code: 'access_denied', text };
  if (name === 'RESOURCE_EXHAUSTED' || status === 429) return { code: 'throttled', text };
  if (status >= 500) return { code: 'store_unavailable', text };
  return { code: 'key_unusable', text };
}
