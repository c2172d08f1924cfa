import { performance } from 'node:perf_hooks';
import type { DirectoryKey } from './directory-key.ts';
import { type DirectoryLocation, nameOf } from './directory-location.ts';
import { type DirectoryProblem, directoryProblem } from './directory-problem.ts';
import { checkDirectoryUrl } from './directory-url.ts';
import { fetchDirectory, type FetchSettings } from './fetch-directory.ts';
import {
  type DirectoryState,
  type Instant,
  KeptDirectory,
  type KeyLookup,
  pauseMs,
} from './kept-directory.ts';
import type { KeyLimits } from './read-key.ts';
import { readStoredDirectory, type StoredDirectory } from './stored-directory.ts';
import { StrangerBudget, type StrangerLimits, strangerLimits } from './stranger-budget.ts';
import { UnregisteredDirectories } from './unregistered-directories.ts';

/** What one node keeps in memory. */
export interface DirectoryLimits {
  /** Registered directories, and all their keys. */
  readonly directoriesMax: number;
  readonly keysMax: number;
  /** Directories that only requests name, each with at most 20 keys. 0 for none: then no stranger names a host to connect to. */
  readonly unregisteredMax: number;
  /** How many registered directories are refreshed at the same time. */
  readonly refreshesMax: number;
}

const directoryLimits: DirectoryLimits = {
  directoriesMax: 1000,
  keysMax: 20_000,
  unregisteredMax: 0,
  refreshesMax: 8,
};

export interface DirectoriesOptions extends FetchSettings {
  /** The clock that only moves forward, in milliseconds. */
  readonly monotonicMs?: () => number;
  /** How long keys count after the last good answer, in milliseconds. Defaults to 7 days. */
  readonly outageMsMax?: number;
  readonly limits?: Partial<DirectoryLimits>;
  readonly strangers?: Partial<StrangerLimits>;
  /** Called after each good answer of a registered directory, to store it. */
  readonly onFetched?: (directory: StoredDirectory) => void;
  /** Called for bugs: nothing that a server does ends up here. */
  readonly onError?: (error: unknown) => void;
}

/** Where a request comes from, for limits: see `addressOwner` of the contract. */
export interface Asker {
  readonly owner: string;
}

/**
 * Directories of public keys: fetched in the background, and looked up in memory by their location together with a key ID. The
 * same key ID in another directory is another key.
 *
 * A good answer replaces all keys of its directory, so a key that is no longer in it stops counting. A failed fetch changes
 * nothing: keys count until `outageMsMax` after the last good answer, and then no more.
 */
export class Directories {
  readonly #settings: DirectoriesOptions;
  readonly #limits: DirectoryLimits;
  readonly #outageMsMax: number;
  readonly #monotonicMs: () => number;
  readonly #strangers: StrangerBudget;
  readonly #closing = new AbortController();
  readonly #registered = new Map<string, KeptDirectory>();
  readonly #unregistered: UnregisteredDirectories;
  /** Registered ones for which there is no room. */
  #rejected: ReadonlyMap<string, DirectoryLocation> = new Map();
  readonly #running = new Set<Promise<void>>();
  #refreshing: Promise<void> | undefined;

  constructor(options: DirectoriesOptions) {
    this.#settings = options;
    this.#limits = { ...directoryLimits, ...options.limits };
    this.#outageMsMax = options.outageMsMax ?? outageMsDefault;
    this.#monotonicMs = options.monotonicMs ?? ((): number => performance.now());
    this.#unregistered = new UnregisteredDirectories(this.#limits.unregisteredMax, this.#outageMsMax);
    this.#strangers = new StrangerBudget({ ...strangerLimits, ...options.strangers }, this.#monotonicMs);
  }

  /**
   * Says which directories clients are registered with: all of them, each time. New ones are fetched by the next `refreshDue` or
   * request; keys of those that are missing now are forgotten.
   */
  register(locations: Iterable<DirectoryLocation>): void {
    const wanted = new Map([...locations].map((location) => [nameOf(location), location]));
    for (const name of this.#registered.keys()) if (!wanted.has(name)) this.#registered.delete(name);
    const rejected = new Map<string, DirectoryLocation>();
    for (const [name, location] of wanted) {
      if (this.#registered.has(name)) continue;
      if (this.#registered.size >= this.#limits.directoriesMax) rejected.set(name, location);
      else this.#registered.set(name, new KeptDirectory(location, true, this.#outageMsMax));
      this.#unregistered.delete(name);
    }
    this.#rejected = rejected;
  }

  /** Returns the keys that a `keyid` may mean, from memory. Fetches nothing. */
  find(location: DirectoryLocation, keyId: string): KeyLookup {
    const kept = this.#kept(location);
    if (kept !== undefined) return kept.find(keyId, this.#now());
    return directoryProblem(this.#unregistered.isEnabled ? 'not_fetched' : 'not_registered');
  }

  /**
   * Does the same for a request, and fetches the directory first if the key is missing and the limits allow it: one fetch for all
   * who wait, at most one in five minutes, and within `StrangerLimits`. Never rejects.
   */
  async findOrFetch(location: DirectoryLocation, keyId: string, asker: Asker): Promise<KeyLookup> {
    const known = this.find(location, keyId);
    const kept = this.#kept(location);
    if (known.ok) {
      this.#use(kept!, asker);
      return known;
    }
    if (known.code === 'not_registered') return known;
    if (kept?.running === undefined) {
      if (kept?.wasTriedWithin(pauseMs, this.#now()) === true) return known;
      const fetching = this.#fetchFor(asker, location);
      if (typeof fetching === 'object' && 'ok' in fetching) return fetching;
    }
    await this.#kept(location)?.running;
    return this.find(location, keyId);
  }

  /** How many directories that only requests name are kept: with keys, and without. */
  get unregisteredCounts(): { readonly good: number; readonly others: number } {
    return this.#unregistered.counts;
  }

  /** Returns the keys of a directory that are valid now. */
  keysOf(location: DirectoryLocation): readonly DirectoryKey[] {
    return this.#kept(location)?.usableKeys(this.#now()) ?? [];
  }

  /** Returns how a directory is doing; undefined for one that is not kept. */
  state(location: DirectoryLocation): DirectoryState | undefined {
    const kept = this.#kept(location);
    if (kept !== undefined) return kept.state(this.#now());
    if (!this.#rejected.has(nameOf(location))) return undefined;
    const rejected = new KeptDirectory(location, true, this.#outageMsMax);
    rejected.fail(directoryProblem('directories_too_many'));
    return rejected.state(this.#now());
  }

  /** Returns how all registered directories are doing. */
  states(): readonly DirectoryState[] {
    const registered = [...this.#registered.values()].map(({ location }) => location);
    const all = [...registered, ...this.#rejected.values()];
    return all.flatMap((location) => this.state(location) ?? []);
  }

  /** Fetches the registered directories that are due. Call it every minute or so; calls at the same time share one run. */
  refreshDue(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Fetches a registered directory now, for a person who has changed it, unless it was fetched less than ten seconds ago. The
   * caller limits how often people may ask.
   */
  async refreshNow(location: DirectoryLocation): Promise<DirectoryState | undefined> {
    const kept = this.#registered.get(nameOf(location));
    if (kept !== undefined && !kept.wasTriedWithin(askedAgainMs, this.#now())) await this.#fetch(kept);
    return this.state(location);
  }

  /** Returns the last good answers of all registered directories, for storage. */
  snapshot(): readonly StoredDirectory[] {
    return [...this.#registered.values()].flatMap((kept) => storedFrom(kept) ?? []);
  }

  /**
   * Takes over what was stored, for registered directories that were not fetched yet: call `register` first. Anything that cannot
   * be read is ignored. Keys are as old as they are: a restart does not make an outage start again.
   */
  restore(stored: Iterable<unknown>): void {
    const { nowMs, monotonicMs } = this.#now();
    for (const value of stored) {
      const restored = readStoredDirectory(value);
      const kept = restored && this.#registered.get(nameOf(restored.location));
      if (kept === undefined) continue;
      // A time in the future, after the clock was set back, counts as now.
      const ageMs = Math.max(0, nowMs - restored!.succeededAtMs);
      const at = { nowMs: nowMs - ageMs, monotonicMs: monotonicMs - ageMs };
      if (this.#hasRoom(kept, restored!.contents.keys.length)) kept.restore(restored!.contents, at);
    }
  }

  /** Aborts what is being fetched, and waits until it has ended. Nothing is fetched afterwards. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#refreshing, ...this.#running]);
  }

  #now(): Instant {
    return { nowMs: this.#settings.nowMs(), monotonicMs: this.#monotonicMs() };
  }

  #kept(location: DirectoryLocation): KeptDirectory | undefined {
    const name = nameOf(location);
    return this.#registered.get(name) ?? this.#unregistered.get(name);
  }

  /** Fetches a directory because of a request, unless a limit is reached. */
  #fetchFor({ owner }: Asker, location: DirectoryLocation): Promise<void> | DirectoryProblem {
    const kept = this.#kept(location);
    const checked = checkDirectoryUrl(location.url, this.#settings.trustedOrigins);
    if (!checked.ok) return checked;
    if (!this.#strangers.take(checked.url.hostname, owner, kept?.isRegistered === true))
      return directoryProblem('fetch_limited');
    return this.#fetch(kept ?? this.#unregistered.add(location)).finally(() => this.#strangers.release());
  }

  /** Keeps a directory that only requests name among the used ones, and up to date. */
  #use(kept: KeptDirectory, asker: Asker): void {
    if (kept.isRegistered) return;
    this.#unregistered.use(kept);
    if (kept.running === undefined && kept.isDue(this.#now())) void this.#fetchFor(asker, kept.location);
  }

  async #refresh(): Promise<void> {
    const due = [...this.#registered.values()].filter((kept) => kept.isDue(this.#now()));
    const work = async (): Promise<void> => {
      for (let kept = due.shift(); kept !== undefined; kept = due.shift()) await this.#fetch(kept);
    };
    await Promise.all(Array.from({ length: this.#limits.refreshesMax }, work));
    for (const kept of this.#registered.values()) kept.forgetUntrusted(this.#now());
  }

  /** Fetches a directory, or waits for the fetch in progress. Never rejects. */
  #fetch(kept: KeptDirectory): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    if (kept.running !== undefined) return kept.running;
    const running = this.#fetchNow(kept)
      .catch((error: unknown) => {
        kept.fail(directoryProblem('internal_error'));
        this.#settings.onError?.(error);
      })
      .finally(() => {
        kept.running = undefined;
        this.#running.delete(running);
      });
    this.#running.add(running);
    kept.running = running;
    return running;
  }

  async #fetchNow(kept: KeptDirectory): Promise<void> {
    const begun = this.#now();
    kept.begin(begun);
    const directory = await fetchDirectory(kept.location, this.#settings, {
      limits: kept.isRegistered ? registeredKeys : unregisteredKeys,
      known: kept.examinedKeys,
      closing: this.#closing.signal,
    });
    if (!directory.ok) return kept.fail(directory);
    const hasRoom = this.#hasRoom(kept, directory.keys.length);
    // Keys that were withdrawn stop counting even if there is no room for new ones.
    const keys = hasRoom ? directory.keys : directory.keys.filter((key) => kept.hasKey(key.thumbprint));
    // As of the beginning: what was served may be as old as that.
    kept.succeed({ ...directory, keys }, begun);
    if (!hasRoom) kept.fail(directoryProblem('memory_full'));
    if (!kept.isRegistered) this.#unregistered.use(kept);
    else if (this.#kept(kept.location) === kept) this.#tell(kept);
  }

  #tell(kept: KeptDirectory): void {
    const stored = storedFrom(kept);
    try {
      if (stored !== undefined) this.#settings.onFetched?.(stored);
    } catch (error) {
      this.#settings.onError?.(error);
    }
  }

  /** A directory that gets no larger always has room. */
  #hasRoom(kept: KeptDirectory, count: number): boolean {
    if (!kept.isRegistered || count <= kept.keys.length) return true;
    let others = 0;
    for (const one of this.#registered.values()) if (one !== kept) others += one.keys.length;
    return others + count <= this.#limits.keysMax;
  }
}

function storedFrom({ location, lastSuccess }: KeptDirectory): StoredDirectory | undefined {
  return lastSuccess && { ...location, succeededAtMs: lastSuccess.atMs, keys: lastSuccess.contents.keys };
}

const outageMsDefault = 7 * 24 * 3_600_000;
const askedAgainMs = 10_000;
/** Examining them takes at most a second. */
const registeredKeys: KeyLimits = { keysMax: 100, rsaKeysMax: 10 };
const unregisteredKeys: KeyLimits = { keysMax: 20, rsaKeysMax: 2 };
