type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * The process's signals, handled by one handler from the first line of the program to its last. Signals that arrive
 * before anyone listens here are remembered: none is lost between two handlers, and none ends the process halfway. Without
 * a handler, the first process of a container ignores signals.
 */
export class ProcessSignals {
  readonly #stops: StopSignal[] = [];
  #reloads = 0;
  #onStop: ((signal: StopSignal) => void) | undefined;
  #onReload: (() => void) | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => this.#stop(signal));
    process.on('SIGHUP', () => this.#reload());
  }

  /** Hands every signal that asks for a stop to this listener alone, remembered ones first. */
  handOverStops(listener: (signal: StopSignal) => void): void {
    this.#onStop = listener;
    for (const signal of this.#stops.splice(0)) listener(signal);
  }

  /** Hands every SIGHUP to this listener alone; all remembered ones together are one. */
  handOverReloads(listener: () => void): void {
    this.#onReload = listener;
    if (this.#reloads > 0) listener();
    this.#reloads = 0;
  }

  #stop(signal: StopSignal): void {
    if (this.#onStop === undefined) this.#stops.push(signal);
    else this.#onStop(signal);
  }

  #reload(): void {
    if (this.#onReload === undefined) this.#reloads += 1;
    else this.#onReload();
  }
}
