/** A request that can wait. */
export interface WaitingRequest {
  /** Names who sent it. */
  readonly owner: string;
  /** Begins the work on it. Nothing else is waited for, so work that goes on later is not counted. */
  readonly begin: () => void;
}

export interface UnprovedTurnsOptions {
  /** Returns true for an owner whose requests fail often: they wait for their turn apart from the others. */
  readonly failsOften: (owner: string) => boolean;
  /**
   * The work on such requests in one turn of the event loop, in milliseconds; four times that while many wait. At least
   * one is begun.
   */
  readonly turnMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
}

/**
 * Decides when the requests of unproved connections are looked at. Each costs two RSA operations, and anyone can send them:
 * if all that have come were looked at in one turn of the event loop, everybody would wait for them, those who have proved
 * who they are and those who have just come.
 *
 * So a turn has little time for them, and what is left waits for the next turn. The owners take turns, one request each:
 * who sends a thousand waits for a thousand turns, and who sends one for one. Owners whose requests fail often get every
 * second place, and all the places that nobody else needs. As long as the time suffices, nothing waits.
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

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Begins a request now, or in one of the next turns. Returns false if its owner has too many that wait. */
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

  /** Short turns are kind to everybody else, but cost more in all, which counts only when there is too much work. */
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

  /** The event loop reads what has come, and takes new connections, between two turns. */
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
    // All that an owner has waiting is in one line, so that the requests of a connection keep their order.
    if (waiting.length > 0) this.#lineOf(owner).set(owner, waiting);
    this.#size -= 1;
    return request;
  }
}

/** The waiting requests of each owner, the owner whose turn is next first. */
type Line = Map<string, WaitingRequest[]>;

/** Requests of one owner that may wait, each with its head of up to 16 KiB. */
const ownerMax = 256;
/** More than come together by chance. */
const manyWaiting = 128;
/** Divided among all owners that have some. */
const sharedMax = 4096;
