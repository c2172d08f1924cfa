/**
 * Waits for a free second when equal requests have used up theirs.
 *
 * @module
 */
import { SigningError } from './profile/signing.ts';

/**
 * The methods whose equal requests may share a second: a service accepts repetitions for two seconds after
 * the first (profile, 2.4).
 */
export const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * How long a service that rejected an equal read is assumed to be strict, in milliseconds. Limited, because a
 * read that reached a busy service after more than two seconds looks the same.
 */
export const strictMs = 10_000;

/** How long a request may wait for a second that no equal one has used. */
export interface WaitOptions {
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** The limit in milliseconds. Default: 30,000. */
  readonly waitMsMax?: number | undefined;
}

/** The time to sign, and the means to wait. */
export interface Clock {
  /** The wall clock, in milliseconds. */
  readonly nowMs: () => number;
  /** Resolves later; rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

const defaultWaitMsMax = 30_000;

/**
 * Signs, and retries in the next second while equal requests have used all seconds that may be signed.
 * Rejects with the SigningError `too_many_equal_requests` when the time is up.
 */
export async function waitForSecond<Signed>(
  sign: () => Promise<Signed>,
  { nowMs, pause }: Clock,
  { signal, waitMsMax = defaultWaitMsMax }: WaitOptions = {},
): Promise<Signed> {
  const endMs = performance.now() + waitMsMax;
  for (;;) {
    try {
      return await sign();
    } catch (error) {
      if (!(error instanceof SigningError && error.code === 'too_many_equal_requests')) throw error;
      const triedAtMs = nowMs();
      const untilNextMs = 1000 - (triedAtMs % 1000);
      // The negated comparison also ends the loop if the clock returns NaN.
      if (!(performance.now() + untilNextMs <= endMs)) throw error;
      await pause(untilNextMs, signal);
      // A clock that stands still, as in tests, gives no new second.
      if (nowMs() === triedAtMs) throw error;
    }
  }
}
