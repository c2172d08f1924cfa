import {
  type BytesLike,
  type RequestToSign,
  type SignedRequest,
  type SignerSettings,
  SigningError,
  type SigningTime,
  type UsedSeconds,
} from '@countersign/signature';
import type { RefusedError } from '../refusals/refused-error.ts';
import { ServiceClock } from './clock.ts';
import type { SharedOptions } from './options.ts';
import { targetUrl } from './target-url.ts';

/** A signed request, and what is needed to judge the service's answer to it. */
export interface SignedAttempt extends SignedRequest {
  /** By how much the clock was corrected when it was signed, in milliseconds. */
  readonly clockOffsetMs: number;
}

/**
 * Signs one client's requests, each attempt anew. All adapters take one; make it once and use it for all of them, so that
 * they share the corrected clock.
 */
export interface RequestSigner {
  readonly clientId: string;
  readonly bodyBytesMax: number;
  readonly throwsRefusals: boolean;
  /** Loads the key. Rejects with SigningError; call it at start to fail early. */
  ready(): Promise<void>;
  /** Signs a request as it will be sent, down to the last character of its URL. Rejects with SigningError. */
  sign(request: RequestToSign): Promise<SignedAttempt>;
  /** Corrects the clock by a refusal. Returns true if the request should be signed and sent once more. */
  correctClock(refusal: RefusedError, attempt: SignedAttempt): boolean;
}

/** What a runtime adds to a signer. */
export interface SigningMeans {
  /** Signs a request at a time, or at the next free second. */
  readonly createSigner: (settings: SignerSettings) => BareSigner;
  readonly ready: () => Promise<void>;
  /** The memory of used seconds that all signers of the program share. */
  readonly usedSeconds: UsedSeconds;
  /** Takes a second that no other process has used for an equal request. */
  readonly takeSecond?: ((request: RequestWithTarget, nowMs: number) => Promise<number>) | undefined;
}

/** A request whose URL and body have the form that is signed. */
export interface RequestWithTarget {
  readonly method: string;
  readonly url: string;
  readonly body: BytesLike | null | undefined;
}

export interface BareSigner {
  sign(request: RequestToSign, time?: SigningTime): Promise<SignedRequest>;
}

const defaultBodyBytesMax = 10_485_760;

const aboutTheClock: ReadonlySet<string> = new Set(['created_expired', 'created_in_future', 'date_mismatch']);

/** Builds a signer from options and the means of a runtime. */
export function buildRequestSigner(options: SharedOptions, means: SigningMeans): RequestSigner {
  const { clientId, coverDate, nonce, bodyBytesMax = defaultBodyBytesMax, throwsRefusals = true } = options;
  if (!Number.isSafeInteger(bodyBytesMax) || bodyBytesMax < 0)
    throw new TypeError('bodyBytesMax must be a whole number of bytes, 0 or more.');
  if (typeof throwsRefusals !== 'boolean') throw new TypeError('throwsRefusals must be true or false.');
  const clock = new ServiceClock(options.now);
  const signer = means.createSigner({
    keyid: clientId,
    nowMs: clock.nowMs,
    usedSeconds: means.usedSeconds,
    ...(coverDate !== undefined && { coverDate }),
    ...(nonce !== undefined && { nonce }),
  });
  const takeSecond = nonce === true ? undefined : means.takeSecond;
  return {
    clientId,
    bodyBytesMax,
    throwsRefusals,
    ready: means.ready,
    async sign({ method, url, body }) {
      const request = {
        method,
        url: typeof url === 'string' ? url : targetUrl(url).href,
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
      };
      const clockOffsetMs = clock.offsetMs;
      const signed = takeSecond
        ? await signInTakenSecond(signer, request, () => takeSecond(request, clock.nowMs()))
        : await signer.sign(request);
      return { ...signed, clockOffsetMs };
    },
    correctClock: ({ code, serverTime }, attempt) =>
      aboutTheClock.has(code) && clock.correct(serverTime, attempt.clockOffsetMs),
  };
}

/** Another signer of this process that records nothing for other processes may have used the second. */
async function signInTakenSecond(
  signer: BareSigner,
  request: RequestWithTarget,
  take: () => Promise<number>,
): Promise<SignedRequest> {
  for (;;) {
    try {
      return await signer.sign(request, { created: await take() });
    } catch (error) {
      if (!(error instanceof SigningError && error.code === 'already_signed')) throw error;
    }
  }
}
