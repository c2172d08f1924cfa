/**
 * Signs and verifies with Web Crypto: Node, Deno, Bun, browsers, workers. Every operation is asynchronous.
 *
 * @module
 */
import { formatContentDigest } from './rfc9421/content-digest.ts';
import { fingerprintFromDigest } from './keys/fingerprint.ts';
import { readPrivateKey } from './keys/private-key.ts';
import { type PublicKey, readPublicKey, type SubjectPublicKey } from './keys/public-key.ts';
import type { PublicKeyPolicy } from './keys/public-key-refusal.ts';
import { algorithmOfPublicKey } from './keys/key-kinds.ts';
import { problemOfSigningCryptoKey } from './keys/signing-crypto-key.ts';
import { bytesOf, type BytesLike, checkObject, checkText, givenBytes } from './arguments/check-argument.ts';
import {
  type AsyncSigner,
  asyncSigner,
  type BaseSigner,
  baseSignerOf,
  openSigningFunction,
  type OpenSigningKey,
} from './platform/async-signer.ts';
import { algorithmWith, findKey, type KeyTrial } from './platform/find-key.ts';
import { earlyDigestBytesMax, failingLater } from './platform/early-digest.ts';
import { latin1Bytes } from './platform/latin1-bytes.ts';
import { webAlgorithms } from './on-web/algorithms.ts';
import { webSha256 } from './on-web/sha256.ts';
import type { VerificationKey, WebCryptoKey } from './on-web/verification-key.ts';
import type { Examination } from './profile/examination.ts';
import {
  type AsyncReplayGuard,
  isSafeToRepeat,
  replayedPart,
  replayIdBytes,
  type UsedSignature,
} from './replay/replay-guard.ts';
import { SignatureComposer, type SignerSettings, SigningError } from './profile/signing.ts';
import {
  type Platform,
  type ReceivedRequest,
  type Verification,
  type VerificationSettings,
  type VerifyingClient,
  verify,
} from './profile/verify.ts';
import {
  algorithmNamed,
  type AlgorithmName,
  algorithmOfWebCrypto,
  algorithms,
} from './rfc9421/algorithms.ts';

export * from './exports.ts';
export type { VerificationKey, WebCryptoKey } from './on-web/verification-key.ts';

/** Signs one client's requests with one key. */
export type Signer = AsyncSigner;

/**
 * Signs with a private key that is kept elsewhere: a vault, a key service, hardware. Takes the signature base and
 * returns the signature's bytes.
 */
export type SignFunction = BaseSigner<Uint8Array | Promise<Uint8Array>>;

/** PEM or bare Base64 (PKCS#8, PKCS#1, encrypted PKCS#8 with its passphrase), a CryptoKey, or a function. */
export type SigningKey = string | WebCryptoKey | SignFunction;

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
  const key = await openSigningKey(options.privateKey, options.passphrase);
  return asyncSigner(options.keyid, composer, { ...key, contentDigest });
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
  return verify<VerificationKey, Client>(
    { method, targetUri, headers, body },
    options,
    new RequestOperations(),
  );
}

/** The operations of one request; its digests begin beside the verification of its signature. */
class RequestOperations implements Platform<VerificationKey> {
  #replayId: Promise<string> | undefined;
  #digest: Promise<string> | undefined;

  findVerifyingKey(keys: readonly VerificationKey[], examination: Examination): Promise<number> {
    const { body } = examination;
    const finding = findVerifyingKey(keys, examination);
    this.#replayId = failingLater(replayIdOf(examination));
    if (body instanceof Uint8Array && body.length > 0 && body.length <= earlyDigestBytesMax)
      this.#digest = failingLater(contentDigest(body));
    return finding;
  }

  contentDigest(body: Uint8Array): Promise<string> {
    return this.#digest ?? contentDigest(body);
  }

  async usedSignature(examination: Examination): Promise<UsedSignature> {
    const { keyid, created, method, headers } = examination;
    const id = await (this.#replayId ?? replayIdOf(examination));
    return { id, keyid, created, isSafe: isSafeToRepeat(method, headers.asksToSwitch) };
  }
}

/** Creates a verification key from a public key that `readPublicKey` returned. */
export async function verificationKey({ spkiDer, algorithm }: SubjectPublicKey): Promise<VerificationKey> {
  const name = algorithmNamed(algorithmOfPublicKey(spkiDer, algorithm))?.name;
  if (name === undefined) throw new TypeError(`The closed profiles have no keys for ${algorithm}.`);
  return webAlgorithms[name].verificationKey(spkiDer);
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
export async function keyFingerprint(key: Pick<PublicKey, 'spkiDer'>): Promise<string> {
  return fingerprintFromDigest(await webSha256(key.spkiDer));
}

/** Returns the `Content-Digest` field for a body. */
export async function contentDigest(body: BytesLike): Promise<string> {
  return formatContentDigest(await webSha256(givenBytes(body, 'body')));
}

/**
 * Tries each key of the announced algorithm and the signature's length on a signature base, and returns the index of the
 * one that verifies, or -1.
 *
 * A signature that no key verifies costs exactly two operations of its algorithm and length, with decoys instead of
 * missing keys, so that timing does not reveal which client it names. That holds for up to two keys. A signature with a
 * length that no key can have costs none.
 */
export async function findVerifyingKey(
  keys: readonly VerificationKey[],
  { alg, base, signature }: SignedBase,
): Promise<number> {
  const algorithm = algorithmNamed(algorithmWith(alg, signature.length) ?? '')?.name;
  if (algorithm === undefined) return -1;
  const decoy = await decoyOf(algorithm, signature.length);
  // A runtime without the algorithm has no keys for it.
  if (decoy === undefined) return -1;
  const bytes = latin1Bytes(base);
  const trial: KeyTrial<VerificationKey> = {
    algorithm,
    decoys: [decoy, decoy],
    verifies: (key, presented) => webAlgorithms[algorithm].verifies(key, presented, bytes),
  };
  return findKey(trial, keys, signature, 0, true);
}

/** The input for verifying an examined request. */
export type SignedBase = Pick<Examination, 'alg' | 'base' | 'signature'>;

/** Promises of keys that belong to no client, by algorithm and length of signature. */
const decoys = new Map<string, Promise<VerificationKey | undefined>>();

function decoyOf(algorithm: AlgorithmName, signatureBytes: number): Promise<VerificationKey | undefined> {
  const place = `${algorithm} ${signatureBytes}`;
  let decoy = decoys.get(place);
  if (!decoy)
    decoys.set(place, (decoy = webAlgorithms[algorithm].createDecoy(signatureBytes).catch(() => undefined)));
  return decoy;
}

/**
 * Creates a function that signs complete signature bases with the key's algorithm. To sign requests, use
 * `createSigner`: it builds the base and never signs the same one twice.
 */
export async function createBaseSigner(
  privateKey: SigningKey,
  passphrase?: string,
): Promise<BaseSigner<Promise<Uint8Array>>> {
  return baseSignerOf(await openSigningKey(privateKey, passphrase));
}

async function openSigningKey(
  privateKey: SigningKey,
  passphrase: string | undefined,
): Promise<OpenSigningKey> {
  if (typeof privateKey === 'function') return openSigningFunction(privateKey);
  const key = typeof privateKey === 'string' ? await importPrivateKey(privateKey, passphrase) : privateKey;
  const problem = problemOfSigningCryptoKey(key);
  if (problem) throw new SigningError('private_key_invalid', problem);
  const { name, webCrypto } = algorithmOfWebCrypto(key.algorithm);
  return {
    algorithm: () => name,
    signBase: async (base) =>
      new Uint8Array(await crypto.subtle.sign(webCrypto, key as CryptoKey, base as Uint8Array<ArrayBuffer>)),
  };
}

async function importPrivateKey(text: string, passphrase: string | undefined): Promise<CryptoKey> {
  const reading = await readPrivateKey(text, passphrase);
  if (!reading.ok) throw new SigningError('private_key_invalid', reading.message);
  const { webCrypto } = algorithms[reading.algorithm];
  try {
    return await crypto.subtle.importKey('pkcs8', new Uint8Array(reading.pkcs8Der), webCrypto, false, [
      'sign',
    ]);
  } catch {
    throw new SigningError('private_key_invalid', 'The private key is damaged. Use the whole key file.');
  }
}

async function replayIdOf(examination: Examination): Promise<string> {
  const { keyid } = examination;
  const part = replayedPart(examination);
  const used = typeof part === 'string' ? latin1Bytes(part) : part;
  const input = new Uint8Array(keyid.length + 1 + used.length);
  input.set(latin1Bytes(keyid), 0);
  input.set(used, keyid.length + 1);
  return String.fromCharCode(...(await webSha256(input)).subarray(0, replayIdBytes));
}
