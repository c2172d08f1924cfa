import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { KeyStoreError } from '@countersign/key-store';
import type { SessionAnswer, SessionFailure, SessionOrder, SessionStart } from './session-messages.ts';

export interface SessionPoolOptions extends SessionStart {
  /** Returns the current PIN. */
  readonly pin: () => Promise<string | undefined>;
  readonly sessionsMax: number;
  readonly timeoutMs: number;
}

interface Task {
  readonly order: SessionOrder;
  readonly settle: (answer: SessionAnswer) => void;
}

interface Thread {
  readonly worker: Worker;
  task: Task | undefined;
}

/** A token with more waiting calls than this cannot catch up within a time-out. */
const waitingMax = 10_000;
/** An HSM needs time to create a key. */
const createKeyMsMax = 180_000;

/**
 * Threads with a session each, as many as are needed at once. The first one logs the program in, alone: a
 * wrong PIN is tried only once, not by every thread, because a token locks after several attempts.
 */
export class SessionPool {
  readonly #options: SessionPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #waiting = new Set<Task>();
  #sessionsMax: number;
  #isLoggedIn = false;
  #loginCount = 0;
  #isClosed = false;
  /** Calls that are not settled yet. */
  #callCount = 0;
  #opening: Promise<void> | undefined;
  /** The PIN that the token has rejected, and the error. */
  #rejected: { readonly pin: string | undefined; readonly error: PoolError } | undefined;
  #idle: (() => void) | undefined;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
    this.#sessionsMax = options.sessionsMax;
  }

  async run(order: SessionOrder): Promise<Uint8Array | string> {
    if (this.#isClosed) throw new PoolError('store_unavailable', 'The key store is closed.', false);
    this.#callCount += 1;
    try {
      return await this.#runOpen(order);
    } finally {
      this.#callCount -= 1;
      if (this.#callCount === 0) this.#idle?.();
    }
  }

  /** Closes the sessions once their current work is done. A thread whose call hangs is left alone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#callCount > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    const free = [...this.#threads].filter(({ task }) => task === undefined);
    await Promise.all(free.map((thread) => this.#end(thread)));
    for (const { worker } of this.#threads) worker.unref();
  }

  async #runOpen(order: SessionOrder): Promise<Uint8Array | string> {
    const patienceMs = order.kind === 'createKey' ? createKeyMsMax : this.#options.timeoutMs;
    const deadlineMs = performance.now() + patienceMs;
    for (let tries = 1; ; tries += 1) {
      if (!this.#isLoggedIn) await this.#openOnce(deadlineMs);
      const login = this.#loginCount;
      try {
        return await this.#enqueue(order, deadlineMs);
      } catch (error) {
        // The token was restarted, or has ended the login.
        if (!(error instanceof PoolError) || error.failureCause !== 'login_lost' || tries > 1) throw error;
        if (login === this.#loginCount) this.#reset();
      }
    }
  }

  async #openOnce(deadlineMs: number): Promise<void> {
    this.#opening ??= this.#open(deadlineMs).finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #open(deadlineMs: number): Promise<void> {
    const pin = await this.#options.pin();
    if (this.#rejected !== undefined && this.#rejected.pin === pin) throw this.#rejected.error;
    try {
      await this.#enqueue({ kind: 'open', pin }, deadlineMs);
      this.#isLoggedIn = true;
      this.#loginCount += 1;
      this.#rejected = undefined;
    } catch (error) {
      if (error instanceof PoolError && error.failureCause === 'pin_rejected')
        this.#rejected = { pin, error };
      throw error;
    }
  }

  #enqueue(order: SessionOrder, deadlineMs: number): Promise<Uint8Array | string> {
    if (this.#waiting.size >= waitingMax) throw crowded();
    return new Promise((resolve, reject) => {
      const task: Task = {
        order,
        settle: (answer) => {
          clearTimeout(timer);
          if (answer.ok) resolve(answer.value);
          else reject(new PoolError(answer.code, answer.message, answer.isTransient, answer));
        },
      };
      const timer = setTimeout(
        () => reject(this.#waiting.delete(task) ? crowded() : late()),
        Math.max(1, deadlineMs - performance.now()),
      );
      this.#waiting.add(task);
      this.#dispatch();
    });
  }

  #dispatch(): void {
    for (const task of this.#waiting) {
      // All other work waits until the program is logged in.
      if (!this.#isLoggedIn && task.order.kind !== 'open') continue;
      const thread = [...this.#threads].find((each) => each.task === undefined) ?? this.#start();
      if (thread === undefined) return;
      this.#waiting.delete(task);
      thread.task = task;
      const { worker } = thread;
      worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(task.order);
    }
  }

  #start(): Thread | undefined {
    if (this.#threads.size >= this.#sessionsMax) return undefined;
    const { module, token, serial } = this.#options;
    const workerData: SessionStart = { module, token, serial };
    const worker = new Worker(threadProgram, {
      workerData,
      name: 'pkcs11 session',
      // It needs no environment variables. The README says that node:ffi is experimental.
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const thread: Thread = { worker, task: undefined };
    this.#threads.add(thread);
    worker.on('message', (answer: SessionAnswer) => this.#finish(thread, answer));
    worker.on('error', () => this.#lose(thread));
    worker.on('exit', () => this.#lose(thread));
    return thread;
  }

  #finish(thread: Thread, answer: SessionAnswer): void {
    const { task } = thread;
    thread.task = undefined;
    thread.worker.unref();
    const isFull = !answer.ok && answer.cause === 'no_session_left';
    if (task !== undefined && isFull && this.#threads.size > 1) {
      // If the token has fewer sessions than requested, use the ones that it has.
      this.#sessionsMax = this.#threads.size - 1;
      void this.#end(thread);
      this.#waiting.add(task);
    } else {
      task?.settle(answer);
    }
    this.#dispatch();
  }

  #lose(thread: Thread): void {
    if (!this.#threads.delete(thread)) return;
    const message = 'The thread of a PKCS#11 session ended unexpectedly.';
    const failure = {
      ok: false,
      code: 'store_unavailable',
      message,
      isTransient: true,
      cause: undefined,
    } as const;
    thread.task?.settle(failure);
    // The login ends with the last session.
    if (this.#threads.size === 0) this.#isLoggedIn = false;
    this.#dispatch();
  }

  /** Makes the next call log in again. Busy threads continue, and notice by themselves. */
  #reset(): void {
    this.#isLoggedIn = false;
    for (const thread of this.#threads) if (thread.task === undefined) void this.#end(thread);
  }

  /** Closes a free thread's session, and ends the thread. */
  async #end(thread: Thread): Promise<void> {
    this.#threads.delete(thread);
    const { worker } = thread;
    const ended = once(worker, 'exit');
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ kind: 'close' } satisfies SessionOrder);
    await ended;
  }
}

const threadProgram = import.meta.url.endsWith('.ts')
  ? new URL('./session-thread.ts', import.meta.url)
  : new URL('./session-thread.js', import.meta.url);

class PoolError extends KeyStoreError {
  // Private, so that no log shows it.
  readonly #failure: SessionFailure | undefined;

  constructor(code: KeyStoreError['code'], message: string, isTransient?: boolean, failure?: SessionFailure) {
    super(code, message, isTransient);
    this.#failure = failure;
  }

  get failureCause(): SessionFailure['cause'] {
    return this.#failure?.cause;
  }
}

function crowded(): PoolError {
  return new PoolError(
    'throttled',
    'Too many signatures are waiting for the PKCS#11 token: it does not keep up. Raise "sessions" if the token has more.',
  );
}

function late(): PoolError {
  return new PoolError('store_unavailable', 'The PKCS#11 token did not answer in time.');
}
