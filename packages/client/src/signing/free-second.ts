import { SigningError } from '@countersign/signature';
import type { WaitOptions } from './request-signer.ts';

const defaultWaitMsMax = 30_000;

/**
 * Signs, and tries again in the next second while equal requests have used all seconds that may be signed. Rejects with
 * the SigningError `too_many_equal_requests` when the time is up.
 */
export async function waitForSecond<Signed>(
  sign: () => Promise<Signed>,
  nowMs: () => number,
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
      if (performance.now() + untilNextMs > endMs) throw error;
      await pause(untilNextMs, signal);
      // A clock that stands still, as in tests, gives no new second.
      if (nowMs() === triedAtMs) throw error;
    }
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      // What an abort gives is what `fetch` rejects with, too.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
