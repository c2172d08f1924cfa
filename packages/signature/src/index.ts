/**
 * Signs and verifies with Web Crypto: Node, Deno, Bun, browsers, workers. Every operation is asynchronous.
 *
 * @module
 */
import { formatContentDigest } from './rfc9421/content-digest.ts';
import { fingerprintFromDigest } from './keys/fingerprint.ts';
import { readPrivateKey } from './keys/private-key.ts';
import { type PublicKeyPolicy, readPublicKey, type RsaPublicKey } from './keys/public-key.ts';
import { decoyKey } from './keys/decoy-key.ts';
import { greatestSignature } from './keys/signature-range.ts';
import { problemOfSigningCryptoKey } from './keys/signing-crypto-key.ts';
import { bytesOf, type BytesLike, checkObject, checkText, givenBytes } from './arguments/check-argument.ts';
import { type AsyncSigner, asyncSigner } from './platform/async-signer.ts';
import { findKey, isSignatureLength, type KeyTrial } from './platform/find-key.ts';
import { givenSignature } from './platform/given-signature.ts';
import { latin1Bytes } from './platform/latin1-bytes.ts';
import type { Examination } from './profile/examination.ts';
import { defaultProfile } from './profile/profiles.ts';
import {
  type AsyncReplayGuard,
  isSafeToRepeat,
  replayIdBytes,
  type UsedSignature,
} from './replay/replay-guard.ts';
import { SignatureComposer, type SignerSettings, SigningError } from './profile/signing.ts';
import {
  type ReceivedRequest,
  type Verification,
  type VerificationSettings,
  type VerifyingClient,
  verify,
} from './profile/verify.ts';

export * from './exports.ts';

/** Signs one client's requests with one key. */
export type Signer = AsyncSigner;

const { algorithm } = defaultProfile;

/** A public key, ready to verify. Create it once for each registered key. */
export interface VerificationKey {
  readonly cryptoKey: WebCryptoKey;
  /** The length of the modulus, and so of each signature. */
  readonly modulusBytes: number;
  /** The greatest number that is a valid signature of this key. */
  readonly greatestSignature: Uint8Array<ArrayBuffer>;
}

/**
 * Signs with a private key that is kept elsewhere: a vault, a key service, hardware. Takes the signature base and
 * returns the signature's bytes.
 */
export type SignFunction = (signatureBase: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** PEM or bare Base64 (PKCS#8, PKCS#1, encrypted PKCS#8 with its passphrase), a CryptoKey, or a function. */
export type SigningKey = string | WebCryptoKey | SignFunction;

/** A `CryptoKey`, whichever library declares it. */
export interface WebCryptoKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

export interface SignerOptions extends SignerSettings {
  readonly privateKey: SigningKey;
  readonly passphrase?: string;
}

/**
 * Creates a signer. Rejects with SigningError, which says what to do, if the key or the keyid cannot be used.
 *
 * @example
 * const signer = await createSigner({ keyid: 'client_…', privateKey: pem });
 * const { url, method, headers, body } = await signer.sign({ method: 'GET', url: 'https://…' });
 * await fetch(url, { method, headers, body, redirect: 'manual' });
 */
export async function createSigner(options: SignerOptions): Promise<Signer> {
  const composer = new SignatureComposer(options);
  const signBase = await createBaseSigner(options.privateKey, options.passphrase);
  return asyncSigner(options.keyid, composer, { signBase, contentDigest });
}

/** Options for verifying a request. */
export interface VerifyOptions<Client extends VerifyingClient<VerificationKey>> extends VerificationSettings {
  /** Returns the registered client with this keyid. Use a Map: `__proto__` is a legal keyid. */
  readonly clientByKeyid: (keyid: string) => Client | undefined | Promise<Client | undefined>;
  /** Called last. Without a guard, every signature can be replayed for five minutes: see `acceptReplaysUnsafely`. */
  readonly guard: AsyncReplayGuard;
}

/** Accepts every replay, for tests and for callers that prevent replays themselves. */
export const acceptReplaysUnsafely: AsyncReplayGuard = { use: () => undefined };

/**
 * Verifies a received request against the whole profile, including its body. Never rejects for bad input, only with a
 * TypeError that names the argument if one has a wrong type.
 *
 * Not checked, and left to the caller: that `targetUri` is the URL as called, that the client is active, its network
 * and its roles.
 */
export async function verifyRequest<Client extends VerifyingClient<VerificationKey>>(
  request: ReceivedRequest,
  options: VerifyOptions<Client>,
): Promise<Verification<Client>> {
  // The caller may change its bytes during the await.
  checkObject(request, 'The request');
  const body = bytesOf(request.body, 'body')?.slice();
  const { method, targetUri, headers } = request;
  return verify<VerificationKey, Client>({ method, targetUri, headers, body }, options, platform);
}

const platform = {
  findVerifyingKey,
  contentDigest,
  usedSignature: async ({
    keyid,
    created,
    method,
    headers,
    signature,
  }: Examination): Promise<UsedSignature> => ({
    id: await replayId(keyid, signature),
    keyid,
    created,
    isSafe: isSafeToRepeat(method, headers.asksToSwitch),
  }),
};

/** Creates a verification key from a public key that `readPublicKey` returned. */
export async function verificationKey(
  key: Readonly<Record<'spkiDer' | 'modulus', Uint8Array>>,
): Promise<VerificationKey> {
  const spki = new Uint8Array(key.spkiDer);
  return readyKey(
    await crypto.subtle.importKey('spki', spki, algorithm.webCrypto, false, ['verify']),
    key.modulus,
  );
}

/** Runtimes prepare a key at its first operation. Doing that now hides from strangers that a key was never used. */
async function readyKey(cryptoKey: CryptoKey, modulus: Uint8Array): Promise<VerificationKey> {
  const key = { cryptoKey, modulusBytes: modulus.length, greatestSignature: greatestSignature(modulus) };
  await crypto.subtle.verify(algorithm.webCrypto, cryptoKey, key.greatestSignature, new Uint8Array(0));
  return key;
}

/**
 * Reads a public key's text and makes it ready to verify. If the key is rejected, the promise rejects with
 * the reason.
 */
export async function createVerificationKey(
  text: string,
  policy?: PublicKeyPolicy,
): Promise<VerificationKey> {
  checkText(text, 'The text of a public key');
  const reading = readPublicKey(text, policy);
  if (!reading.ok) throw new TypeError(reading.message);
  return verificationKey(reading.key);
}

/** Returns a public key's fingerprint: `SHA256:` and the Base64, without padding, of its SPKI's digest. */
export async function keyFingerprint(key: RsaPublicKey): Promise<string> {
  return fingerprintFromDigest(await sha256(key.spkiDer));
}

/** Returns the `Content-Digest` field for a body. */
export async function contentDigest(body: BytesLike): Promise<string> {
  return formatContentDigest(await sha256(givenBytes(body, 'body')));
}

/**
 * Tries each key of the signature's length on a signature base, and returns the index of the one that verifies, or -1.
 *
 * A signature that no key verifies costs exactly two RSA operations of its length, with decoys instead of
 * missing keys, so that timing does not reveal which client it names. That holds for up to two keys. A
 * signature that is too long for any key costs none.
 */
export async function findVerifyingKey(
  keys: readonly VerificationKey[],
  { base, signature }: SignedBase,
): Promise<number> {
  if (!isSignatureLength(signature.length)) return -1;
  const decoy = await decoyOf(signature.length);
  return findKey(new WebTrial(latin1Bytes(base), decoy), keys, signature, 0, true);
}

/** The input for verifying an examined request. */
export type SignedBase = Pick<Examination, 'base' | 'signature'>;

/** Verifies signatures over one base. */
class WebTrial implements KeyTrial<VerificationKey> {
  readonly decoys: readonly VerificationKey[];
  readonly #base: Uint8Array<ArrayBuffer>;

  constructor(base: Uint8Array<ArrayBuffer>, decoy: VerificationKey) {
    this.#base = base;
    this.decoys = [decoy, decoy];
  }

  /**
   * Runtimes skip the RSA operation if the signature is not below the modulus, which reveals something about the
   * key. In that case this verifies the signature without its first byte, which is small enough for every key of
   * its length.
   */
  async verifies(
    { cryptoKey, greatestSignature: greatest }: VerificationKey,
    signature: Uint8Array,
  ): Promise<boolean> {
    const isInRange = isAtMost(signature, greatest);
    const operand = new Uint8Array(signature);
    operand[0] = isInRange ? signature[0]! : 0;
    const verified = await crypto.subtle.verify(
      algorithm.webCrypto,
      cryptoKey as CryptoKey,
      operand,
      this.#base,
    );
    return verified && isInRange;
  }
}

/** Compares two numbers of the same length in constant time. */
function isAtMost(number: Uint8Array, limit: Uint8Array): boolean {
  let borrow = 0;
  for (let index = limit.length - 1; index >= 0; index--)
    borrow = (limit[index]! - number[index]! - borrow) >>> 31;
  return borrow === 0;
}

/** Promises of keys that belong to no client, by the length of their modulus. */
const decoys = new Map<number, Promise<VerificationKey>>();

function decoyOf(size: number): Promise<VerificationKey> {
  let decoy = decoys.get(size);
  if (!decoy) decoys.set(size, (decoy = createDecoy(size)));
  return decoy;
}

async function createDecoy(size: number): Promise<VerificationKey> {
  const { modulus, jwk } = decoyKey(crypto.getRandomValues(new Uint8Array(size)));
  return readyKey(await crypto.subtle.importKey('jwk', jwk, algorithm.webCrypto, false, ['verify']), modulus);
}

/**
 * Creates a function that signs complete signature bases (RSASSA-PKCS1-v1_5 with SHA-256). To sign requests, use
 * `createSigner`: it builds the base and never signs the same one twice.
 */
export async function createBaseSigner(
  privateKey: SigningKey,
  passphrase?: string,
): Promise<(base: Uint8Array) => Promise<Uint8Array>> {
  if (typeof privateKey === 'function') return async (base) => givenSignature(await privateKey(base));
  const key = typeof privateKey === 'string' ? await importPrivateKey(privateKey, passphrase) : privateKey;
  const problem = problemOfSigningCryptoKey(key, algorithm);
  if (problem) throw new SigningError('private_key_invalid', problem);
  return async (base) =>
    new Uint8Array(
      await crypto.subtle.sign(algorithm.webCrypto, key as CryptoKey, base as Uint8Array<ArrayBuffer>),
    );
}

async function importPrivateKey(text: string, passphrase: string | undefined): Promise<CryptoKey> {
  const reading = await readPrivateKey(text, passphrase);
  if (!reading.ok) throw new SigningError('private_key_invalid', reading.message);
  try {
    return await crypto.subtle.importKey(
      'pkcs8',
      new Uint8Array(reading.pkcs8Der),
      algorithm.webCrypto,
      false,
      ['sign'],
    );
  } catch {
    throw new SigningError('private_key_invalid', 'The private key is damaged. Use the whole key file.');
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
