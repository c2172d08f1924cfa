import type { ProcessSignals } from '../lifecycle/process-signals.ts';
import type { Service } from './service.ts';

type State = 'starting' | 'interrupted' | 'running' | 'leaving' | 'stopping' | 'stopped';

/**
 * Handles signals from the start of a service to its end.
 *
 * A signal before the service listens interrupts the start. A later one that arrives before the start is
 * complete stops the service as soon as it is. SIGTERM first hands over to other nodes, and the next signal
 * ends that wait. SIGINT, which terminals send, does not hand over, and neither does a demonstration. One more
 * signal ends the process at once, as does any signal after the stop.
 */
export class Life {
  readonly #start = new AbortController();
  readonly #wait = new AbortController();
  readonly #stopping = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #state: State = 'starting';
  #signal: NodeJS.Signals = 'SIGTERM';
  #service: Service | undefined;

  constructor(signals: ProcessSignals) {
    this.#ended.promise.catch(() => undefined);
    signals.handOverStops((signal) => this.#receive(signal));
  }

  /** Aborts when a signal interrupts the start. */
  get interruption(): AbortSignal {
    return this.#start.signal;
  }

  /** Aborts when the service begins to stop, after handing over. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** True once a signal has asked the service to end. */
  get isEnding(): boolean {
    return this.#state !== 'starting' && this.#state !== 'running';
  }

  /** Registers the service, whose start is complete. Resolves when it has stopped because of a signal. */
  untilStopped(service: Service): Promise<void> {
    const isInterrupted = this.#state === 'interrupted';
    this.#service = service;
    this.#state = 'running';
    if (isInterrupted) this.#end(service);
    return this.#ended.promise;
  }

  /** Reports that the start was interrupted, and everything is closed. */
  endStart(): void {
    this.#state = 'stopped';
    process.stdout.write(' stopped.\n');
  }

  #receive(signal: NodeJS.Signals): void {
    // Everything is closed, so don't wait for whatever still keeps the process alive.
    if (this.#state === 'stopped') process.exit();
    if (this.#state === 'stopping' || this.#state === 'interrupted') process.exit(1);
    if (this.#state === 'leaving') return this.#wait.abort();
    this.#signal = signal;
    process.stdout.write(`\n${signal}:`);
    if (this.#service) return this.#end(this.#service);
    this.#state = 'interrupted';
    process.stdout.write(' stopping the start (again to stop at once) …');
    this.#start.abort();
  }

  #end(service: Service): void {
    const { stopDelaySeconds, demonstration } = service.configuration;
    const handsOver = this.#signal === 'SIGTERM' && stopDelaySeconds > 0 && !demonstration;
    const left = handsOver ? this.#leave(service, stopDelaySeconds) : Promise.resolve();
    left.then(() => this.#stop(service)).then(this.#ended.resolve, this.#ended.reject);
  }

  async #leave(service: Service, seconds: number): Promise<void> {
    this.#state = 'leaving';
    process.stdout.write(` handing over for ${seconds} s (again to stop waiting) …`);
    await service.leave(seconds * 1000, this.#wait.signal);
  }

  async #stop(service: Service): Promise<void> {
    this.#state = 'stopping';
    this.#stopping.abort();
    process.stdout.write(' stopping (again to stop at once) …');
    await service.stop();
    this.#state = 'stopped';
    process.stdout.write(' stopped.\n');
  }
}
