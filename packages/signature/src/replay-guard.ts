import { profileTimeWindow, type TimeWindow } from './profile.ts';
import { type Refusal, refuse } from './refusal.ts';

/** A signature that passed every other check and is about to be used. */
export interface UsedSignature {
  /** The first 16 bytes of SHA-256 (keyid, 0x00, decoded signature), one code point for each byte. */
  readonly id: string;
  readonly keyid: string;
  /** Unix seconds. */
  readonly created: number;
  /** Whether the method is GET, HEAD or OPTIONS: repeating it changes nothing. */
  readonly isSafe: boolean;
}

/**
 * Lets each signature pass once. `use` answers undefined when the signature may be used, and has then remembered it;
 * the request must be refused otherwise. A guard that cannot tell refuses (`guard_unavailable`).
 */
export interface ReplayGuard {
  use(signature: UsedSignature, nowSeconds: number): Refusal | undefined;
}

/** A guard that may have to ask another process. */
export interface AsyncReplayGuard {
  use(signature: UsedSignature, nowSeconds: number): Promise<Refusal | undefined> | Refusal | undefined;
}

/**
 * What happens to a signature that comes again:
 * `equal-reads`: two honest equal requests in one second carry one signature, so a safe one passes again within 2 s;
 * `strict`: never; `unsafe-only`: safe requests are not guarded at all.
 */
export type RepeatPolicy = 'equal-reads' | 'strict' | 'unsafe-only';

export interface MemoryReplayGuardOptions {
  /** Milliseconds that never go back; `performance.now()` unless a test says otherwise. */
  readonly monotonicMs?: () => number;
  readonly repeat?: RepeatPolicy;
  /** Signatures held at most; beyond it requests are refused, none is forgotten. Default 1,000,000. */
  readonly entriesMax?: number;
  /** The share of the entries that one client may fill. Default one half. */
  readonly clientShareMax?: number;
  readonly window?: TimeWindow;
  /** Signatures created up to this second may have been used in an earlier life and are refused. Unix seconds. */
  readonly horizonSeconds?: number;
}

/** The remembered signatures of one second of `created`: what a clean stop keeps for the next start. */
export interface RememberedSecond {
  readonly created: number;
  readonly ids: Iterable<string>;
}

const equalReadsMs = 2000;

/** The signatures of one second of `created`; they are forgotten together. */
interface Bucket {
  readonly firstUsedMs: Map<string, number>;
  readonly entriesByClient: Map<string, number>;
  expiresAtMs: number;
}

/**
 * The guard of one process. It never evicts a live entry: when it is full it refuses.
 *
 * Entries are kept by the second in which they were created, so that forgetting is the removal of a whole second, and
 * live until that second has left the window by the monotonic clock. What was forgotten stays refused should the wall
 * clock ever go back to it: the horizon rises with each second that is dropped.
 */
export class MemoryReplayGuard implements ReplayGuard {
  readonly #buckets = new Map<number, Bucket>();
  readonly #entriesByClient = new Map<string, number>();
  readonly #monotonicMs: () => number;
  readonly #repeat: RepeatPolicy;
  readonly #entriesMax: number;
  readonly #clientEntriesMax: number;
  readonly #window: TimeWindow;
  #horizonSeconds: number;
  #entries = 0;
  #forgetAtMs = 0;

  constructor(options: MemoryReplayGuardOptions = {}) {
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#repeat = options.repeat ?? 'equal-reads';
    this.#entriesMax = options.entriesMax ?? 1_000_000;
    this.#clientEntriesMax = Math.max(1, Math.floor(this.#entriesMax * (options.clientShareMax ?? 0.5)));
    this.#window = options.window ?? profileTimeWindow;
    this.#horizonSeconds = options.horizonSeconds ?? Number.NEGATIVE_INFINITY;
  }

  /** Signatures remembered now. */
  get size(): number {
    return this.#entries;
  }

  /** The last second of `created` that is refused because a use in it may have been forgotten. Unix seconds. */
  get horizonSeconds(): number {
    return this.#horizonSeconds;
  }

  use(signature: UsedSignature, nowSeconds: number): Refusal | undefined {
    if (this.#repeat === 'unsafe-only' && signature.isSafe) return undefined;
    const nowMs = this.#monotonicMs();
    this.#forgetExpired(nowMs);

    const { id, keyid, created } = signature;
    const firstUsedMs = this.#buckets.get(created)?.firstUsedMs.get(id);
    if (firstUsedMs !== undefined) return this.#again(signature, nowMs - firstUsedMs);
    if (created <= this.#horizonSeconds) {
      return refuse('recently_restarted', 'the service cannot know whether this signature was used before a restart', {
        retryAfterSeconds: Math.max(1, this.#horizonSeconds - nowSeconds + 1),
      });
    }
    const clientEntries = this.#entriesByClient.get(keyid) ?? 0;
    if (this.#entries >= this.#entriesMax || clientEntries >= this.#clientEntriesMax) {
      const whose = this.#entries >= this.#entriesMax ? 'the replay guard is full' : 'this client fills its share of the guard';
      return refuse('guard_full', whose, { retryAfterSeconds: 10 });
    }
    this.#remember(signature, clientEntries, nowMs, nowSeconds);
    return undefined;
  }

  /** All that is remembered. */
  *remembered(): Iterable<RememberedSecond> {
    for (const [created, bucket] of this.#buckets) yield { created, ids: bucket.firstUsedMs.keys() };
  }

  /** Takes over what an earlier guard remembered. Such signatures never pass again, safe or not. */
  restore(seconds: Iterable<RememberedSecond>, nowSeconds: number): void {
    const nowMs = this.#monotonicMs();
    for (const { created, ids } of seconds) {
      const bucket = this.#bucket(created, nowMs, nowSeconds);
      for (const id of ids) bucket.firstUsedMs.set(id, Number.NEGATIVE_INFINITY);
      this.#entries += bucket.firstUsedMs.size;
    }
  }

  #again(signature: UsedSignature, sinceMs: number): Refusal | undefined {
    if (signature.isSafe && this.#repeat === 'equal-reads' && sinceMs <= equalReadsMs) return undefined;
    return refuse('signature_replayed', 'a request with this signature was accepted before');
  }

  #remember(signature: UsedSignature, clientEntries: number, nowMs: number, nowSeconds: number): void {
    const { id, keyid, created } = signature;
    const bucket = this.#bucket(created, nowMs, nowSeconds);
    bucket.firstUsedMs.set(id, nowMs);
    bucket.entriesByClient.set(keyid, (bucket.entriesByClient.get(keyid) ?? 0) + 1);
    this.#entriesByClient.set(keyid, clientEntries + 1);
    this.#entries++;
  }

  #bucket(created: number, nowMs: number, nowSeconds: number): Bucket {
    let bucket = this.#buckets.get(created);
    if (!bucket) {
      bucket = { firstUsedMs: new Map(), entriesByClient: new Map(), expiresAtMs: 0 };
      this.#buckets.set(created, bucket);
    }
    // One second more than the window, because the wall clock's second has begun at an unknown moment.
    const remainingSeconds = created + this.#window.maxAgeSeconds - nowSeconds + 1;
    bucket.expiresAtMs = Math.max(bucket.expiresAtMs, nowMs + remainingSeconds * 1000);
    return bucket;
  }

  #forgetExpired(nowMs: number): void {
    if (nowMs < this.#forgetAtMs) return;
    this.#forgetAtMs = nowMs + 1000;
    for (const [created, bucket] of this.#buckets) {
      if (bucket.expiresAtMs > nowMs) continue;
      this.#buckets.delete(created);
      this.#entries -= bucket.firstUsedMs.size;
      this.#horizonSeconds = Math.max(this.#horizonSeconds, created);
      for (const [keyid, count] of bucket.entriesByClient) {
        const left = this.#entriesByClient.get(keyid)! - count;
        if (left === 0) this.#entriesByClient.delete(keyid);
        else this.#entriesByClient.set(keyid, left);
      }
    }
  }
}
