import type { ForwardingKey, ForwardingSigner } from '@countersign/gate';
import { forwarded } from '@countersign/signature/profile';
import { BackgroundWork } from '../lifecycle/background-work.ts';
import type { Database } from '../storage/transaction.ts';
import { publishKey, type PublishedKey, readPublishedKeys, removeEndedKeys } from './key-table.ts';
import { makeOwnKey, type OwnKey } from './own-key.ts';

export interface ForwardingKeysOptions {
  readonly database: Database;
  /** The wall clock, in milliseconds. */
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
  /** Called when the keys in use have changed or were renewed. */
  readonly onChange?: ((keys: readonly OwnKey[]) => void) | undefined;
}

/**
 * The keys with which this node signs forwarded requests and responses: created in memory, never stored, replaced every day.
 * Their public halves are in the database, where each node finds the keys of all nodes; they end an hour after
 * the node last renewed them.
 */
export class ForwardingKeys implements ForwardingSigner {
  readonly nowMs: () => number;
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  readonly #onChange: (keys: readonly OwnKey[]) => void;
  readonly #work: BackgroundWork;
  /** In order of use; at most the current key and the next one. */
  #keys: OwnKey[] = [];
  #reading: Promise<readonly PublishedKey[]> | undefined;
  #readingNext: Promise<readonly PublishedKey[]> | undefined;

  constructor({ database, nowMs, onError, onChange }: ForwardingKeysOptions) {
    this.nowMs = nowMs;
    this.#database = database;
    this.#onError = onError;
    this.#onChange = onChange ?? (() => undefined);
    this.#work = new BackgroundWork(onError);
  }

  /** Creates and publishes the first key. Does nothing if there already is one. Rejects if storage is unavailable. */
  async start(): Promise<void> {
    if (this.#keys.length > 0) return;
    const nowMs = this.nowMs();
    const first = makeOwnKey(nowMs);
    await this.#publish(first, nowMs + leaseMs);
    if (this.#keys.length > 0) return;
    this.#keys = [first];
    this.#onChange(this.#keys);
    this.#work.repeat(() => this.tend(), tendEveryMs);
  }

  /** Returns the key that signs now; undefined if its published end is too close for its signatures. */
  key(): ForwardingKey | undefined {
    return keyNow(this.#keys, this.nowMs());
  }

  /** Returns the published keys of this node: the current one, and for a while the next one. */
  own(): readonly OwnKey[] {
    return this.#keys;
  }

  /**
   * Renews the keys in use, publishes the next one before it is used, ends the one that it replaced, and
   * removes ended keys of all nodes. Runs every minute. Rejects if storage is unavailable.
   */
  async tend(): Promise<void> {
    const nowMs = this.nowMs();
    const newest = this.#keys.at(-1);
    if (newest === undefined) return;
    if (nowMs >= newest.startsAtMs + usedForMs - publishedAheadMs) {
      const next = makeOwnKey(nowMs + publishedAheadMs);
      await this.#publish(next, nowMs + leaseMs);
      this.#keys = [...this.#keys, next];
    }
    const presentIndex = this.#keys.findLastIndex(({ startsAtMs }) => startsAtMs <= nowMs);
    const replaced = this.#keys.slice(0, Math.max(0, presentIndex));
    const kept = this.#keys.slice(replaced.length);
    for (const key of kept) await this.#publish(key, nowMs + leaseMs);
    for (const key of replaced) await this.#publish(key, nowMs + afterLastUseMs);
    this.#keys = kept;
    this.#onChange(kept);
    await removeEndedKeys(this.#database, nowMs);
  }

  /**
   * Returns the published keys of all nodes, read after this call began. However many callers there
   * are, one query runs at a time.
   */
  published(): Promise<readonly PublishedKey[]> {
    if (this.#reading === undefined) {
      this.#reading = readPublishedKeys(this.#database, this.nowMs()).finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    // The query in progress may miss a key that was published after it started.
    this.#readingNext ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#readingNext = undefined;
        return this.published();
      });
    return this.#readingNext;
  }

  /** Ends the keys; their signatures can still be verified for a few minutes. */
  async close(): Promise<void> {
    await this.#work.stop();
    const keys = this.#keys;
    this.#keys = [];
    try {
      for (const key of keys) await this.#publish(key, this.nowMs() + afterLastUseMs);
    } catch (error) {
      // Without this, they end within the hour anyway.
      this.#onError(error);
    }
  }

  async #publish(key: OwnKey, endsAtMs: number): Promise<void> {
    const { keyid, publicKey } = key;
    await publishKey(this.#database, { keyid, publicKey, endsAtMs });
    key.endsAtMs = endsAtMs;
  }
}

/** Returns the key that signs at a time; undefined if its published end is too close for its signatures. */
export function keyNow<Key extends Pick<OwnKey, 'startsAtMs' | 'endsAtMs'>>(
  keys: readonly Key[],
  nowMs: number,
): Key | undefined {
  const present = keys.findLast(({ startsAtMs }) => startsAtMs <= nowMs) ?? keys[0];
  const isVerifiable = present !== undefined && present.endsAtMs >= nowMs + forwarded.time.lifeSeconds * 1000;
  return isVerifiable ? present : undefined;
}

const minuteMs = 60_000;
const tendEveryMs = minuteMs;
/** A key that its node no longer renews verifies for this long. */
const leaseMs = 60 * minuteMs;
const usedForMs = 24 * 60 * minuteMs;
/** Longer than upstreams cache the directory. */
const publishedAheadMs = 10 * minuteMs;
/** Longer than a signature is accepted, with some difference between clocks. */
const afterLastUseMs = 5 * minuteMs;
