/** A count of the remembered signatures. */
export interface GuardCount {
  readonly entries: number;
  /** Only clients with many entries are included. */
  readonly entriesByClient: ReadonlyMap<string, number>;
}

/**
 * Tracks roughly how full a shared guard is: the last count plus what this node has added since. Other nodes' recent
 * additions are missing, so the limit applies slightly late, which costs a little space.
 */
export class GuardCapacity {
  readonly #entriesMax: number;
  readonly #clientEntriesMax: number;
  #count: GuardCount = { entries: 0, entriesByClient: new Map() };
  #added = new Additions();
  /** Additions from before the running count, which may or may not include them. */
  #addedBefore = new Additions();

  constructor(entriesMax: number, clientShareMax: number) {
    this.#entriesMax = entriesMax;
    this.#clientEntriesMax = Math.max(1, Math.floor(entriesMax * clientShareMax));
  }

  /** The approximate number of remembered signatures. */
  get entries(): number {
    return this.#count.entries + this.#addedBefore.entries + this.#added.entries;
  }

  /** Clients with no more entries than this don't need to be counted by name. */
  get clientEntriesWorthCounting(): number {
    return Math.floor(this.#clientEntriesMax / 10);
  }

  /** Reserves an entry for a client. Returns the reason if nothing more can be remembered for it, otherwise undefined. */
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

  /** Releases a reservation, because nothing was remembered. */
  giveBack(clientId: string): void {
    this.#added.add(clientId, -1);
  }

  /** Recounts. Additions made meanwhile are added to the result. */
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
