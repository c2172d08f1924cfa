import type { WaitingClient } from '../door.ts';

/**
 * Limits how many requests one address serves at a time. Requests wait here and not in the connection pool,
 * because here they can leave when their client gives up: the pool would keep them, with their bodies, until
 * their turn.
 */
export class ConnectionSlots {
  #free: number;
  readonly #waiting = new Set<(isTaken: boolean) => void>();

  constructor(count: number) {
    this.#free = count;
  }

  get isFree(): boolean {
    return this.#free > 0;
  }

  /** Takes a slot if one is free. */
  takeNow(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Takes the next free slot. Resolves with false if none becomes free in time or the client disconnects. */
  take(waitMs: number, client: WaitingClient): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (isTaken: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve(isTaken);
      };
      const timer = setTimeout(done, waitMs, false);
      this.#waiting.add(done);
      client.onGone(() => done(false));
    });
  }

  /** Passes a slot to the request that has waited longest. */
  release(): void {
    const [next] = this.#waiting;
    if (next) next(true);
    else this.#free += 1;
  }
}
