/** A request that can wait. */
export interface WaitingRequest {
  /** Identifies the sender. */
  readonly owner: string;
  /** Begins the work on it. The call is not awaited, so work that continues later is not counted. */
  readonly begin: () => void;
}

export interface UnprovedTurnsOptions {
  /** Returns true for an owner whose requests fail often; these wait in a queue of their own. */
  readonly failsOften: (owner: string) => boolean;
  /**
   * The time for such requests in one turn of the event loop, in milliseconds; four times as much while many
   * wait. At least one is started.
   */
  readonly turnMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
}

/**
 * Decides when requests on unproved connections are processed. Each costs two operations with public keys, and anyone can
 * send them: if all were processed in one turn of the event loop, everybody else would wait for them,
 * authenticated callers and new ones alike.
 *
 * So each turn has little time for them, and the rest waits for the next turn. The owners take turns, one
 * request each: an owner that sends a thousand waits for a thousand turns, and an owner that sends one waits
 * for one. Owners whose requests fail often get every second place, plus all places that no other owner
 * needs. As long as there is enough time, nothing waits.
 */
export class UnprovedTurns {
  readonly #options: UnprovedTurnsOptions;
  readonly #lines: readonly [Line, Line] = [new Map(), new Map()];
  #size = 0;
  #spentMs = 0;
  #isTurnDue = false;
  #isFailingNext = false;

  constructor(options: UnprovedTurnsOptions) {
    this.#options = options;
  }

  /** The number of waiting requests. */
  get size(): number {
    return this.#size;
  }

  /**
   * Starts a request now or in one of the next turns. Returns false if too many of its owner's requests are
   * waiting.
   */
  take(request: WaitingRequest): boolean {
    if (this.#size === 0 && this.#spentMs < this.#turnMs) {
      this.#begin(request);
      return true;
    }
    const { owner } = request;
    const [others, failing] = this.#lines;
    const line = this.#lines.find((one) => one.has(owner)) ?? this.#lineOf(owner);
    const waiting = line.get(owner) ?? [];
    const ownersCount = others.size + failing.size;
    if (waiting.length >= Math.min(ownerMax, Math.ceil(sharedMax / Math.max(1, ownersCount)))) return false;
    waiting.push(request);
    line.set(owner, waiting);
    this.#size += 1;
    this.#expectTurn();
    return true;
  }

  /** Short turns delay others less but cost more in total, which matters only when there is too much work. */
  get #turnMs(): number {
    return this.#size > manyWaiting ? 4 * this.#options.turnMs : this.#options.turnMs;
  }

  #lineOf(owner: string): Line {
    return this.#lines[this.#options.failsOften(owner) ? 1 : 0];
  }

  #begin(request: WaitingRequest): void {
    const startedMs = this.#options.monotonicMs();
    try {
      request.begin();
    } finally {
      this.#spentMs += this.#options.monotonicMs() - startedMs;
      this.#expectTurn();
    }
  }

  /** Between two turns, the event loop reads input and accepts connections. */
  #expectTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    setImmediate(() => {
      this.#isTurnDue = false;
      this.#spentMs = 0;
      if (this.#size === 0) return;
      do this.#begin(this.#next());
      while (this.#size > 0 && this.#spentMs < this.#turnMs);
    });
  }

  #next(): WaitingRequest {
    this.#isFailingNext = !this.#isFailingNext;
    const [others, failing] = this.#lines;
    const line = failing.size > 0 && (this.#isFailingNext || others.size === 0) ? failing : others;
    const [[owner, waiting]] = line as unknown as [[string, WaitingRequest[]]];
    const request = waiting.shift()!;
    line.delete(owner);
    // All waiting requests of an owner are in one queue, so that the requests of a connection keep their order.
    if (waiting.length > 0) this.#lineOf(owner).set(owner, waiting);
    this.#size -= 1;
    return request;
  }
}

/** The waiting requests by owner, the owner whose turn is next first. */
type Line = Map<string, WaitingRequest[]>;

/** The most requests of one owner that may wait, each with a head of up to 16 KiB. */
const ownerMax = 256;
/** More than arrive together by chance. */
const manyWaiting = 128;
/** Shared among all owners that have waiting requests. */
const sharedMax = 4096;
