import type { EntryLimits } from '@countersign/signature/node';

/** A count of the remembered signatures. */
export interface GuardCount {
  readonly entries: number;
  /** Only clients with many entries are included. */
  readonly entriesByClient: ReadonlyMap<string, number>;
  /** Only accounts with many entries are included. */
  readonly entriesByAccount: ReadonlyMap<string, number>;
}

/** The owner of an entry. */
export interface EntryOwner {
  readonly keyid: string;
  readonly accountId?: string | undefined;
}

/**
 * Tracks roughly how full a shared guard is: the last count plus what this node has added since. Other nodes' recent
 * additions are missing, so the limit applies slightly late, which costs a little space.
 */
export class GuardCapacity {
  readonly #limits: EntryLimits;
  #count: GuardCount = { entries: 0, entriesByClient: new Map(), entriesByAccount: new Map() };
  #added = new Additions();
  /** Additions from before the count in progress, which may or may not include them. */
  #addedBefore = new Additions();

  constructor(limits: EntryLimits) {
    this.#limits = limits;
  }

  /** The approximate number of remembered signatures. */
  get entries(): number {
    return this.#count.entries + this.#addedBefore.entries + this.#added.entries;
  }

  /** Clients and accounts with no more entries than this don't need to be counted by name. */
  get entriesWorthCounting(): number {
    const { clientEntriesMax, accountEntriesMax } = this.#limits;
    return Math.floor(Math.min(clientEntriesMax, accountEntriesMax) / 10);
  }

  /** Reserves an entry for a client. Returns the reason if nothing more can be remembered for it, otherwise undefined. */
  take({ keyid, accountId }: EntryOwner): string | undefined {
    const { entriesMax, clientEntriesMax, accountEntriesMax } = this.#limits;
    if (this.entries >= entriesMax) return 'the replay guard is full';
    const ofClient =
      (this.#count.entriesByClient.get(keyid) ?? 0) +
      (this.#addedBefore.byClient.get(keyid) ?? 0) +
      (this.#added.byClient.get(keyid) ?? 0);
    if (ofClient >= clientEntriesMax) return 'this client has used up its share of the replay guard';
    if (accountId !== undefined && this.#ofAccount(accountId) >= accountEntriesMax)
      return 'this account has used up its share of the replay guard';
    this.#added.add({ keyid, accountId }, 1);
    return undefined;
  }

  /** Releases a reservation, because nothing was remembered. */
  giveBack(owner: EntryOwner): void {
    this.#added.add(owner, -1);
  }

  #ofAccount(accountId: string): number {
    return (
      (this.#count.entriesByAccount.get(accountId) ?? 0) +
      (this.#addedBefore.byAccount.get(accountId) ?? 0) +
      (this.#added.byAccount.get(accountId) ?? 0)
    );
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
  readonly byClient: Map<string, number> = new Map();
  readonly byAccount: Map<string, number> = new Map();
  entries = 0;

  add({ keyid, accountId }: EntryOwner, entries: number): void {
    this.entries += entries;
    addTo(this.byClient, keyid, entries);
    if (accountId !== undefined) addTo(this.byAccount, accountId, entries);
  }

  merge(other: Additions): void {
    this.entries += other.entries;
    for (const [keyid, entries] of other.byClient) addTo(this.byClient, keyid, entries);
    for (const [accountId, entries] of other.byAccount) addTo(this.byAccount, accountId, entries);
  }
}

function addTo(counts: Map<string, number>, name: string, entries: number): void {
  counts.set(name, (counts.get(name) ?? 0) + entries);
}
