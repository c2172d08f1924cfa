/** What anybody who knows its ID is told of a request that belongs to no client: no more than its sender was told. */
export interface StrangersRequest {
  readonly outcome: string;
  /** Milliseconds since 1970. */
  readonly receivedAtMs: number;
}

/**
 * Remembers the newest requests that named no known client, such as those without signature headers, so that whoever has the
 * ID of one can find it. In memory only: nobody owns them, and anyone can send as many as they like.
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
