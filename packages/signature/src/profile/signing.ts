import {
  bytesOf,
  type BytesLike,
  checkObject,
  checkOptionalBoolean,
  checkOptionalFunction,
} from '../arguments/check-argument.ts';
import { checkTarget } from './checks.ts';
import { isKeyid } from './keyid.ts';
import { componentListFor, profileLimits, profileSignatureBase, signatureLabel } from './profiles.ts';
import type { AlgorithmName } from '../rfc9421/algorithms.ts';
import { encodeBase64 } from '../rfc9421/base64.ts';
import { formatHttpDate, readHttpDate } from '../rfc9421/http-date.ts';

/** A `URL`, whichever library declares it. */
export interface UrlObject {
  readonly href: string;
}

/** A request to sign. Send it unchanged, down to the last character of its URL. */
export interface RequestToSign {
  /** Signed, and to be sent, in upper case. */
  readonly method: string;
  /**
   * The URL. A string is signed unchanged: send that same string. A `URL` object is signed as its `href`
   * without the fragment, which is what `fetch` sends.
   */
  readonly url: string | UrlObject;
  /** The body's bytes, or its text, to be sent as UTF-8. Undefined, null or empty: no body. */
  readonly body?: BytesLike | string | null | undefined;
}

/** Fixed times for a signature; for tests, and for systems with their own time source. */
export interface SigningTime {
  /** Unix seconds. */
  readonly created?: number;
  /** An IMF-fixdate. Defaults to the time of `created`. */
  readonly date?: string;
  /**
   * True for a read that may reuse the signature of an equal one that was signed less than a second ago, or
   * at the given `created`: services that are not strict accept that again within two seconds. Defaults to
   * false: no base is signed twice.
   */
  readonly mayRepeat?: boolean;
}

/** Settings of either kind of signer, apart from its key. */
export interface SignerSettings {
  /** The client ID that the service assigned. */
  readonly keyid: string;
  /**
   * False for services that expect the earlier form without `date`. Browsers need it, because pages cannot set `Date`.
   */
  readonly coverDate?: boolean;
  /** True for services configured to require the `nonce` parameter. */
  readonly nonce?: boolean;
  /** The wall clock, in milliseconds. Defaults to the system's. */
  readonly nowMs?: () => number;
  /** A monotonic clock, in milliseconds. Defaults to `performance.now()`. */
  readonly monotonicMs?: () => number;
  /**
   * Records which seconds equal requests have used. Signers that share one never sign the same base twice
   * between them. Defaults to a separate memory for each signer.
   */
  readonly usedSeconds?: UsedSeconds;
}

/** Records the seconds in which requests were signed. */
export interface UsedSeconds {
  /**
   * Takes a second for a request. Returns false if an equal request took it at least `sharedMs` ago. Must be
   * synchronous and, among threads, atomic.
   *
   * @param what distinguishes the request and its client from others
   * @param created the second, in Unix time
   * @param sharedMs how long equal requests may share the second, in milliseconds since it was first taken.
   * Default 0
   */
  add(what: string, created: number, sharedMs?: number): boolean;
}

/** The header lines to add to a request, by name. `Content-Digest` and `Date` only if they are covered. */
export interface SignedHeaders {
  readonly [name: string]: string;
  readonly 'Signature-Input': string;
  readonly Signature: string;
}

/** A signed request: send exactly this method, URL and body, with these headers. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  /** The bytes that were signed; undefined if no body was given. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly headers: SignedHeaders;
  /** Unix seconds. */
  readonly created: number;
  /** The signed text, for display and comparison (RFC 9421 section 2.5). */
  readonly signatureBase: string;
}

/** A request to sign whose body is definitely present. */
export interface RequestWithBody extends RequestToSign {
  readonly body: BytesLike | string;
}

/** A signed request that keeps its body, even if that is empty. */
export interface SignedRequestWithBody extends SignedRequest {
  readonly body: Uint8Array<ArrayBuffer>;
}

export type SigningErrorCode =
  | 'keyid_invalid'
  | 'private_key_invalid'
  | 'request_invalid'
  /** Thrown only by clients that buffer bodies, such as those of `@countersign/client`. */
  | 'body_too_large'
  | 'too_many_equal_requests'
  | 'already_signed'
  /** Thrown only by the adapters of `@countersign/client`. */
  | 'repeat_not_signed'
  | 'signing_failed';

/** A signer or signature that cannot be created. The message says what to do and contains nothing from a key. */
export class SigningError extends Error {
  readonly code: SigningErrorCode;

  constructor(code: SigningErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SigningError';
    this.code = code;
  }
}

/** A request that is complete except for its signature. */
export interface UnsignedRequest {
  readonly signatureBase: string;
  complete(signature: Uint8Array): SignedRequest;
}

/** Limits how far `created` runs ahead of the clock to keep signatures distinct; half of what the service allows. */
const aheadSecondsMax = 30;
/**
 * How long equal reads share a second after the first was signed, in milliseconds. A service accepts them for
 * two seconds (profile, 2.4); the other second is for the time on the network.
 */
export const equalReadsMs = 1000;
/** How long a signature is remembered, until no service accepts it any more: the profile's window, plus a margin. */
const rememberMs = 420_000;

/**
 * Everything in a signer except the hash and the operation with its private key.
 *
 * Except for a request that `mayRepeat`, it never returns the same base twice, because signatures are deterministic and
 * the service treats the second of two equal ones as a replay. Equal requests get a later `created` and `Date`.
 */
export class SignatureComposer {
  readonly #coversDate: boolean;
  readonly #hasNonce: boolean;
  readonly #keyidParameter: string;
  readonly #nowMs: () => number;
  readonly #used: UsedSeconds;

  /** @throws SigningError for a keyid that cannot be used, TypeError for a setting of a wrong type */
  constructor(settings: SignerSettings) {
    checkObject(settings, 'options');
    checkKeyid(settings.keyid);
    checkOptionalBoolean(settings.coverDate, 'coverDate');
    checkOptionalBoolean(settings.nonce, 'nonce');
    checkOptionalFunction(settings.nowMs, 'nowMs');
    checkOptionalFunction(settings.monotonicMs, 'monotonicMs');
    this.#coversDate = settings.coverDate ?? true;
    this.#hasNonce = settings.nonce ?? false;
    this.#keyidParameter = `;keyid="${escapeString(settings.keyid)}"`;
    this.#nowMs = settings.nowMs ?? Date.now;
    this.#used = settings.usedSeconds ?? new MemoryUsedSeconds(settings.monotonicMs);
  }

  /**
   * Builds a request's base.
   *
   * @param algorithm the algorithm of the key that will sign it
   * @param contentDigest the field for the body; undefined if there is none, or it is empty
   */
  compose(
    algorithm: AlgorithmName,
    request: RequestToSign,
    body: Uint8Array<ArrayBuffer> | undefined,
    contentDigest: string | undefined,
    time: SigningTime = {},
  ): UnsignedRequest {
    if (typeof request.method !== 'string') throw requestInvalid('the method must be a string');
    const method = upperCaseAscii(request.method);
    const url = typeof request.url === 'string' ? request.url : withoutFragment(request.url);
    const refusal = checkTarget(method, url);
    if (refusal) throw requestInvalid(refusal.reason);

    const keyParameters = `${this.#keyidParameter};alg="${algorithm}"`;
    const parts: BaseParts = {
      method,
      url,
      body,
      contentDigest,
      coversDate: this.#coversDate,
      laterParameters: this.#hasNonce
        ? `${keyParameters};nonce="${globalThis.crypto.randomUUID()}"`
        : keyParameters,
    };
    checkTime(time);
    const { created, mayRepeat = false } = time;
    if (created === undefined) return this.#takeNextSecond(parts, time.date, mayRepeat);
    const { date = formatHttpDate(created) } = time;
    if (this.#used.add(distinction(parts, date), created) || mayRepeat) return unsigned(parts, created, date);
    throw new SigningError(
      'already_signed',
      'This request was signed before with the same "created". Choose a later one.',
    );
  }

  #takeNextSecond(parts: BaseParts, givenDate: string | undefined, mayRepeat: boolean): UnsignedRequest {
    const nowSeconds = Math.floor(this.#nowMs() / 1000);
    if (!Number.isFinite(nowSeconds)) throw requestInvalid('nowMs must return a number of milliseconds');
    for (let created = nowSeconds; created <= nowSeconds + aheadSecondsMax; created++) {
      const date = givenDate ?? formatHttpDate(created);
      if (this.#used.add(distinction(parts, date), created, mayRepeat ? equalReadsMs : 0))
        return unsigned(parts, created, date);
    }
    throw new SigningError(
      'too_many_equal_requests',
      `More than ${aheadSecondsMax} identical requests at once: each needs its own second, so at most one a second can be ` +
        'kept up. Wait a second, or make the requests differ, for example by a query parameter.',
    );
  }
}

/** Returns the body as bytes; undefined if there is none. */
export function bodyBytes(body: RequestToSign['body']): Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  try {
    return bytesOf(body, 'body');
  } catch {
    // Anything else has no known length, and would be sent as an unsigned body.
    throw requestInvalid('the body must be a text or bytes (Uint8Array, ArrayBuffer, DataView)');
  }
}

function requestInvalid(reason: string): SigningError {
  return new SigningError('request_invalid', `This request cannot be signed: ${reason}.`);
}

/** The parts of a base, apart from its times. */
interface BaseParts {
  readonly method: string;
  readonly url: string;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly contentDigest: string | undefined;
  readonly coversDate: boolean;
  /** The parameters after `created`. */
  readonly laterParameters: string;
}

/** Distinguishes a request's base from the same signer's other bases in the same second. */
function distinction(
  { method, url, contentDigest, coversDate, laterParameters }: BaseParts,
  date: string,
): string {
  return `${method} ${url} ${contentDigest ?? ''} ${coversDate ? date : ''} ${laterParameters}`;
}

function unsigned(parts: BaseParts, created: number, date: string): UnsignedRequest {
  const { method, url, body, contentDigest, coversDate, laterParameters } = parts;
  const list = componentListFor(contentDigest !== undefined, coversDate);
  const signatureParams = `${list.text};created=${created}${laterParameters}`;
  const base = profileSignatureBase({
    method,
    targetUri: url,
    contentDigest,
    date: coversDate ? date : undefined,
    signatureParams,
  });
  return {
    signatureBase: base,
    complete: (signature) => ({
      method,
      url,
      body,
      created,
      signatureBase: base,
      headers: {
        ...(contentDigest !== undefined && { 'Content-Digest': contentDigest }),
        ...(coversDate && { Date: date }),
        'Signature-Input': `${signatureLabel}=${signatureParams}`,
        Signature: `${signatureLabel}=:${encodeBase64(signature)}:`,
      },
    }),
  };
}

/**
 * Remembers for one thread which requests were signed in which second, for seven minutes. A hash represents a request: a
 * collision costs one second, no more.
 */
export class MemoryUsedSeconds implements UsedSeconds {
  /** The first and the last time at which each request took a second, by second. */
  readonly #seconds = new Map<number, { readonly takenMs: Map<number, number>; lastAddedMs: number }>();
  readonly #monotonicMs: () => number;
  #forgetAtMs = 0;

  /** @param monotonicMs a monotonic clock, in milliseconds; `performance.now()` by default */
  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  add(what: string, created: number, sharedMs = 0): boolean {
    const nowMs = this.#monotonicMs();
    if (!Number.isFinite(nowMs)) throw requestInvalid('monotonicMs must return a number of milliseconds');
    this.#forget(nowMs);
    let second = this.#seconds.get(created);
    if (!second) this.#seconds.set(created, (second = { takenMs: new Map(), lastAddedMs: nowMs }));
    const hash = hash53(what);
    const takenMs = second.takenMs.get(hash);
    if (takenMs !== undefined) return nowMs - takenMs < sharedMs;
    second.takenMs.set(hash, nowMs);
    second.lastAddedMs = nowMs;
    return true;
  }

  #forget(nowMs: number): void {
    if (nowMs < this.#forgetAtMs) return;
    this.#forgetAtMs = nowMs + 1000;
    for (const [created, second] of this.#seconds) {
      if (nowMs - second.lastAddedMs > rememberMs) this.#seconds.delete(created);
    }
  }
}

/** A fast 53-bit hash: two multiplicative 32-bit lanes, mixed at the end. Not for security. */
function hash53(text: string): number {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995);
    high ^= high >>> 15;
  }
  low ^= low >>> 16;
  low = Math.imul(low, 0x7feb352d);
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}

function checkKeyid(keyid: string): void {
  if (isKeyid(keyid)) return;
  throw new SigningError(
    'keyid_invalid',
    `The Client ID, which becomes the keyid, is missing or invalid. Copy it from the portal: 1 to ${profileLimits.keyidLengthMax} visible ASCII characters without spaces.`,
  );
}

/** The last second of the year 9999, the last that an IMF-fixdate can represent. */
const createdMax = 253_402_300_799;

function checkTime({ created, date, mayRepeat }: SigningTime): void {
  checkOptionalBoolean(mayRepeat, 'mayRepeat');
  if (created !== undefined && !(Number.isInteger(created) && created >= 0 && created <= createdMax)) {
    throw requestInvalid('"created" must be whole Unix seconds');
  }
  if (date !== undefined && (typeof date !== 'string' || readHttpDate(date) === undefined))
    throw requestInvalid('the date must have the form "Tue, 20 Apr 2021 02:07:55 GMT"');
}

function escapeString(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}

function upperCaseAscii(method: string): string {
  return /[a-z]/.test(method) ? method.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : method;
}

function withoutFragment(url: UrlObject): string {
  // Not `instanceof`: test runners and frames have their own URL.
  if (typeof url !== 'object' || url === null || typeof url.href !== 'string')
    throw requestInvalid('the URL must be a string or a URL');
  const copy = new URL(url.href);
  copy.hash = '';
  return copy.href;
}
