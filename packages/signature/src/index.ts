/**
 * Signing and verifying with Web Crypto: Node, Deno, Bun, browsers, workers. Every operation is asynchronous.
 *
 * @module
 */
import { algorithms } from './rfc9421/algorithms.ts';
import { encodeBase64 } from './rfc9421/base64.ts';
import { formatContentDigest } from './rfc9421/content-digest.ts';
import { fingerprintFromDigest } from './keys/fingerprint.ts';
import { readPrivateKey } from './keys/private-key.ts';
import { type PublicKeyPolicy, readPublicKey, type RsaPublicKey } from './keys/public-key.ts';
import { problemOfSigningCryptoKey } from './keys/signing-crypto-key.ts';
import type { Examination } from './profile/examination.ts';
import {
  type AsyncReplayGuard,
  isSafeMethod,
  replayIdBytes,
  type UsedSignature,
} from './replay/replay-guard.ts';
import {
  bodyBytes,
  type RequestToSign,
  SignatureComposer,
  type SignedRequest,
  type SignerSettings,
  SigningError,
  type SigningTime,
} from './profile/signing.ts';
import {
  type ReceivedRequest,
  type Verification,
  type VerificationSettings,
  type VerifyingClient,
  verify,
} from './profile/verify.ts';

export * from './exports.ts';

/** A public key that is ready to verify. Make it once for each registered key. */
export interface VerificationKey {
  readonly cryptoKey: CryptoKey;
  /** The length of the modulus, and so of each signature. */
  readonly modulusBytes: number;
}

/** A private key that signs elsewhere: a vault, a key service, hardware. Gets the base, gives the signature's bytes. */
export type SignFunction = (signatureBase: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** PEM or bare Base64 (PKCS#8, PKCS#1, encrypted PKCS#8 with its passphrase), a CryptoKey, or a function. */
export type SigningKey = string | CryptoKey | SignFunction;

export interface SignerOptions extends SignerSettings {
  readonly privateKey: SigningKey;
  readonly passphrase?: string;
}

/** Signs requests of one client with one key. */
export interface Signer {
  readonly keyid: string;
  /** Signs a request. Rejects with SigningError when that request cannot be signed. */
  sign(request: RequestToSign, time?: SigningTime): Promise<SignedRequest>;
}

/**
 * Makes a signer. Rejects with SigningError, saying what to do, when the key or the keyid cannot be used.
 *
 * @example
 * const signer = await createSigner({ keyid: 'client_…', privateKey: pem });
 * const { url, method, headers, body } = await signer.sign({ method: 'GET', url: 'https://…' });
 * await fetch(url, { method, headers, body, redirect: 'manual' });
 */
export async function createSigner(options: SignerOptions): Promise<Signer> {
  const composer = new SignatureComposer(options);
  const signBase = await createBaseSigner(options.privateKey, options.passphrase);
  return {
    keyid: options.keyid,
    async sign(request, time) {
      // Read once, before the first await: the caller may use its object for the next request meanwhile.
      const { method, url } = request;
      const body = bodyBytes(request.body);
      const digest = body && (await contentDigest(body));
      const unsigned = composer.compose({ method, url }, body, digest, time);
      return unsigned.complete(await signBase(latin1Bytes(unsigned.signatureBase)));
    },
  };
}

/** What a request is verified against. */
export interface VerifyOptions<Client extends VerifyingClient<VerificationKey>> extends VerificationSettings {
  /** The registered client with this keyid. Use a Map: `__proto__` is a legal keyid. */
  readonly clientByKeyid: (keyid: string) => Client | undefined | Promise<Client | undefined>;
  /** Asked last. Without one every signature can be replayed for five minutes: see `acceptReplaysUnsafely`. */
  readonly guard: AsyncReplayGuard;
}

/** A guard that guards nothing, for tests and for callers who keep replays out themselves. */
export const acceptReplaysUnsafely: AsyncReplayGuard = { use: () => undefined };

/**
 * Verifies a received request against the whole profile, its body included. Never rejects for bad input.
 *
 * Still the caller's: that `targetUri` is the URL as called, whether the client is active, its network and its roles.
 */
export async function verifyRequest<Client extends VerifyingClient<VerificationKey>>(
  request: ReceivedRequest,
  options: VerifyOptions<Client>,
): Promise<Verification<Client>> {
  // The caller may change its bytes while this one waits.
  const body = request.body && new Uint8Array(request.body);
  const { method, targetUri, headers } = request;
  return verify<VerificationKey, Client>({ method, targetUri, headers, body }, options, platform);
}

const platform = {
  findVerifyingKey,
  contentDigest,
  usedSignature: async ({ keyid, created, method, signature }: Examination): Promise<UsedSignature> => ({
    id: await replayId(keyid, signature),
    keyid,
    created,
    isSafe: isSafeMethod(method),
  }),
};

/** Makes a verification key of a public key that was read by `readPublicKey`. */
export async function verificationKey(key: RsaPublicKey): Promise<VerificationKey> {
  const cryptoKey = await crypto.subtle.importKey('spki', new Uint8Array(key.spkiDer), rsaAlgorithm, false, [
    'verify',
  ]);
  return { cryptoKey, modulusBytes: key.modulus.length };
}

/** Reads the text of a public key and makes it ready to verify. Rejects with the reason of a refusal. */
export async function createVerificationKey(
  text: string,
  policy?: PublicKeyPolicy,
): Promise<VerificationKey> {
  const reading = readPublicKey(text, policy);
  if (!reading.ok) throw new TypeError(reading.message);
  return verificationKey(reading.key);
}

/** The fingerprint of a public key: `SHA256:` and the Base64, without padding, of the digest of its SPKI. */
export async function keyFingerprint(key: RsaPublicKey): Promise<string> {
  return fingerprintFromDigest(await sha256(key.spkiDer));
}

/** The `Content-Digest` field for a body. */
export async function contentDigest(body: Uint8Array): Promise<string> {
  return formatContentDigest(await sha256(body));
}

const rsaAlgorithm = algorithms['rsa-v1_5-sha256'].webCrypto;

/**
 * Tries each key of the signature's length on a signature base, and gives the position of the one that verifies, or -1.
 * When there is no key to try, a decoy is: an unknown client costs a verification too.
 */
export async function findVerifyingKey(
  keys: readonly VerificationKey[],
  base: string,
  signature: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const bytes = latin1Bytes(base);
  let tried = false;
  for (const [index, key] of keys.entries()) {
    if (key.modulusBytes !== signature.length) continue;
    tried = true;
    if (await crypto.subtle.verify(rsaAlgorithm, key.cryptoKey, signature, bytes)) return index;
  }
  if (!tried) await crypto.subtle.verify(rsaAlgorithm, await decoyKey(), signature, bytes);
  return -1;
}

let decoy: Promise<CryptoKey> | undefined;

/** A public key that belongs to nobody, so that an unknown keyid costs a verification too. */
function decoyKey(): Promise<CryptoKey> {
  decoy ??= (async () => {
    const modulus = crypto.getRandomValues(new Uint8Array(256));
    modulus[0]! |= 0x80;
    modulus[255]! |= 1;
    const n = encodeBase64(modulus).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
    return crypto.subtle.importKey('jwk', { kty: 'RSA', n, e: 'AQAB' }, rsaAlgorithm, false, ['verify']);
  })();
  return decoy;
}

/**
 * Makes a function that signs ready signature bases (RSASSA-PKCS1-v1_5 with SHA-256). `createSigner` is what requests
 * are signed with: it knows what to put into a base, and never signs one twice.
 */
export async function createBaseSigner(
  privateKey: SigningKey,
  passphrase?: string,
): Promise<(base: Uint8Array) => Promise<Uint8Array>> {
  if (typeof privateKey === 'function') {
    return async (base) => {
      const signature = await privateKey(base);
      if (signature instanceof Uint8Array && signature.length >= 256) return signature;
      throw new SigningError(
        'signing_failed',
        'The signing function must return the signature bytes (256 or more).',
      );
    };
  }
  const key = typeof privateKey === 'string' ? await importPrivateKey(privateKey, passphrase) : privateKey;
  const problem = problemOfSigningCryptoKey(key);
  if (problem) throw new SigningError('private_key_invalid', problem);
  return async (base) =>
    new Uint8Array(await crypto.subtle.sign(rsaAlgorithm, key, base as Uint8Array<ArrayBuffer>));
}

async function importPrivateKey(text: string, passphrase: string | undefined): Promise<CryptoKey> {
  const reading = await readPrivateKey(text, passphrase);
  if (!reading.ok) throw new SigningError('private_key_invalid', reading.message);
  try {
    return await crypto.subtle.importKey('pkcs8', new Uint8Array(reading.pkcs8Der), rsaAlgorithm, false, [
      'sign',
    ]);
  } catch {
    throw new SigningError(
      'private_key_invalid',
      'The private key is damaged: its numbers do not fit each other.',
    );
  }
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

async function replayId(keyid: string, signature: Uint8Array): Promise<string> {
  const input = new Uint8Array(keyid.length + 1 + signature.length);
  input.set(latin1Bytes(keyid), 0);
  input.set(signature, keyid.length + 1);
  return String.fromCharCode(...(await sha256(input)).subarray(0, replayIdBytes));
}

function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
