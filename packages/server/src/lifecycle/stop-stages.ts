import { setTimeout as sleep } from 'node:timers/promises';

/** The stage that a service has reached on its way to a stop. */
export interface StopStages {
  /** True once `/ready` reports that the node is stopping, so that balancers switch to another one. */
  readonly isLeaving: () => boolean;
  /** True once each connection closes after its next response. */
  readonly isDraining: () => boolean;
  /** True once requests are rejected. */
  readonly isStopping: () => boolean;
}

/**
 * How long requests are still served on connections that were open when the ports were closed. A balancer that
 * does not check `/ready` closes its idle ones within this time, so that it sends nothing on a connection that
 * is being closed.
 */
const lastRequestsMs = 3000;
/** The wait is counted in pieces: when the whole machine stalls, balancers stall too. */
const pieceMs = 100;

type Stage = 'serving' | 'leaving' | 'draining' | 'stopping';

/** Moves through the stages of a stop. */
export class StopProgress implements StopStages {
  readonly #onStage: (stage: Stage) => void;
  #stage: Stage = 'serving';

  /** @param onStage called when the next stage begins */
  constructor(onStage: (stage: Stage) => void = () => undefined) {
    this.#onStage = onStage;
  }

  readonly isLeaving = (): boolean => this.#stage !== 'serving';
  readonly isDraining = (): boolean => this.#stage === 'draining' || this.#stage === 'stopping';
  readonly isStopping = (): boolean => this.#stage === 'stopping';

  /** Hands over to other nodes; see `Service.leave`. */
  async leave(delayMs: number, signal: AbortSignal, refuseConnections: () => Promise<void>): Promise<void> {
    this.#go('leaving');
    if (!(await waited(delayMs, signal))) return;
    this.#go('draining');
    await refuseConnections();
    for (let left = lastRequestsMs; left > 0; left -= pieceMs) await waited(pieceMs, signal);
  }

  /** Rejects requests from now on. */
  stop(): void {
    this.#go('stopping');
  }

  #go(stage: Stage): void {
    this.#stage = stage;
    this.#onStage(stage);
  }
}

/** Waits; returns false if the signal ended the wait. */
async function waited(forMs: number, signal: AbortSignal): Promise<boolean> {
  return sleep(forMs, true, { signal }).catch(() => false);
}
