/** Lets callers do something one at a time, in the order of asking. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Takes the turn. Returns a promise if somebody else has it. */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return undefined;
  }

  /** Gives the turn to the next caller. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
