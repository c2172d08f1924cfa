/** The details of an unattributed request that anyone with its ID may see: no more than its sender received. */
export interface StrangersRequest {
  readonly outcome: string;
  /** Milliseconds since 1970. */
  readonly receivedAtMs: number;
}

/**
 * Remembers the newest requests that named no known client, such as those without signature headers, so that
 * anyone who has a request's ID can find it. Kept in memory only: these requests have no owner, and anyone can
 * send any number of them.
 */
export class StrangersRequests {
  readonly #requests = new Map<string, StrangersRequest>();

  add(requestId: string, request: StrangersRequest): void {
    this.#requests.set(requestId, request);
    if (this.#requests.size <= requestsMax) return;
    // A Map keeps insertion order, so the first is the oldest.
    for (const oldest of this.#requests.keys()) {
      this.#requests.delete(oldest);
      break;
    }
  }

  /** Returns a request by its ID; undefined if it named a client, is too old, or came to another node. */
  find(requestId: string): StrangersRequest | undefined {
    return this.#requests.get(requestId);
  }
}

/** About 2 MB. */
const requestsMax = 10_000;
