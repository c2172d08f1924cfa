type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Handles the process's signals with one handler from the first line of the program to its last. Signals that
 * arrive before a listener is set are remembered: none is lost between two handlers, and none ends the process
 * halfway. Without a handler, the first process of a container ignores signals.
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

  /** Passes every signal that requests a stop to this listener only, remembered ones first. */
  handOverStops(listener: (signal: StopSignal) => void): void {
    this.#onStop = listener;
    for (const signal of this.#stops.splice(0)) listener(signal);
  }

  /** Passes every SIGHUP to this listener only; several remembered ones count as one. */
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
