import type { WaitOptions } from '@countersign/signature/free-second';
import { redirectOf } from './redirects.ts';
import { mayBeRefusal, provesNotExecuted, type ResponseHead } from '../refusals/read-refusal.ts';
import type { RefusedError } from '../refusals/refused-error.ts';
import { checkHost } from './own-headers.ts';
import { RepeatNotSignedError } from './repeat-not-signed-error.ts';
import type { HeaderOf, RequestSigner, SignedAttempt } from './request-signer.ts';
import { targetUrl } from './target-url.ts';

/** A request of a call that an adapter is about to send. */
export interface RequestOfCall extends WaitOptions {
  readonly method: string;
  /** Normalized by `targetUrl`. */
  readonly url: string;
  readonly body: Uint8Array | undefined;
  readonly header: HeaderOf;
}

/** The methods that may be repeated (RFC 9110 section 9.2.2). Repeating any other could make two payments. */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Returns true if a request with this method may be repeated. */
export function isIdempotent(method: string): boolean {
  return idempotentMethods.has(method.toUpperCase());
}

/** The head of the response to an attempt. */
export interface AnswerHead extends ResponseHead {
  readonly location: string | null | undefined;
}

/** What is known about the attempts so far. */
interface Standing {
  /**
   * Set once the API may have carried out the call. Only the `Idempotency-Key` of that attempt makes a repeat
   * safe.
   */
  readonly unknown?: { readonly key: string | undefined };
  /** The request that the last response redirects to: a continuation of that attempt, not a repeat. */
  readonly hop?: { readonly method: string; readonly url: string };
}

/**
 * One call of an HTTP client, with all of its attempts: its own retries, redirects, and repeats by the
 * adapter. While the outcome of an attempt is unknown, a request that is not idempotent is not signed again,
 * unless both have the same `Idempotency-Key`. Every adapter requests each signature from the call, and
 * reports each response to it.
 */
export class Call {
  readonly #signer: RequestSigner;
  #standing: Standing = {};
  #failure: unknown;
  #added: { readonly key: string; readonly body: Uint8Array | undefined } | undefined;
  #attempt: SignedAttempt | undefined;
  #beforeAttempt: Standing = {};
  #hasRepeated = false;
  #suspectsReplay = false;

  constructor(signer: RequestSigner) {
    this.#signer = signer;
  }

  /** Resumes a call whose earlier attempts are unknown: they had this `Idempotency-Key`. */
  static resumed(signer: RequestSigner, key: string | undefined): Call {
    const call = new Call(signer);
    call.#standing = { unknown: { key: key?.trim() } };
    return call;
  }

  /**
   * Signs the next attempt. The headers to add may include an `Idempotency-Key`.
   *
   * @throws RepeatNotSignedError, and the other errors of `RequestSigner.sign`
   */
  async sign({ header, signal, waitMsMax, ...request }: RequestOfCall): Promise<SignedAttempt> {
    checkHost(header('host'), request.url);
    const mayRepeat = isIdempotent(request.method);
    const addedKey = mayRepeat ? undefined : this.#keyToAdd(header('idempotency-key'), request.body);
    const before = this.#standing;
    // Set before signing, in case the client sends two attempts at once.
    if (!mayRepeat)
      this.#standing = this.#afterSending(request, addedKey ?? header('idempotency-key')?.trim());
    try {
      const options = { signal, waitMsMax, ownSecond: this.#suspectsReplay };
      this.#attempt = await this.#signer.sign({ ...request, header: withKey(header, addedKey) }, options);
    } catch (error) {
      this.#standing = before;
      throw error;
    }
    this.#beforeAttempt = before;
    if (addedKey === undefined) return this.#attempt;
    return { ...this.#attempt, headers: { ...this.#attempt.headers, 'Idempotency-Key': addedKey } };
  }

  /**
   * Returns the random key for a request that has none. A different request, such as another payment, gets a
   * different key.
   */
  #keyToAdd(given: string | null | undefined, body: Uint8Array | undefined): string | undefined {
    if (!this.#signer.idempotencyKeys || typeof given === 'string') return undefined;
    if (this.#added && areEqual(this.#added.body, body)) return this.#added.key;
    if (this.#added && this.#standing.unknown) return undefined;
    this.#added = { key: globalThis.crypto.randomUUID(), body };
    return this.#added.key;
  }

  /** Returns the state after sending a request that is not idempotent. Throws if it is a repeat. */
  #afterSending({ method, url }: SentRequest, key: string | undefined): Standing {
    const { unknown } = this.#standing;
    if (unknown === undefined) return { unknown: { key } };
    const isSafe = Boolean(key) && key === unknown.key;
    if (!isSafe && !this.isRedirectedTo({ method, url }))
      throw new RepeatNotSignedError(method.toUpperCase(), { cause: this.#failure });
    return { unknown: isSafe ? unknown : { key: undefined } };
  }

  /** Returns true if the last response redirects to this request. */
  isRedirectedTo({ method, url }: SentRequest): boolean {
    const { hop } = this.#standing;
    return method.toUpperCase() === hop?.method && url === hop.url;
  }

  /**
   * Records the response to the last attempt. Returns true if the adapter should sign and send the request
   * once more.
   */
  repeatsAfter(head: AnswerHead, refusal: RefusedError | undefined): boolean {
    const attempt = this.#attempt;
    if (!attempt) return false;
    // It says nothing about the earlier attempts.
    if (refusal && provesNotExecuted(refusal)) this.#standing = this.#beforeAttempt;
    const hop = hopAfter(head, attempt);
    if (hop) {
      this.#standing = { ...this.#standing, hop };
      this.#hasRepeated = false;
    }
    const wasReplay = this.#suspectsReplay && head.status !== 401;
    if (wasReplay) this.#signer.learnFrom({ code: 'signature_replayed', serverTime: undefined }, attempt);
    this.#suspectsReplay = !this.#hasRepeated && !refusal && mayBeReplayedHead(head, attempt);
    if (this.#hasRepeated || !(refusal || this.#suspectsReplay)) return false;
    this.#hasRepeated = refusal ? this.#signer.learnFrom(refusal, attempt) : true;
    return this.#hasRepeated;
  }

  /** Records how the last attempt failed without a response, for the error of a repeat that is not signed. */
  failed(error: unknown): void {
    this.#failure = error;
  }
}

/**
 * Wraps a call for places where users may copy the object that holds it: a function is never cloned, or
 * wrapped in a way that hides its private fields.
 */
export type CarriedCall = () => Call;

export function carried(call: Call): CarriedCall {
  return () => call;
}

type SentRequest = Pick<RequestOfCall, 'method' | 'url'>;

/** Returns the request that a redirect on the same origin asks for. No other redirect is signed. */
function hopAfter({ status, location }: AnswerHead, attempt: SignedAttempt): SentRequest | undefined {
  const redirect = redirectOf(status, location, attempt);
  if (!redirect || redirect.url.origin !== new URL(attempt.url).origin) return undefined;
  return { method: redirect.method, url: targetUrl(redirect.url).href };
}

/** Returns the headers with the key that is added. */
function withKey(header: HeaderOf, addedKey: string | undefined): HeaderOf {
  return addedKey === undefined ? header : (name) => (name === 'idempotency-key' ? addedKey : header(name));
}

/** A rejected HEAD has no body, and so no code. Reading once more in another second does no harm. */
function mayBeReplayedHead(head: ResponseHead, { method }: SignedAttempt): boolean {
  return method === 'HEAD' && head.status === 401 && mayBeRefusal(head);
}

function areEqual(one: Uint8Array = new Uint8Array(), other: Uint8Array = new Uint8Array()): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
