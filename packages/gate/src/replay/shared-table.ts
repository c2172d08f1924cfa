import { SharedCounts } from './shared-counts.ts';
import { hashBytes } from './shared-hash.ts';
import {
  idBytes,
  nameBytes,
  never,
  partsOf,
  type SharedGuardMemory,
  type SharedParts,
  threadStride,
  words,
} from './shared-memory.ts';

/** A signature to remember, as the table stores it. */
export interface NewEntry {
  /** 16 bytes, one code point per byte. */
  readonly id: string;
  /** The client and its account, which have shares of the table. At most 47 bytes each, one code point per byte. */
  readonly client: string;
  readonly account: string;
  /** As `secondOf` returns it. */
  readonly second: number;
  /** By the monotonic clock, in seconds. */
  readonly expiresAt: number;
}

/** The maximum number of entries for one client, and for one account. */
export interface TableLimits {
  readonly clientEntriesMax: number;
  readonly accountEntriesMax: number;
}

/**
 * The result of inserting an entry. A number means that it already existed and was first used that many
 * milliseconds ago.
 */
export type Insertion = 'fresh' | 'forgotten' | Full | 'closed' | number;
type Full = 'full' | 'client full' | 'account full';

/**
 * The used signatures of all threads of a process: chains of nodes in shared memory, found by a hash of the id.
 *
 * A node is filled before it is visible, and one compare-and-set of its chain's head publishes it. If the
 * head has changed since this thread looked, the chain may hold the same id by now, so the thread searches
 * again. So of several threads with one id, exactly one inserts it, and no thread waits for one that was
 * stopped in the middle.
 *
 * The upkeep (shared-upkeep.ts) removes expired entries meanwhile. It raises the horizon before it removes anything, so
 * a thread that misses a removed entry sees the raised horizon when it reads it again after inserting, and accepts
 * nothing. test/model/shared-table.pml is the proof.
 */
export class SharedTable {
  readonly #parts: SharedParts;
  readonly #counts: SharedCounts;
  readonly #secret: Uint32Array;
  readonly #entriesMax: number;
  readonly #limits: TableLimits;
  readonly #thread: number;
  /** The id being searched for. */
  readonly #idBytes = new Uint8Array(idBytes);
  /** The same id as words. */
  readonly #id = new Int32Array(this.#idBytes.buffer);
  /** A node that this thread took and did not need. */
  #spare = 0;

  /** @param thread this thread's number, unique among running threads; below `threadsMax` */
  constructor(memory: SharedGuardMemory, thread: number, limits: TableLimits) {
    this.#parts = partsOf(memory);
    this.#counts = new SharedCounts(memory, this.#parts);
    this.#secret = memory.secret;
    this.#entriesMax = memory.entriesMax;
    this.#limits = limits;
    this.#thread = thread * threadStride;
  }

  /** Inserts an entry if it is new. Only `fresh` means that the signature may be used. */
  insert(entry: NewEntry, nowMs: number): Insertion {
    const { threads } = this.#parts;
    // Nodes that this thread may be reading are not reused until it has left.
    Atomics.add(threads, this.#thread, 1);
    try {
      return this.#insert(entry, nowMs);
    } finally {
      Atomics.add(threads, this.#thread, 1);
    }
  }

  #insert(entry: NewEntry, nowMs: number): Insertion {
    const { heads, next } = this.#parts;
    const refusedBefore = this.#refusal(entry.second);
    const chain = this.#readId(entry.id);
    let head = Atomics.load(heads, chain);
    const known = this.#find(head);
    if (known !== 0) return this.#ageOf(known, entry.second, nowMs);
    if (refusedBefore) return refusedBefore;
    const node = this.#takeNode(entry);
    if (typeof node === 'string') return node;
    this.#fill(node, entry, nowMs);
    for (;;) {
      Atomics.store(next, node, head);
      const seen = Atomics.compareExchange(heads, chain, head, node);
      if (seen === head) return this.#refusal(entry.second) ?? 'fresh';
      head = seen;
      const other = this.#find(head);
      if (other === 0) continue;
      this.#giveBack(node, entry);
      return this.#ageOf(other, entry.second, nowMs);
    }
  }

  /** Returns why no signature of this second is accepted; undefined if they are accepted. */
  #refusal(second: number): 'closed' | 'forgotten' | undefined {
    const values = this.#parts.words;
    if (Atomics.load(values, words.isClosed) === 1) return 'closed';
    return second <= Atomics.load(values, words.horizon) ? 'forgotten' : undefined;
  }

  /** Returns the chain of an id. */
  #readId(id: string): number {
    const bytes = this.#idBytes;
    for (let index = 0; index < idBytes; index++) bytes[index] = id.charCodeAt(index);
    return hashBytes(bytes, 0, idBytes, this.#secret, this.#parts.headBits);
  }

  /** Returns the node with the id in `#id`, starting at this one; 0 if there is none. */
  #find(from: number): number {
    const { ids, next } = this.#parts;
    const id = this.#id;
    for (let node = from; node !== 0; node = Atomics.load(next, node)) {
      const at = 4 * node;
      if (ids[at] === id[0] && ids[at + 1] === id[1] && ids[at + 2] === id[2] && ids[at + 3] === id[3])
        return node;
    }
    return 0;
  }

  /**
   * Returns the time since an entry's first use. Below the horizon the time is unknown: a thread that missed
   * the entry may have inserted it again, and was rejected.
   */
  #ageOf(node: number, second: number, nowMs: number): number {
    return this.#refusal(second) ? Number.POSITIVE_INFINITY : nowMs - this.#parts.firstUsedMs[node]!;
  }

  #takeNode(entry: NewEntry): number | Full {
    const why = this.#count(entry);
    if (why !== undefined) return why;
    const node = this.#freeNode();
    if (node !== 0) return node;
    this.#uncount(entry);
    return 'full';
  }

  /** Counts one more entry, unless a limit is reached; then returns which one. */
  #count({ client, account }: NewEntry): Full | undefined {
    const values = this.#parts.words;
    const { clientEntriesMax, accountEntriesMax } = this.#limits;
    if (Atomics.add(values, words.entries, 1) >= this.#entriesMax) {
      Atomics.sub(values, words.entries, 1);
      return 'full';
    }
    if (!this.#counts.take(client, clientEntriesMax)) {
      Atomics.sub(values, words.entries, 1);
      return 'client full';
    }
    if (account === '' || this.#counts.take(account, accountEntriesMax)) return undefined;
    Atomics.sub(values, words.entries, 1);
    this.#counts.giveBack(client);
    return 'account full';
  }

  #uncount({ client, account }: NewEntry): void {
    Atomics.sub(this.#parts.words, words.entries, 1);
    this.#counts.giveBack(client);
    if (account !== '') this.#counts.giveBack(account);
  }

  /** Takes a free node; 0 if there is none. */
  #freeNode(): number {
    const { next, nodes } = this.#parts;
    const values = this.#parts.words;
    if (this.#spare !== 0) {
      const spare = this.#spare;
      this.#spare = 0;
      return spare;
    }
    for (;;) {
      const first = Atomics.load(values, words.free);
      if (first === 0) break;
      // No other thread can have taken and returned it meanwhile: returned nodes become free only after this thread
      // has left.
      const second = Atomics.load(next, first);
      if (Atomics.compareExchange(values, words.free, first, second) === first) return first;
    }
    const node = Atomics.add(values, words.taken, 1) + 1;
    if (node < nodes) return node;
    Atomics.sub(values, words.taken, 1);
    return 0;
  }

  #fill(node: number, { client, account, second, expiresAt }: NewEntry, nowMs: number): void {
    const { created, ids, firstUsedMs } = this.#parts;
    ids.set(this.#id, 4 * node);
    firstUsedMs[node] = nowMs;
    this.#writeName(2 * nameBytes * node, client);
    this.#writeName(2 * nameBytes * node + nameBytes, account);
    Atomics.store(created, node, second);
    Atomics.store(this.#parts.expiresAt, node, expiresAt);
  }

  #writeName(at: number, name: string): void {
    const { names } = this.#parts;
    names[at] = name.length;
    for (let index = 0; index < name.length; index++) names[at + 1 + index] = name.charCodeAt(index);
  }

  #giveBack(node: number, entry: NewEntry): void {
    Atomics.store(this.#parts.expiresAt, node, never);
    this.#spare = node;
    this.#uncount(entry);
  }
}
