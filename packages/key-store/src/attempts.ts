import { setTimeout as pause } from 'node:timers/promises';
import { KeyStoreError, optionsInvalid } from './key-store-error.ts';

export interface AttemptSettings {
  /** The time limit of a signature, including waiting and retries. Default: 5,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** The number of concurrent calls; more wait their turn. Default: 32. */
  readonly concurrencyMax?: number | undefined;
}

/** One attempt. Throws a KeyStoreError; a transient one is retried. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T>;

const attemptsMax = 4;
const firstPauseMs = 100;
/** A store with more waiting calls than this cannot catch up within a time-out. */
const waitingMax = 10_000;

/**
 * Runs calls to a store: not too many at once, each within its time limit, and retried when that is safe and
 * may help.
 */
export class Attempts {
  readonly #store: string;
  readonly #timeoutMs: number;
  readonly #concurrencyMax: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(store: string, settings: AttemptSettings) {
    const { timeoutMs, concurrencyMax } = checkAttemptSettings(settings);
    this.#store = store;
    this.#timeoutMs = timeoutMs;
    this.#concurrencyMax = concurrencyMax;
  }

  /** Runs a call that may be repeated, such as a signature: the same key gives the same one again. */
  repeatable<T>(attempt: Attempt<T>): Promise<T> {
    return this.#within((signal) => this.#repeat(attempt, signal));
  }

  /** Runs a call that must not be repeated, such as creating a key. */
  once<T>(attempt: Attempt<T>): Promise<T> {
    return this.#within(attempt);
  }

  async #within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    const startedMs = performance.now();
    await this.#turn(deadline);
    const waitedMs = performance.now() - startedMs;
    try {
      return await orAbort(work(deadline), deadline);
    } catch (error) {
      if (error instanceof KeyStoreError || !deadline.aborted) throw error;
      throw waitedMs > this.#timeoutMs / 2 ? this.#crowded() : this.#late();
    } finally {
      this.#running -= 1;
      const [next] = this.#waiting;
      next?.();
    }
  }

  async #repeat<T>(attempt: Attempt<T>, deadline: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        // A call that hangs leaves time for another one.
        const part = AbortSignal.timeout(Math.ceil(this.#timeoutMs / 2));
        const signal = AbortSignal.any([deadline, part]);
        return await orAbort(attempt(signal), signal);
      } catch (error) {
        if (deadline.aborted && !(error instanceof KeyStoreError)) throw error;
        const failure = error instanceof KeyStoreError || !isAbort(error) ? error : this.#late();
        const isFinal = !(failure instanceof KeyStoreError) || !failure.isTransient || tries >= attemptsMax;
        if (isFinal) throw failure;
        // Random, so that programs that failed together do not retry together.
        const pauseMs = firstPauseMs * 2 ** (tries - 1) * (0.5 + Math.random());
        await pause(pauseMs, undefined, { signal: deadline }).catch(() => {
          throw failure;
        });
      }
    }
  }

  async #turn(deadline: AbortSignal): Promise<void> {
    if (this.#running < this.#concurrencyMax) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.size >= waitingMax) throw this.#crowded();
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        this.#waiting.delete(go);
        deadline.removeEventListener('abort', giveUp);
        this.#running += 1;
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.delete(go);
        reject(this.#crowded());
      };
      deadline.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(go);
    });
  }

  #late(): KeyStoreError {
    return new KeyStoreError('store_unavailable', `${this.#store} did not answer in time.`);
  }

  #crowded(): KeyStoreError {
    return new KeyStoreError(
      'throttled',
      `Too many signatures are waiting for ${this.#store}: it does not keep up with ${this.#concurrencyMax} at a time.`,
    );
  }
}

/** Fills in the defaults. Throws a KeyStoreError for invalid numbers. */
export function checkAttemptSettings({
  timeoutMs = 5000,
  concurrencyMax = 32,
}: AttemptSettings): Required<Record<keyof AttemptSettings, number>> {
  if (!isWhole(timeoutMs, 1, 600_000))
    throw optionsInvalid('timeoutMs must be a whole number from 1 to 600000.');
  if (!isWhole(concurrencyMax, 1, 1000))
    throw optionsInvalid('concurrencyMax must be a whole number from 1 to 1000.');
  return { timeoutMs, concurrencyMax };
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Rejects when the signal aborts, even if the work ignores it. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
}
