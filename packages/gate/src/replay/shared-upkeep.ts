import type { RememberedSecond } from '@countersign/signature/node';
import { SharedCounts } from './shared-counts.ts';
import { hashBytes } from './shared-hash.ts';
import { accountIdOf, accountNameOf, nameOf } from './shared-names.ts';
import {
  createdOf,
  idBytes,
  nameBytes,
  never,
  noSecond,
  partsOf,
  removedAtOnce,
  secondOf,
  type SharedGuardMemory,
  type SharedParts,
  threadsMax,
  threadStride,
  words,
} from './shared-memory.ts';
import { SharedTable } from './shared-table.ts';

/**
 * Maintains the table that threads share: removes expired entries, and stores and restores everything.
 * Exactly one thread has it. Everything else about the table is in shared-table.ts.
 */
export class SharedUpkeep {
  readonly #memory: SharedGuardMemory;
  readonly #parts: SharedParts;
  readonly #counts: SharedCounts;
  /** The bytes of all ids. */
  readonly #ids: Uint8Array;
  /** The last batch of removed nodes, and the threads' words after their removal. */
  #removed: { readonly nodes: readonly number[]; readonly threads: Int32Array } | undefined;

  constructor(memory: SharedGuardMemory) {
    this.#memory = memory;
    this.#parts = partsOf(memory);
    this.#counts = new SharedCounts(memory, this.#parts);
    const { buffer, byteOffset, byteLength } = this.#parts.ids;
    this.#ids = new Uint8Array(buffer, byteOffset, byteLength);
  }

  /** The number of entries. */
  get size(): number {
    return Atomics.load(this.#parts.words, words.entries);
  }

  /** The last second of which entries may have been forgotten. Unix seconds. */
  get horizonSeconds(): number {
    return createdOf(Atomics.load(this.#parts.words, words.horizon));
  }

  /** Raises the horizon, and never lowers it. */
  raiseHorizon(createdSeconds: number): void {
    const second = createdSeconds === Number.NEGATIVE_INFINITY ? undefined : secondOf(createdSeconds);
    const values = this.#parts.words;
    // No other thread writes it.
    if (second !== undefined && second > Atomics.load(values, words.horizon))
      Atomics.store(values, words.horizon, second);
  }

  /**
   * Forgets entries that have expired by the monotonic clock and were created before a second. The horizon is
   * raised to them first, so that they stay rejected. Forgets a few thousand at most, so that no other work
   * waits long.
   *
   * @returns true if more can be forgotten now
   */
  forget(nowMs: number, createdBefore: number): boolean {
    if (!this.#freeRemoved()) return false;
    const isExpired = this.#expired(nowMs, createdBefore);
    const candidates = this.#candidates(isExpired);
    const nodes = candidates.filter((node) => this.#isListed(node) && isExpired(node));
    if (nodes.length === 0) return false;
    this.raiseHorizon(createdOf(this.#latestOf(nodes)));
    for (const node of nodes) this.#remove(node);
    // Read after the removal: a thread that enters from now on cannot reach these nodes.
    this.#removed = { nodes, threads: this.#threadWords() };
    return candidates.length === removedAtOnce;
  }

  /** Releases what a thread held that ended in the middle of an operation. Call it after the thread has ended. */
  release(thread: number): void {
    const word = thread * threadStride;
    if (Atomics.load(this.#parts.threads, word) % 2 !== 0) Atomics.add(this.#parts.threads, word, 1);
  }

  /** Makes every use fail from now on. */
  close(): void {
    Atomics.store(this.#parts.words, words.isClosed, 1);
  }

  /** Returns everything remembered. Complete once the table is closed. */
  remembered(): Iterable<RememberedSecond> {
    const seconds = new Map<number, { ids: string[]; entriesByClient: Map<string, RememberedClient> }>();
    const { heads, next, created } = this.#parts;
    for (const chain of heads.keys()) {
      for (let node = Atomics.load(heads, chain); node !== 0; node = Atomics.load(next, node)) {
        const second = created[node]!;
        let remembered = seconds.get(second);
        if (!remembered) seconds.set(second, (remembered = { ids: [], entriesByClient: new Map() }));
        remembered.ids.push(this.#idOf(node));
        const { client, account } = this.#namesOf(node);
        const [, entries] = remembered.entriesByClient.get(client) ?? [client, 0];
        remembered.entriesByClient.set(client, rememberedClient(client, entries + 1, account));
      }
    }
    return Array.from(seconds, ([second, { ids, entriesByClient }]) => ({
      created: createdOf(second),
      ids,
      entriesByClient: entriesByClient.values(),
    }));
  }

  /**
   * Restores what an earlier guard remembered, before any other thread uses the table. The horizon is raised
   * above entries that do not fit.
   *
   * @param expiresAt returns when a second's entries expire, by the monotonic clock, in seconds
   */
  restore(seconds: Iterable<RememberedSecond>, expiresAt: (createdSeconds: number) => number): void {
    const limits = { clientEntriesMax: Infinity, accountEntriesMax: Infinity };
    const table = new SharedTable(this.#memory, 0, limits);
    for (const { created, ids, entriesByClient } of seconds) {
      const second = secondOf(created);
      const owners = ownersOf(entriesByClient);
      for (const id of ids) {
        const { client, account } = owners.next().value ?? nobody;
        const entry = { id, client, account, second: second ?? 0, expiresAt: expiresAt(created) };
        const isRestored = second !== undefined && table.insert(entry, Number.NEGATIVE_INFINITY) === 'fresh';
        if (!isRestored) this.raiseHorizon(created);
      }
    }
  }

  #expired(nowMs: number, createdBefore: number): (node: number) => boolean {
    const { created, expiresAt } = this.#parts;
    const now = Math.floor(nowMs / 1000);
    const before = secondOf(createdBefore) ?? noSecond;
    return (node) => Atomics.load(expiresAt, node) <= now && Atomics.load(created, node) < before;
  }

  /** Returns nodes that look expired. Another thread may still be filling one of them. */
  #candidates(isExpired: (node: number) => boolean): number[] {
    const found: number[] = [];
    const last = Math.min(Atomics.load(this.#parts.words, words.taken), this.#parts.nodes - 1);
    for (let node = 1; node <= last && found.length < removedAtOnce; node++)
      if (isExpired(node)) found.push(node);
    return found;
  }

  /** Returns true if a node is in its chain, and so will not change any more. */
  #isListed(node: number): boolean {
    const { heads, next } = this.#parts;
    let other = Atomics.load(heads, this.#chainOf(node));
    while (other !== 0 && other !== node) other = Atomics.load(next, other);
    return other === node;
  }

  #latestOf(nodes: readonly number[]): number {
    return nodes.reduce((latest, node) => Math.max(latest, this.#parts.created[node]!), -Infinity);
  }

  /** Unlinks a node from its chain. Threads that are reading it can still follow its link. */
  #remove(node: number): void {
    const { heads, next } = this.#parts;
    const chain = this.#chainOf(node);
    const after = Atomics.load(next, node);
    // Entries are only inserted at the head, so any other node keeps its predecessor.
    if (Atomics.compareExchange(heads, chain, node, after) !== node) {
      let before = Atomics.load(heads, chain);
      while (Atomics.load(next, before) !== node) before = Atomics.load(next, before);
      Atomics.store(next, before, after);
    }
    Atomics.sub(this.#parts.words, words.entries, 1);
    const { client, account } = this.#namesOf(node);
    this.#counts.giveBack(client);
    if (account !== '') this.#counts.giveBack(account);
  }

  /** Frees the removed nodes, unless a thread may still be reading them. */
  #freeRemoved(): boolean {
    if (!this.#removed) return true;
    const now = this.#threadWords();
    const isInside = this.#removed.threads.some((word, thread) => word % 2 !== 0 && word === now[thread]);
    if (isInside) return false;
    for (const node of this.#removed.nodes) this.#free(node);
    this.#removed = undefined;
    return true;
  }

  #free(node: number): void {
    const { next, expiresAt } = this.#parts;
    const values = this.#parts.words;
    Atomics.store(expiresAt, node, never);
    for (let first = Atomics.load(values, words.free); ;) {
      Atomics.store(next, node, first);
      const seen = Atomics.compareExchange(values, words.free, first, node);
      if (seen === first) return;
      first = seen;
    }
  }

  #threadWords(): Int32Array {
    const { threads } = this.#parts;
    return Int32Array.from({ length: threadsMax }, (_, thread) =>
      Atomics.load(threads, thread * threadStride),
    );
  }

  #chainOf(node: number): number {
    return hashBytes(this.#ids, idBytes * node, idBytes, this.#memory.secret, this.#parts.headBits);
  }

  #idOf(node: number): string {
    const at = idBytes * node;
    return String.fromCharCode(...this.#ids.subarray(at, at + idBytes));
  }

  #namesOf(node: number): { readonly client: string; readonly account: string } {
    const at = 2 * nameBytes * node;
    return { client: this.#nameAt(at), account: this.#nameAt(at + nameBytes) };
  }

  #nameAt(at: number): string {
    const { names } = this.#parts;
    return String.fromCharCode(...names.subarray(at + 1, at + 1 + names[at]!));
  }
}

type RememberedClient = readonly [keyid: string, entries: number, accountId?: string];

function rememberedClient(keyid: string, entries: number, account: string): RememberedClient {
  return account === '' ? [keyid, entries] : [keyid, entries, accountIdOf(account)];
}

interface EntryOwner {
  readonly client: string;
  readonly account: string;
}

const nobody: EntryOwner = { client: '', account: '' };

/** Repeats each client's names as often as it has entries. Which entry gets which name does not matter. */
function* ownersOf(entriesByClient: Iterable<RememberedClient>): Generator<EntryOwner, undefined> {
  for (const [keyid, entries, accountId] of entriesByClient) {
    const owner = { client: nameOf(keyid), account: accountNameOf(accountId) };
    for (let count = 0; count < entries; count++) yield owner;
  }
}
