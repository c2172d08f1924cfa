import type { WaitingClient } from '../door.ts';

/**
 * Counts the requests that one address serves at a time. Requests wait here and not in the connection pool, because
 * those that give up can leave: the pool would keep them, with their bodies, until it gets to them.
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

  /** Takes the next slot. Resolves with false if none got free in time, or the client has gone. */
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

  /** Hands a slot to the request that has waited longest. */
  release(): void {
    const [next] = this.#waiting;
    if (next) next(true);
    else this.#free += 1;
  }
}
