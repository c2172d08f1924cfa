/** Lets callers do something one at a time, in order of arrival. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Takes the turn. Returns a promise if another caller has it. */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return undefined;
  }

  /** Passes the turn to the next caller. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
