import type { BytesLike } from '@countersign/signature';
import type { WaitOptions } from '@countersign/signature/free-second';
import { mayBeRefusal, provesNotExecuted, type ResponseHead } from '../refusals/read-refusal.ts';
import type { RefusedError } from '../refusals/refused-error.ts';
import { checkHost } from './own-headers.ts';
import { RepeatNotSignedError } from './repeat-not-signed-error.ts';
import type { Lesson, RequestSigner, SignedAttempt } from './request-signer.ts';

/** A request of a call, as an adapter is about to send it. */
export interface RequestOfCall extends WaitOptions {
  readonly method: string;
  /** Normalized, as `targetUrl` does it. */
  readonly url: string;
  readonly body: BytesLike | undefined;
  /** Returns the value of the caller's header with this name, in lower case. */
  readonly header: (name: string) => string | null | undefined;
}

/** The methods that may be repeated (RFC 9110 section 9.2.2). Carrying out any other twice may make two payments. */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Redirects of requests that were not carried out, unlike those with a 303. */
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * One call of an HTTP client, with all of its attempts: its own retries, redirects, and repeats of the adapter. A request
 * that is not idempotent and has no `Idempotency-Key` is not signed again while the outcome of an earlier attempt is
 * unknown. Every adapter asks the call for each signature, and tells it each answer.
 */
export class Call {
  readonly #signer: RequestSigner;
  #isOutcomeUnknown = false;
  #failure: unknown;
  #addedKey: string | undefined;
  #attempt: SignedAttempt | undefined;
  #hasRepeated = false;

  constructor(signer: RequestSigner) {
    this.#signer = signer;
  }

  /**
   * Signs the next attempt. The headers to add may include an `Idempotency-Key`.
   *
   * @throws RepeatNotSignedError, and the other errors of `RequestSigner.sign`
   */
  async sign({ header, signal, waitMsMax, ...request }: RequestOfCall): Promise<SignedAttempt> {
    checkHost(header('host'), request.url);
    if (idempotentMethods.has(request.method.toUpperCase()))
      return (this.#attempt = await this.#signer.sign(request, { signal, waitMsMax }));
    const givenKey = header('idempotency-key');
    if (this.#signer.idempotencyKeys && (givenKey === null || givenKey === undefined))
      this.#addedKey ??= globalThis.crypto.randomUUID();
    const hasKey = Boolean(givenKey?.trim()) || this.#addedKey !== undefined;
    if (this.#isOutcomeUnknown && !hasKey)
      throw new RepeatNotSignedError(request.method.toUpperCase(), { cause: this.#failure });
    // Set before signing, in case the client sends two attempts at once.
    const wasUnknown = this.#isOutcomeUnknown;
    this.#isOutcomeUnknown = true;
    try {
      this.#attempt = await this.#signer.sign(request, { signal, waitMsMax });
    } catch (error) {
      this.#isOutcomeUnknown = wasUnknown;
      throw error;
    }
    if (this.#addedKey === undefined || givenKey) return this.#attempt;
    const headers = { ...this.#attempt.headers, 'Idempotency-Key': this.#addedKey };
    return { ...this.#attempt, headers };
  }

  /**
   * Takes note of the answer to the last attempt. Returns true if the adapter should sign and send the request once more
   * by itself.
   */
  repeatsAfter(head: ResponseHead, refusal: RefusedError | undefined): boolean {
    if (refusal && provesNotExecuted(refusal)) this.#isOutcomeUnknown = false;
    if (redirectStatuses.has(head.status)) {
      this.#isOutcomeUnknown = false;
      this.#hasRepeated = false;
    }
    const lesson = refusal ?? this.#suspectedReplay(head);
    if (!lesson || this.#hasRepeated || !this.#attempt) return false;
    this.#hasRepeated = this.#signer.learnFrom(lesson, this.#attempt);
    return this.#hasRepeated;
  }

  /** The refusal of a HEAD has no body, and so no code. Reading once more does no harm. */
  #suspectedReplay(head: ResponseHead): Lesson | undefined {
    if (this.#attempt?.method !== 'HEAD' || head.status !== 401 || !mayBeRefusal(head)) return undefined;
    return { code: 'signature_replayed', serverTime: undefined };
  }

  /** Takes note of how the last attempt failed without an answer, for the error that a repeat gets. */
  failed(error: unknown): void {
    this.#failure = error;
  }
}
