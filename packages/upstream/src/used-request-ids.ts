/** Remembers request IDs while the signatures that cover them are accepted. */
export class UsedRequestIds {
  /** The end of each signature in Unix seconds, in the order of arrival. */
  readonly #ends = new Map<string, number>();
  readonly #entriesMax: number;
  /** The latest end of any forgotten entry, in case the clock is set back. */
  #forgottenUntil = Number.NEGATIVE_INFINITY;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** Records a request. */
  use(requestId: string, endsAtSeconds: number, nowSeconds: number): 'first' | 'repeated' | 'full' {
    this.#forget(nowSeconds);
    if (this.#ends.has(requestId) || endsAtSeconds <= this.#forgottenUntil) return 'repeated';
    if (this.#ends.size >= this.#entriesMax) return 'full';
    this.#ends.set(requestId, endsAtSeconds);
    return 'first';
  }

  #forget(nowSeconds: number): void {
    for (const [requestId, end] of this.#ends) {
      if (end >= nowSeconds) return;
      this.#ends.delete(requestId);
      this.#forgottenUntil = Math.max(this.#forgottenUntil, end);
    }
  }
}
