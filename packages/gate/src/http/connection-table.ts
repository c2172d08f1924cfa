/** A connection in a table. */
export interface TableEntry {
  /** Identifies the owner that opened it. */
  readonly owner: string;
  /** True while a request on it has no response yet. */
  isBusy: boolean;
}

/** The connections of one owner, each set from the oldest to the newest. */
interface OwnerConnections<Entry> {
  readonly owner: string;
  readonly idle: Set<Entry>;
  readonly busy: Set<Entry>;
}

/** Connections by owner. Each call takes the same short time, however many connections there are. */
export class ConnectionTable<Entry extends TableEntry> {
  readonly #owners = new Map<string, OwnerConnections<Entry>>();
  /** Owners by their number of connections. */
  readonly #byCount = new Map<number, Set<OwnerConnections<Entry>>>();
  #mostCount = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns how many connections an owner has. */
  countOf(owner: string): number {
    const one = this.#owners.get(owner);
    return one ? count(one) : 0;
  }

  add(entry: Entry): void {
    const { owner } = entry;
    const one = this.#owners.get(owner) ?? { owner, idle: new Set(), busy: new Set() };
    this.#owners.set(owner, one);
    this.#move(one, () => setOf(one, entry).add(entry));
    this.#size += 1;
  }

  remove(entry: Entry): void {
    const one = this.#owners.get(entry.owner);
    if (!one || !setOf(one, entry).has(entry)) return;
    this.#move(one, () => setOf(one, entry).delete(entry));
    this.#size -= 1;
    if (count(one) === 0) this.#owners.delete(one.owner);
  }

  /** Records that a request has begun, or that none waits for its response any more. */
  setBusy(entry: Entry, isBusy: boolean): void {
    const one = this.#owners.get(entry.owner);
    if (one && setOf(one, entry).delete(entry)) {
      entry.isBusy = isBusy;
      setOf(one, entry).add(entry);
    }
  }

  /** Returns the owner's connection that has been idle the longest. */
  longestIdleOf(owner: string): Entry | undefined {
    return first(this.#owners.get(owner)?.idle);
  }

  /** Returns the owner's connection that has waited longest for a response. */
  longestBusyOf(owner: string): Entry | undefined {
    return first(this.#owners.get(owner)?.busy);
  }

  /** Returns the owner with the most connections. */
  ownerOfMost(): string | undefined {
    return first(this.#byCount.get(this.#mostCount))?.owner;
  }

  #move(one: OwnerConnections<Entry>, change: () => void): void {
    const before = count(one);
    change();
    const after = count(one);
    const left = this.#byCount.get(before);
    left?.delete(one);
    if (left?.size === 0) this.#byCount.delete(before);
    if (after > 0) {
      const joined = this.#byCount.get(after) ?? new Set();
      this.#byCount.set(after, joined.add(one));
    }
    if (after > this.#mostCount || !this.#byCount.has(this.#mostCount)) this.#mostCount = after;
  }
}

function count<Entry>({ idle, busy }: OwnerConnections<Entry>): number {
  return idle.size + busy.size;
}

function setOf<Entry extends TableEntry>(
  { idle, busy }: OwnerConnections<Entry>,
  { isBusy }: Entry,
): Set<Entry> {
  return isBusy ? busy : idle;
}

function first<Entry>(entries: ReadonlySet<Entry> | undefined): Entry | undefined {
  for (const entry of entries ?? []) return entry;
  return undefined;
}
