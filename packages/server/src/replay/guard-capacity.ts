/** How many signatures are remembered, as they were counted. */
export interface GuardCount {
  readonly entries: number;
  /** Those of the clients that have many; the others have few enough to be left out. */
  readonly entriesByClient: ReadonlyMap<string, number>;
}

/**
 * Knows about how full a shared guard is: what was counted last, and what this node has added since. What other nodes
 * have added meanwhile is missing, so the limit is met a little late, which costs a little space.
 */
export class GuardCapacity {
  readonly #entriesMax: number;
  readonly #clientEntriesMax: number;
  #count: GuardCount = { entries: 0, entriesByClient: new Map() };
  #added = new Additions();
  /** What was added while a count is under way, which may contain it or not. */
  #addedBefore = new Additions();

  constructor(entriesMax: number, clientShareMax: number) {
    this.#entriesMax = entriesMax;
    this.#clientEntriesMax = Math.max(1, Math.floor(entriesMax * clientShareMax));
  }

  /** Signatures remembered, about. */
  get entries(): number {
    return this.#count.entries + this.#addedBefore.entries + this.#added.entries;
  }

  /** A client with no more entries than this need not be counted by name. */
  get clientEntriesWorthCounting(): number {
    return Math.floor(this.#clientEntriesMax / 10);
  }

  /** Why no more can be remembered of a client; undefined when it can, and then one more is noted. */
  take(clientId: string): string | undefined {
    if (this.entries >= this.#entriesMax) return 'the replay guard is full';
    const entries =
      (this.#count.entriesByClient.get(clientId) ?? 0) +
      this.#addedBefore.of(clientId) +
      this.#added.of(clientId);
    if (entries >= this.#clientEntriesMax) return 'this client fills its share of the guard';
    this.#added.add(clientId, 1);
    return undefined;
  }

  /** Takes back a note: nothing was remembered. */
  giveBack(clientId: string): void {
    this.#added.add(clientId, -1);
  }

  /** Counts anew. What is added while it is counted is kept beside the result. */
  async count(counting: () => Promise<GuardCount>): Promise<void> {
    this.#addedBefore.merge(this.#added);
    this.#added = new Additions();
    this.#count = await counting();
    this.#addedBefore = new Additions();
  }
}

class Additions {
  readonly #byClient = new Map<string, number>();
  entries = 0;

  of(clientId: string): number {
    return this.#byClient.get(clientId) ?? 0;
  }

  add(clientId: string, entries: number): void {
    this.entries += entries;
    this.#byClient.set(clientId, this.of(clientId) + entries);
  }

  merge(other: Additions): void {
    for (const [clientId, entries] of other.#byClient) this.add(clientId, entries);
  }
}
