/**
 * Signs and verifies on Node, synchronously, with `node:crypto`. Also exports the rest of the library.
 *
 * @module
 */
import {
  hash,
  type KeyObject,
  sign as signBytes,
  type SignKeyObjectInput,
  type webcrypto,
} from 'node:crypto';
import { contentDigestOf, formatContentDigest } from './rfc9421/content-digest.ts';
import { fingerprintFromDigest } from './keys/fingerprint.ts';
import { type PublicKey, readPublicKey, type SubjectPublicKey } from './keys/public-key.ts';
import type { PublicKeyPolicy } from './keys/public-key-refusal.ts';
import { algorithmOfPublicKey } from './keys/key-kinds.ts';
import { type BytesLike, checkObject, checkText, givenBytes } from './arguments/check-argument.ts';
import {
  type AsyncSigner,
  asyncSigner,
  type BaseSigner,
  baseSignerOf,
  checkedAlgorithm,
  openSigningFunction,
  type OpenSigningKey,
} from './platform/async-signer.ts';
import { algorithmWith, findKey } from './platform/find-key.ts';
import { givenSignature } from './platform/given-signature.ts';
import { algorithmOfKeyObject, nodeAlgorithms, nodeVerifiers } from './on-node/algorithms.ts';
import { readSigningKey } from './on-node/signing-key.ts';
import type { NodeTrial, VerificationKey } from './on-node/verification-key.ts';
import { type Examination, isPromise } from './profile/examination.ts';
import { profileLimits } from './profile/profiles.ts';
import {
  type ReplayGuard,
  isSafeToRepeat,
  replayedPart,
  replayIdBytes,
  type UsedSignature,
} from './replay/replay-guard.ts';
import {
  bodyBytes,
  type RequestToSign,
  type RequestWithBody,
  SignatureComposer,
  type SignedRequest,
  type SignedRequestWithBody,
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
import type { AlgorithmName } from './rfc9421/algorithms.ts';
import type { KeyAlgorithm } from './rfc9421/key-algorithms.ts';

export * from './exports.ts';
export { jwkThumbprint, keyObjectThumbprint } from './on-node/jwk-thumbprint.ts';
export { readSigningKey } from './on-node/signing-key.ts';
export type { VerificationKey } from './on-node/verification-key.ts';
export { isSafeToRepeat } from './replay/replay-guard.ts';
export type { AsyncSigner } from './platform/async-signer.ts';

/**
 * Signs synchronously with a private key that is kept elsewhere, for example in a PKCS#11 session. For a function that
 * returns a promise, use the other entry point.
 */
export interface SignFunction extends BaseSigner<Uint8Array> {
  readonly algorithm?: (() => AlgorithmName) | undefined;
}

/** PEM or bare Base64 (PKCS#8, PKCS#1, encrypted PEM with its passphrase), a key object, or a function. */
export type SigningKey = string | KeyObject | webcrypto.CryptoKey | SignFunction;

export interface SignerOptions extends SignerSettings {
  readonly privateKey: SigningKey;
  readonly passphrase?: string;
}

/** Signs one client's requests with one key. */
export interface Signer {
  readonly keyid: string;
  /** Signs a request. Throws SigningError if the request cannot be signed. */
  sign(request: RequestWithBody, time?: SigningTime): SignedRequestWithBody;
  sign(request: RequestToSign, time?: SigningTime): SignedRequest;
}

/**
 * Creates a signer. Throws SigningError, which says what to do, if the key or the keyid cannot be used.
 *
 * @example
 * const signer = createSigner({ keyid: 'client_…', privateKey: readFileSync('private.pem', 'utf8') });
 * const { url, method, headers, body } = signer.sign({ method: 'POST', url: 'https://…', body: '{"amount":1}' });
 */
export function createSigner(options: SignerOptions): Signer {
  const composer = new SignatureComposer(options);
  const signBase = createBaseSigner(options.privateKey, options.passphrase);
  function sign(request: RequestWithBody, time?: SigningTime): SignedRequestWithBody;
  function sign(request: RequestToSign, time?: SigningTime): SignedRequest;
  function sign(request: RequestToSign, time?: SigningTime): SignedRequest {
    checkObject(request, 'The request');
    const body = bodyBytes(request.body);
    const digest = body && body.length > 0 ? contentDigest(body) : undefined;
    const unsigned = composer.compose(checkedAlgorithm(signBase.algorithm?.()), request, body, digest, time);
    return unsigned.complete(signBase(Buffer.from(unsigned.signatureBase, 'latin1')));
  }
  return { keyid: options.keyid, sign };
}

/**
 * Signs with a private key that is kept elsewhere: a vault, a key service, hardware. Takes the signature base and
 * returns the signature's bytes.
 */
export type AsyncSignFunction = BaseSigner<Uint8Array | Promise<Uint8Array>>;

export interface AsyncSignerOptions extends SignerSettings {
  readonly privateKey: Exclude<SigningKey, SignFunction> | AsyncSignFunction;
  readonly passphrase?: string;
}

/**
 * Creates a signer that computes signatures, and digests of large bodies, in Node's thread pool: many
 * requests in flight do not block the event loop. Throws SigningError, which says what to do, if the key or
 * the keyid cannot be used.
 *
 * Do not change a body's bytes before the promise resolves: they may be sent changed.
 */
export function createAsyncSigner(options: AsyncSignerOptions): AsyncSigner {
  const composer = new SignatureComposer(options);
  const key = openAsyncSigningKey(options.privateKey, options.passphrase);
  return asyncSigner(options.keyid, composer, { ...key, contentDigest: contentDigestInPool });
}

/** Larger bodies are hashed in the thread pool. For smaller ones the handover takes longer than hashing. */
const hashedAtOnceBytesMax = 65_536;

async function contentDigestInPool(body: Uint8Array<ArrayBuffer>): Promise<string> {
  if (body.length <= hashedAtOnceBytesMax) return contentDigest(body);
  return formatContentDigest(new Uint8Array(await crypto.subtle.digest('SHA-256', body)));
}

/** Options for verifying a request. */
export interface VerifyOptions<Client extends VerifyingClient<VerificationKey>> extends VerificationSettings {
  /** Returns the registered client with this keyid. Use a Map: `__proto__` is a legal keyid. */
  readonly clientByKeyid: (keyid: string) => Client | undefined;
  /** Called last. Without a guard, every signature can be replayed for five minutes: see `acceptReplaysUnsafely`. */
  readonly guard: ReplayGuard;
}

/** Accepts every replay, for tests and for callers that prevent replays themselves. */
export const acceptReplaysUnsafely: ReplayGuard = { use: () => undefined };

/**
 * Verifies a received request against the whole profile, including its body. Never throws for bad input, only a TypeError
 * that names the argument if one has a wrong type.
 *
 * Not checked, and left to the caller: that `targetUri` is the URL as called, that the client is active, its network
 * and its roles.
 */
export function verifyRequest<Client extends VerifyingClient<VerificationKey>>(
  request: ReceivedRequest,
  options: VerifyOptions<Client>,
): Verification<Client> {
  const verification = verify<VerificationKey, Client>(request, options, platform);
  if (!isPromise(verification)) return verification;
  // Nothing awaits it: without this, a rejection would crash the process.
  verification.catch(() => undefined);
  throw new TypeError(
    'clientByKeyid and guard.use must answer at once. For promises import verifyRequest from "@countersign/signature".',
  );
}

/**
 * Tries each key of the announced algorithm and the signature's length on a signature base, and returns the index of the
 * one that verifies, or -1.
 *
 * A signature that no key verifies costs exactly two operations of its algorithm and length, with decoys instead of
 * missing keys, so that timing does not reveal which client it names. That holds for up to two keys. A signature with a
 * length that no key can have costs none, as does a base longer than `signatureBaseLengthMax`.
 *
 * @param bytesMax the length of the longest signature by a key that may be registered
 * @param standIn the keys of another client, for a client that does not exist or has no keys. Nothing verifies by them,
 *   but reading them takes as long as reading a client's own
 */
export function findVerifyingKey(
  keys: readonly VerificationKey[],
  { keyid, alg, base, signature }: SignedBase,
  bytesMax?: number,
  standIn: readonly VerificationKey[] = noKeys,
): number {
  const algorithm = algorithmWith(alg, signature.length, bytesMax);
  if (algorithm === undefined || base.length > baseBytes.length) return -1;
  const trial = trialFor(algorithm, signature.length);
  trial.expect(baseBytes.subarray(0, baseBytes.write(base, 0, 'latin1')));
  const isReal = keys.length > 0;
  const place = decoyPlace(keyid, trial.decoys.length);
  // These trials are synchronous, so the result is too.
  return findKey(trial, isReal ? keys : standIn, signature, place, isReal) as number;
}

const noKeys: readonly VerificationKey[] = [];

/** The input for verifying an examined request. */
export type SignedBase = Pick<Examination, 'keyid' | 'alg' | 'base' | 'signature'>;

/** Creates a verification key from a public key that `readPublicKey` returned. */
export function verificationKey({ spkiDer, algorithm }: SubjectPublicKey): VerificationKey {
  const key = nodeVerifiers[algorithmOfPublicKey(spkiDer, algorithm)].verificationKey(spkiDer);
  useAsDecoy(key);
  return key;
}

/**
 * Reads a public key's text and makes it ready to verify. If the key is rejected, throws TypeError with the
 * reason.
 */
export function createVerificationKey(text: string, policy?: PublicKeyPolicy): VerificationKey {
  checkText(text, 'The text of a public key');
  const reading = readPublicKey(text, policy);
  if (!reading.ok) throw new TypeError(reading.message);
  return verificationKey(reading.key);
}

/** Returns a public key's fingerprint: `SHA256:` and the Base64, without padding, of its SPKI's digest. */
export function keyFingerprint(key: Pick<PublicKey, 'spkiDer'>): string {
  return fingerprintFromDigest(sha256(key.spkiDer));
}

/** Returns the `Content-Digest` field for a body. */
export function contentDigest(body: BytesLike): string {
  return contentDigestOf(hash('sha256', givenBytes(body, 'body'), 'base64'));
}

/** Returns a request's verified signature for the replay guard, with the account of its client if it has one. */
export function usedSignature(examination: Examination, accountId?: string): UsedSignature {
  return new Used(examination, accountId);
}

const platform = { findVerifyingKey, contentDigest, usedSignature };

class Used implements UsedSignature {
  readonly keyid: string;
  readonly accountId: string | undefined;
  readonly created: number;
  readonly isSafe: boolean;
  readonly #used: Uint8Array | string;
  #id: string | undefined;

  constructor(examination: Examination, accountId: string | undefined) {
    const { keyid, created, method, headers } = examination;
    this.keyid = keyid;
    this.accountId = accountId;
    this.created = created;
    this.isSafe = isSafeToRepeat(method, headers.asksToSwitch);
    this.#used = replayedPart(examination);
  }

  /** Hashed once, on demand: a guard that ignores safe methods never needs it. */
  get id(): string {
    return (this.#id ??= replayId(this.keyid, this.#used));
  }
}

/**
 * Returns what the replay guard recognizes a use by: the first 16 bytes of SHA-256 (name, 0x00, part), one code point per byte.
 *
 * @param name the client, in at most 256 Latin-1 characters
 * @param used a signature, a signature base or a nonce
 */
export function replayId(name: string, used: Uint8Array | string): string {
  const start = replayIdInput.write(name, 0, 'latin1') + 1;
  replayIdInput[start - 1] = 0;
  if (typeof used === 'string') replayIdInput.write(used, start, 'latin1');
  else replayIdInput.set(used, start);
  return hash('sha256', replayIdInput.subarray(0, start + used.length), 'latin1').slice(0, replayIdBytes);
}

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/**
 * The longest signature base that is verified, in characters: longer than any by the closed profile within its limits, and than
 * every signature.
 */
export const signatureBaseLengthMax: number =
  profileLimits.targetUriLengthMax + profileLimits.signatureFieldLengthMax + 1024;
/** Verifying is synchronous, so one buffer is enough. */
const baseBytes = Buffer.alloc(signatureBaseLengthMax);
/** Space for the longest keyid, a separator and what follows it. */
const replayIdInput = Buffer.alloc(profileLimits.keyidLengthMax + 1 + signatureBaseLengthMax);

const trials = new Map<KeyAlgorithm, Map<number, NodeTrial>>();

/** Returns the trial of an algorithm's signatures of a length. */
function trialFor(algorithm: KeyAlgorithm, signatureBytes: number): NodeTrial {
  let ofAlgorithm = trials.get(algorithm);
  if (!ofAlgorithm) trials.set(algorithm, (ofAlgorithm = new Map<number, NodeTrial>()));
  let trial = ofAlgorithm.get(signatureBytes);
  if (!trial) {
    trial = nodeVerifiers[algorithm].createTrial(signatureBytes);
    ofAlgorithm.set(signatureBytes, trial);
  }
  return trial;
}

/**
 * Makes a key available as a decoy for other clients. Keys created for the purpose would be adjacent in
 * memory and often in the processor's cache, and so be faster than those of clients.
 */
function useAsDecoy(key: VerificationKey): void {
  const { decoys } = trialFor(key.algorithm, key.signatureBytes);
  if (decoys.length < decoysMax) decoys.push(key);
  else decoys[nextDecoy++ % decoysMax] = key;
}

const decoysMax = 4096;
let nextDecoy = 0;

/**
 * Returns the first of the two decoys that stand in for a client's keys: always the same ones, as with its
 * own keys.
 */
function decoyPlace(keyid: string, decoyCount: number): number {
  let sum = 0;
  for (let index = Math.max(0, keyid.length - 4); index < keyid.length; index++)
    sum = sum * 31 + keyid.charCodeAt(index);
  return sum % (decoyCount - 1);
}

/**
 * Creates a function that signs complete signature bases with the key's algorithm. To sign requests, use
 * `createSigner`: it builds the base and never signs the same one twice.
 */
export function createBaseSigner(privateKey: SigningKey, passphrase?: string): SignFunction {
  if (typeof privateKey === 'function') {
    const algorithm = (): AlgorithmName => checkedAlgorithm(privateKey.algorithm?.());
    return Object.assign((base: Uint8Array) => checkedSignature(privateKey(base), algorithm()), {
      algorithm,
    });
  }
  const key = readSigningKey(privateKey, passphrase);
  const name = algorithmOf(key);
  const { hash: hashName, signingInput } = nodeAlgorithms[name];
  const input = signingInput(key);
  return Object.assign((base: Uint8Array) => signBytes(hashName, base, input), { algorithm: () => name });
}

/**
 * Creates a function that signs complete signature bases in Node's thread pool. To sign requests, use
 * `createAsyncSigner`.
 */
export function createAsyncBaseSigner(
  privateKey: AsyncSignerOptions['privateKey'],
  passphrase?: string,
): BaseSigner<Promise<Uint8Array>> {
  return baseSignerOf(openAsyncSigningKey(privateKey, passphrase));
}

function openAsyncSigningKey(
  privateKey: AsyncSignerOptions['privateKey'],
  passphrase: string | undefined,
): OpenSigningKey {
  if (typeof privateKey === 'function') return openSigningFunction(privateKey);
  const key = readSigningKey(privateKey, passphrase);
  const name = algorithmOf(key);
  const { hash: hashName, signingInput } = nodeAlgorithms[name];
  const input = signingInput(key);
  return { algorithm: () => name, signBase: (base) => inPool(() => signInPool(base, input, hashName)) };
}

function signInPool(
  base: Uint8Array,
  key: SignKeyObjectInput,
  hashName: string | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    signBytes(hashName, base, key, (error, signature) => {
      if (error)
        reject(
          new SigningError('signing_failed', 'The operation with the private key failed.', { cause: error }),
        );
      else resolve(signature);
    });
  });
}

/**
 * Twice the threads of Node's pool keep them all busy. With more, many would complete while the thread is
 * busy elsewhere, and all of their follow-up work, such as sending the requests, would run in one turn of the
 * event loop.
 */
const poolOperationsMax = 8;
let poolOperations = 0;
const waitingForPool: (() => void)[] = [];

/** Runs an operation in the thread pool when its turn comes. */
async function inPool<Result>(run: () => Promise<Result>): Promise<Result> {
  if (poolOperations < poolOperationsMax) poolOperations += 1;
  // A finished operation passes its place to the next.
  else await new Promise<void>((resolve) => waitingForPool.push(resolve));
  try {
    return await run();
  } finally {
    const next = waitingForPool.shift();
    if (next === undefined) poolOperations -= 1;
    else next();
  }
}

function checkedSignature(signature: unknown, algorithm: AlgorithmName): Uint8Array {
  if (!(signature instanceof Promise)) return givenSignature(signature, algorithm);
  // Nothing awaits it: without this, a rejection would crash the process.
  signature.catch(() => undefined);
  return givenSignature(
    signature,
    algorithm,
    ' It returned a promise: make the signer with "@countersign/signature" instead of ".../node".',
  );
}

/** Returns the algorithm of a key that `readSigningKey` returned. */
function algorithmOf(key: KeyObject): AlgorithmName {
  const algorithm = algorithmOfKeyObject(key);
  if (algorithm === undefined)
    throw new TypeError(`No algorithm has keys of the kind ${key.asymmetricKeyType ?? 'unknown'}.`);
  return algorithm;
}
