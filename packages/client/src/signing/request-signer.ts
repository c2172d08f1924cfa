import {
  type BytesLike,
  type RequestToSign,
  type SignedRequest,
  type SignerSettings,
  SigningError,
  type SigningTime,
} from '@countersign/signature';
import { readMethods, strictMs, waitForSecond, type WaitOptions } from '@countersign/signature/free-second';
import type { RefusedError } from '../refusals/refused-error.ts';
import { ServiceClock } from './clock.ts';
import type { SharedOptions, SignerIdentity } from './options.ts';
import { pause } from './pause.ts';
import { profileSettings } from './profile-options.ts';
import { lazyProfileSigner, type ProfileMeans } from './profile-settings.ts';
import { targetUrl } from './target-url.ts';

/** A signed request, and the facts needed to judge the service's response to it. */
export interface SignedAttempt extends SignedRequest {
  /** The clock correction used to sign it, in milliseconds. */
  readonly clockOffsetMs: number;
}

/** Returns the value of a request's header with this name, in lower case: the values of all its lines, joined by commas. */
export type HeaderOf = (name: string) => string | null | undefined;

/** A request to sign. */
export interface SignerRequest extends RequestToSign {
  /** The request's other headers, for profiles that cover some. */
  readonly header?: HeaderOf | undefined;
}

/**
 * Signs one client's requests, each attempt anew. All adapters take one; create it once and use it for all of
 * them, so that they share the corrected clock.
 */
export interface RequestSigner {
  /** Undefined for an agent. */
  readonly clientId: string | undefined;
  /** The headers that it sets, in lower case. */
  readonly signatureHeaders: readonly string[];
  readonly bodyBytesMax: number;
  readonly throwsRefusals: boolean;
  readonly idempotencyKeys: boolean;
  readonly problemTypeBase: string | undefined;
  /** Loads the key. Rejects with SigningError; call it at start to fail early. */
  ready(): Promise<void>;
  /**
   * Signs a request. Send it with the URL of the result, which is normalized as by `new URL()`. Waits for a
   * free second if too many equal requests were signed. Rejects with SigningError.
   */
  sign(request: SignerRequest, options?: SignOptions): Promise<SignedAttempt>;
  /**
   * Learns from a rejection: the service's clock, and that it accepts no equal reads. Returns true if the
   * request should be signed and sent once more.
   */
  learnFrom(refusal: Lesson, attempt: SignedAttempt): boolean;
}

/** How a request is signed. */
export interface SignOptions extends WaitOptions {
  /** True if an equal read must have its own second, as if the service were strict. */
  readonly ownSecond?: boolean | undefined;
}

/** The facts that a signer learns from. */
export type Lesson = Pick<RefusedError, 'code' | 'serverTime'>;

/** The parts of a signer that depend on the runtime. */
export interface SigningMeans extends ProfileMeans {
  /** Signs a request at a time, or at the next free second. */
  readonly createSigner: (settings: SignerSettings) => BareSigner;
  readonly ready: () => Promise<void>;
}

/** Takes a second that no other process has used for an equal request, or the second of a recent one if that may repeat. */
export type TakeSecond = (request: RequestWithTarget, nowMs: number, mayRepeat: boolean) => Promise<number>;

/** A request whose URL and body are in the form that is signed. */
export interface RequestWithTarget {
  readonly method: string;
  readonly url: string;
  readonly body: BytesLike | null | undefined;
}

export interface BareSigner {
  sign(request: SignerRequest, time?: SigningTime): Promise<SignedRequest>;
}

const clientHeaders = ['content-digest', 'date', 'signature', 'signature-input'] as const;
const profileHeaders = ['content-digest', 'signature', 'signature-input'] as const;
const agentHeaders = [...profileHeaders, 'signature-agent'] as const;

const defaultBodyBytesMax = 10_485_760;

const aboutTheClock: ReadonlySet<string> = new Set(['created_expired', 'created_in_future', 'date_mismatch']);

/** Builds a signer from options and the runtime's parts. */
export function buildRequestSigner(
  options: SharedOptions & SignerIdentity,
  means: SigningMeans,
): RequestSigner {
  const { clientId, coverDate, nonce, bodyBytesMax = defaultBodyBytesMax } = options;
  const { throwsRefusals = true, idempotencyKeys = false, problemTypeBase } = options;
  if (!Number.isSafeInteger(bodyBytesMax) || bodyBytesMax < 0)
    throw new TypeError('bodyBytesMax must be a whole number of bytes, 0 or more.');
  if (typeof throwsRefusals !== 'boolean') throw new TypeError('throwsRefusals must be true or false.');
  if (typeof idempotencyKeys !== 'boolean') throw new TypeError('idempotencyKeys must be true or false.');
  const clock = new ServiceClock(options.now);
  const settings = profileSettings(options);
  const profiled = settings && lazyProfileSigner(settings, means, clock.nowMs);
  const signer =
    profiled ??
    means.createSigner({
      keyid: clientId!,
      nowMs: clock.nowMs,
      usedSeconds: means.usedSeconds,
      ...(coverDate !== undefined && { coverDate }),
      ...(nonce !== undefined && { nonce }),
    });
  const takeSecond = nonce === true || profiled !== undefined ? undefined : means.takeSecond;
  const strictUntilMs = new Map<string, number>();
  return {
    clientId,
    bodyBytesMax,
    throwsRefusals,
    idempotencyKeys,
    problemTypeBase,
    signatureHeaders: signatureHeadersOf(options),
    ready: () => (profiled ?? means).ready(),
    async sign({ method, url, body, header }, { ownSecond = false, ...waiting } = {}) {
      const { href, origin } = targetUrl(url);
      const request = {
        method,
        url: href,
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
        header,
      };
      const isStrict = (strictUntilMs.get(origin) ?? Number.NEGATIVE_INFINITY) > clock.nowMs();
      const mayRepeat = readMethods.has(method.toUpperCase()) && !isStrict && !ownSecond;
      const clockOffsetMs = clock.offsetMs;
      const take = takeSecond && (() => takeSecond(request, clock.nowMs(), mayRepeat));
      const sign = (): Promise<SignedRequest> =>
        take ? signInTakenSecond(signer, request, take, mayRepeat) : signer.sign(request, { mayRepeat });
      return { ...(await waitForSecond(sign, { nowMs: clock.nowMs, pause }, waiting)), clockOffsetMs };
    },
    learnFrom({ code, serverTime }, { method, url, clockOffsetMs }) {
      // Any site answers agents and clients by other profiles: none may change what the others get.
      if (profiled !== undefined) return false;
      if (aboutTheClock.has(code)) return clock.correct(serverTime, clockOffsetMs);
      if (code !== 'signature_replayed' || !readMethods.has(method)) return false;
      strictUntilMs.set(new URL(url).origin, clock.nowMs() + strictMs);
      return true;
    },
  };
}

function signatureHeadersOf({ profile, signatureAgent }: SignerIdentity): readonly string[] {
  if (signatureAgent !== undefined) return agentHeaders;
  return profile === undefined ? clientHeaders : profileHeaders;
}

/** Another signer of this process that records nothing for other processes may have used the second. */
async function signInTakenSecond(
  signer: BareSigner,
  request: RequestWithTarget,
  take: () => Promise<number>,
  mayRepeat: boolean,
): Promise<SignedRequest> {
  for (;;) {
    try {
      return await signer.sign(request, { created: await take(), mayRepeat });
    } catch (error) {
      if (!(error instanceof SigningError && error.code === 'already_signed')) throw error;
    }
  }
}
