import { checkOptionalFunction, wrongType } from '../arguments/check-argument.ts';
import type { Awaitable } from '../profile/examination.ts';
import { type MessageRefusal, refuseMessage } from './refusal.ts';

/** A message that passed every other check and is about to be used. */
export interface UsedMessage {
  /** What it is recognized by: its signature base, and its nonce if the profile counts that. 16 bytes each, one code point per byte. */
  readonly ids: readonly string[];
  /** Shares of the guard are counted by it: the key's owner, or the key. */
  readonly owner: string;
  /** Unix seconds. */
  readonly created: number;
  /** The last second in which it is accepted. Unix seconds. */
  readonly acceptedUntil: number;
}

/**
 * Lets each message pass once: `use` returns undefined if none of its IDs was used before, and has then remembered all of them
 * until `acceptedUntil`. Otherwise, or if it cannot tell, it returns a refusal.
 */
export interface MessageReplayGuard {
  use(used: UsedMessage, nowSeconds: number): Awaitable<MessageRefusal | undefined>;
}

export interface MemoryMessageGuardOptions {
  /** Maximum number of IDs held; beyond it, messages are rejected and none is forgotten. Defaults to 1,000,000. */
  readonly entriesMax?: number;
  /** The share of the entries that one owner may fill. Defaults to one quarter. */
  readonly ownerShareMax?: number;
  /**
   * Rejects messages created up to this second, because an earlier process may have accepted them: the time of the start plus the
   * greatest `maxFutureSeconds` of the profiles. Unix seconds.
   */
  readonly horizonSeconds?: number;
  /** A monotonic clock, in milliseconds; `performance.now()` except in tests. */
  readonly monotonicMs?: () => number;
}

/** The IDs that are forgotten together, after a second has passed. */
interface Bucket {
  readonly ids: Set<string>;
  expiresAtMs: number;
}

/**
 * The guard of one process. It never evicts a live entry: when it is full, it rejects.
 *
 * An ID lives until its second has passed by both clocks: the wall clock may jump ahead and return, or go back. What was
 * forgotten stays rejected, even if the wall clock goes back to it.
 */
export class MemoryMessageGuard implements MessageReplayGuard {
  readonly #entries = new Map<string, { readonly owner: string; until: number }>();
  readonly #buckets = new Map<number, Bucket>();
  readonly #entriesByOwner = new Map<string, number>();
  readonly #entriesMax: number;
  readonly #ownerEntriesMax: number;
  readonly #horizonSeconds: number;
  readonly #monotonicMs: () => number;
  #forgottenUntil = Number.NEGATIVE_INFINITY;
  #forgetAtMs = 0;

  /** @throws RangeError for limits that have no effect, TypeError for other invalid values */
  constructor(options: MemoryMessageGuardOptions = {}) {
    const {
      entriesMax = 1_000_000,
      ownerShareMax = 0.25,
      horizonSeconds = Number.NEGATIVE_INFINITY,
    } = options;
    if (!(typeof entriesMax === 'number' && entriesMax >= 1))
      throw new RangeError('entriesMax must be 1 or more.');
    if (!(typeof ownerShareMax === 'number' && ownerShareMax > 0 && ownerShareMax <= 1))
      throw new RangeError('ownerShareMax must be above 0, at most 1.');
    if (typeof horizonSeconds !== 'number' || Number.isNaN(horizonSeconds))
      throw wrongType('horizonSeconds', horizonSeconds, 'a number of seconds');
    checkOptionalFunction(options.monotonicMs, 'monotonicMs');
    this.#entriesMax = entriesMax;
    this.#ownerEntriesMax = Math.max(1, Math.floor(entriesMax * ownerShareMax));
    this.#horizonSeconds = horizonSeconds;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
  }

  /** The number of IDs remembered now. */
  get size(): number {
    return this.#entries.size;
  }

  use(used: UsedMessage, nowSeconds: number): MessageRefusal | undefined {
    const nowMs = this.#monotonicMs();
    if (!Number.isFinite(nowMs) || !Number.isFinite(nowSeconds))
      return refuseMessage('guard_unavailable', 'the clock of the replay guard does not tell the time');
    this.#forgetExpired(nowMs, nowSeconds);
    const { ids, owner, created, acceptedUntil } = used;
    const known = ids.filter((id) => this.#entries.has(id));
    if (known.length > 0) {
      // Another profile may accept it for longer.
      for (const id of known) this.#extend(id, acceptedUntil, nowMs, nowSeconds);
      return refuseMessage('signature_replayed', 'a message with this nonce or base was accepted before');
    }
    if (created <= this.#horizonSeconds || acceptedUntil <= this.#forgottenUntil)
      return {
        ...refuseMessage(
          'recently_restarted',
          'the guard cannot know whether this message was used before a restart',
        ),
        retryAfterSeconds: Math.max(1, this.#horizonSeconds - nowSeconds + 1),
      };
    if (this.#isFull(ids.length, owner))
      return {
        ...refuseMessage('guard_full', 'the replay guard, or the share of this key, is full'),
        retryAfterSeconds: Math.max(1, Math.min(...this.#buckets.keys()) - nowSeconds + 1),
      };
    for (const id of ids) this.#remember(id, owner, acceptedUntil, nowMs, nowSeconds);
    return undefined;
  }

  #isFull(count: number, owner: string): boolean {
    const ofOwner = this.#entriesByOwner.get(owner) ?? 0;
    return this.#entries.size + count > this.#entriesMax || ofOwner + count > this.#ownerEntriesMax;
  }

  #remember(id: string, owner: string, until: number, nowMs: number, nowSeconds: number): void {
    this.#entries.set(id, { owner, until });
    this.#entriesByOwner.set(owner, (this.#entriesByOwner.get(owner) ?? 0) + 1);
    this.#bucket(until, nowMs, nowSeconds).ids.add(id);
  }

  #extend(id: string, until: number, nowMs: number, nowSeconds: number): void {
    const entry = this.#entries.get(id)!;
    if (until <= entry.until) return;
    this.#buckets.get(entry.until)!.ids.delete(id);
    entry.until = until;
    this.#bucket(until, nowMs, nowSeconds).ids.add(id);
  }

  #bucket(until: number, nowMs: number, nowSeconds: number): Bucket {
    let bucket = this.#buckets.get(until);
    if (!bucket) this.#buckets.set(until, (bucket = { ids: new Set(), expiresAtMs: 0 }));
    // One second more, because it is unknown when the wall clock's second began.
    bucket.expiresAtMs = Math.max(bucket.expiresAtMs, nowMs + (until - nowSeconds + 1) * 1000);
    return bucket;
  }

  #forgetExpired(nowMs: number, nowSeconds: number): void {
    if (nowMs < this.#forgetAtMs) return;
    this.#forgetAtMs = nowMs + 1000;
    for (const [until, { ids, expiresAtMs }] of this.#buckets) {
      if (expiresAtMs > nowMs || until >= nowSeconds) continue;
      this.#buckets.delete(until);
      this.#forgottenUntil = Math.max(this.#forgottenUntil, until);
      for (const id of ids) this.#forget(id);
    }
  }

  #forget(id: string): void {
    const { owner } = this.#entries.get(id)!;
    this.#entries.delete(id);
    const rest = this.#entriesByOwner.get(owner)! - 1;
    if (rest === 0) this.#entriesByOwner.delete(owner);
    else this.#entriesByOwner.set(owner, rest);
  }
}
