import { checkOptionalFunction, checkWord, wrongType } from '../arguments/check-argument.ts';
import type { Examination } from '../profile/examination.ts';
import { profileTimeWindow } from '../profile/profiles.ts';
import { type Refusal, refuse } from '../profile/refusal.ts';
import { checkTimeWindow, type TimeWindow } from '../profile/time-window.ts';
import { algorithmNamed } from '../rfc9421/algorithms.ts';

/** A signature that passed every other check and is about to be used. */
export interface UsedSignature {
  /**
   * The first 16 bytes of SHA-256 (keyid, 0x00, decoded signature or signature base), one code point per byte. The algorithm
   * says which of the two: `replayId`.
   */
  readonly id: string;
  readonly keyid: string;
  /** The client's account, whose clients share a part of the guard; undefined for a client without one. */
  readonly accountId?: string | undefined;
  /** Unix seconds. */
  readonly created: number;
  /** True for GET, HEAD and OPTIONS that do not ask to switch protocols: repeating them changes nothing. */
  readonly isSafe: boolean;
}

/**
 * Returns what the guard recognizes an examined request by, after its keyid: the signature's bytes, or the base where others
 * could make another signature of it.
 */
export function replayedPart({
  alg,
  base,
  signature,
}: Pick<Examination, 'alg' | 'base' | 'signature'>): Uint8Array | string {
  return algorithmNamed(alg)?.replayId === 'signature' ? signature : base;
}

/** The length of a signature's id. */
export const replayIdBytes = 16;

/**
 * Returns true if repeating a request changes nothing. A request that asks to switch protocols opens a
 * channel, whatever its method: anything can follow in it.
 */
export function isSafeToRepeat(method: string, asksToSwitch: boolean): boolean {
  return !asksToSwitch && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS');
}

/**
 * Lets each signature pass once. `use` returns undefined if the signature may be used, and has then
 * remembered it; otherwise the request must be rejected. A guard that cannot tell rejects
 * (`guard_unavailable`).
 */
export interface ReplayGuard {
  use(signature: UsedSignature, nowSeconds: number): Refusal | undefined;
}

/** A guard that may have to ask another process. */
export interface AsyncReplayGuard {
  use(signature: UsedSignature, nowSeconds: number): Promise<Refusal | undefined> | Refusal | undefined;
}

/**
 * The treatment of repeated signatures. `equal-reads`: a safe one passes again within 2 s, because two honest equal
 * requests in one second have the same signature; `strict`: never; `unsafe-only`: safe requests are not guarded at all.
 */
export type RepeatPolicy = 'equal-reads' | 'strict' | 'unsafe-only';

export interface MemoryReplayGuardOptions {
  /** A monotonic clock, in milliseconds; `performance.now()` except in tests. */
  readonly monotonicMs?: () => number;
  readonly repeat?: RepeatPolicy;
  /**
   * Maximum number of signatures held; beyond it requests are rejected and none is forgotten. Defaults to
   * 1,000,000.
   */
  readonly entriesMax?: number;
  /** The share of the entries that one client may fill. Defaults to one quarter. */
  readonly clientShareMax?: number;
  /** The share of the entries that all clients of one account may fill together. Defaults to one half. */
  readonly accountShareMax?: number;
  readonly window?: TimeWindow;
  /**
   * Rejects signatures created up to this second, because an earlier process may have accepted them. Unix
   * seconds.
   */
  readonly horizonSeconds?: number;
}

/** The remembered signatures of one second of `created`, which a clean stop stores for the next start. */
export interface RememberedSecond {
  readonly created: number;
  readonly ids: Iterable<string>;
  /** The number of IDs per client, so that the shares of clients and accounts survive a restart. */
  readonly entriesByClient: Iterable<readonly [keyid: string, entries: number, accountId?: string]>;
}

/**
 * The maximum number of signatures in a guard: in total, for one client, and for all clients of one account
 * together.
 */
export interface EntryLimits {
  readonly entriesMax: number;
  readonly clientEntriesMax: number;
  readonly accountEntriesMax: number;
}

/** Returns a guard's limits. Throws RangeError for limits that have no effect. */
export function entryLimits({
  entriesMax = 1_000_000,
  clientShareMax = 0.25,
  accountShareMax = 0.5,
}: Pick<MemoryReplayGuardOptions, 'entriesMax' | 'clientShareMax' | 'accountShareMax'>): EntryLimits {
  if (!(typeof entriesMax === 'number' && entriesMax >= 1))
    throw new RangeError('entriesMax must be 1 or more.');
  const entriesOf = (name: string, share: number): number => {
    if (!(typeof share === 'number' && share > 0 && share <= 1))
      throw new RangeError(`${name} must be above 0, at most 1.`);
    return Math.max(1, Math.floor(entriesMax * share));
  };
  return {
    entriesMax,
    clientEntriesMax: entriesOf('clientShareMax', clientShareMax),
    accountEntriesMax: entriesOf('accountShareMax', accountShareMax),
  };
}

const equalReadsMs = 2000;

/** The signatures of one second of `created`; they are forgotten together. */
interface Bucket {
  readonly firstUsedMs: Map<string, number>;
  readonly entriesByClient: Map<string, ClientEntries>;
  expiresAtMs: number;
}

interface ClientEntries {
  readonly accountId: string | undefined;
  entries: number;
}

/**
 * The guard of one process. It never evicts a live entry: when it is full, it rejects.
 *
 * Entries are grouped by the second they were created in, so that a whole second is forgotten at once. They
 * live until that second has left the window by both clocks: by the monotonic clock, because the wall clock
 * may jump ahead and return; by the wall clock, because it may have gone back since. Forgotten signatures
 * stay rejected even if the wall clock goes back to them: the horizon rises with each second that is dropped,
 * and so is always older than the window.
 */
export class MemoryReplayGuard implements ReplayGuard {
  readonly #buckets = new Map<number, Bucket>();
  readonly #entriesByClient = new Map<string, number>();
  readonly #entriesByAccount = new Map<string, number>();
  readonly #monotonicMs: () => number;
  readonly #repeat: RepeatPolicy;
  readonly #limits: EntryLimits;
  readonly #window: TimeWindow;
  #horizonSeconds: number;
  #entries = 0;
  #forgetAtMs = 0;

  /** @throws RangeError for limits that have no effect, TypeError for other invalid values */
  constructor(options: MemoryReplayGuardOptions = {}) {
    this.#limits = entryLimits(options);
    checkOptionalFunction(options.monotonicMs, 'monotonicMs');
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#repeat = options.repeat ?? 'equal-reads';
    checkWord(this.#repeat, 'repeat', ['equal-reads', 'strict', 'unsafe-only']);
    this.#window = options.window ?? profileTimeWindow;
    checkTimeWindow(this.#window);
    this.#horizonSeconds = options.horizonSeconds ?? Number.NEGATIVE_INFINITY;
    if (typeof this.#horizonSeconds !== 'number' || Number.isNaN(this.#horizonSeconds))
      throw wrongType('horizonSeconds', this.#horizonSeconds, 'a number of seconds');
  }

  /** The number of signatures remembered now. */
  get size(): number {
    return this.#entries;
  }

  /** The last second of `created` that is rejected because a use in it may have been forgotten. Unix seconds. */
  get horizonSeconds(): number {
    return this.#horizonSeconds;
  }

  use(signature: UsedSignature, nowSeconds: number): Refusal | undefined {
    if (this.#repeat === 'unsafe-only' && signature.isSafe) return undefined;
    const nowMs = this.#monotonicMs();
    if (!Number.isFinite(nowMs) || !Number.isFinite(nowSeconds))
      return refuse('guard_unavailable', 'the clock of the replay guard does not tell the time');
    this.#forgetExpired(nowMs, nowSeconds);

    const { id, created } = signature;
    const firstUsedMs = this.#buckets.get(created)?.firstUsedMs.get(id);
    if (firstUsedMs !== undefined) return this.#again(signature, nowMs - firstUsedMs);
    if (created <= this.#horizonSeconds) {
      return refuse(
        'recently_restarted',
        'the service cannot know whether this signature was used before a restart',
        {
          retryAfterSeconds: Math.max(1, this.#horizonSeconds - nowSeconds + 1),
        },
      );
    }
    const whyFull = this.#whyFull(signature);
    if (whyFull !== undefined) return refuse('guard_full', whyFull, { retryAfterSeconds: 10 });
    this.#remember(signature, nowMs, nowSeconds);
    return undefined;
  }

  /** Iterates over everything remembered. */
  *remembered(): Iterable<RememberedSecond> {
    for (const [created, { firstUsedMs, entriesByClient }] of this.#buckets) {
      yield {
        created,
        ids: firstUsedMs.keys(),
        entriesByClient: Array.from(entriesByClient, rememberedClient),
      };
    }
  }

  /**
   * Restores an earlier guard's memory, before the first use. Restored signatures never pass again, safe or
   * not. The memory does not include what that guard had forgotten: pass its `horizonSeconds` to the
   * constructor.
   */
  restore(seconds: Iterable<RememberedSecond>, nowSeconds: number): void {
    const nowMs = this.#monotonicMs();
    for (const { created, ids, entriesByClient } of seconds) {
      const bucket = this.#bucket(created, nowMs, nowSeconds);
      const entriesBefore = bucket.firstUsedMs.size;
      for (const id of ids) bucket.firstUsedMs.set(id, Number.NEGATIVE_INFINITY);
      this.#entries += bucket.firstUsedMs.size - entriesBefore;
      for (const [keyid, entries, accountId] of entriesByClient)
        this.#count(bucket, { keyid, accountId }, entries);
    }
  }

  #whyFull({ keyid, accountId }: UsedSignature): string | undefined {
    const { entriesMax, clientEntriesMax, accountEntriesMax } = this.#limits;
    if (this.#entries >= entriesMax) return 'the replay guard is full';
    if ((this.#entriesByClient.get(keyid) ?? 0) >= clientEntriesMax)
      return 'this client has used up its share of the replay guard';
    if (accountId !== undefined && (this.#entriesByAccount.get(accountId) ?? 0) >= accountEntriesMax)
      return 'this account has used up its share of the replay guard';
    return undefined;
  }

  #again(signature: UsedSignature, sinceMs: number): Refusal | undefined {
    if (signature.isSafe && this.#repeat === 'equal-reads' && sinceMs <= equalReadsMs) return undefined;
    return refuse('signature_replayed', 'a request with this signature was accepted before');
  }

  #remember(signature: UsedSignature, nowMs: number, nowSeconds: number): void {
    const bucket = this.#bucket(signature.created, nowMs, nowSeconds);
    bucket.firstUsedMs.set(signature.id, nowMs);
    this.#entries++;
    this.#count(bucket, signature, 1);
  }

  #count(
    bucket: Bucket,
    { keyid, accountId }: Pick<UsedSignature, 'keyid' | 'accountId'>,
    entries: number,
  ): void {
    const client = bucket.entriesByClient.get(keyid);
    if (client) client.entries += entries;
    else bucket.entriesByClient.set(keyid, { accountId, entries });
    add(this.#entriesByClient, keyid, entries);
    // A client counts towards one account in each second, so that forgetting the second subtracts what was added.
    const countedFor = client ? client.accountId : accountId;
    if (countedFor !== undefined) add(this.#entriesByAccount, countedFor, entries);
  }

  #bucket(created: number, nowMs: number, nowSeconds: number): Bucket {
    let bucket = this.#buckets.get(created);
    if (!bucket) {
      bucket = { firstUsedMs: new Map(), entriesByClient: new Map(), expiresAtMs: 0 };
      this.#buckets.set(created, bucket);
    }
    // One second more than the window, because it is unknown when the wall clock's second began.
    const remainingSeconds = created + this.#window.maxAgeSeconds - nowSeconds + 1;
    bucket.expiresAtMs = Math.max(bucket.expiresAtMs, nowMs + remainingSeconds * 1000);
    return bucket;
  }

  #forgetExpired(nowMs: number, nowSeconds: number): void {
    if (nowMs < this.#forgetAtMs) return;
    this.#forgetAtMs = nowMs + 1000;
    for (const [created, bucket] of this.#buckets) {
      if (bucket.expiresAtMs > nowMs || created + this.#window.maxAgeSeconds >= nowSeconds) continue;
      this.#buckets.delete(created);
      this.#entries -= bucket.firstUsedMs.size;
      this.#horizonSeconds = Math.max(this.#horizonSeconds, created);
      for (const [keyid, { accountId, entries }] of bucket.entriesByClient) {
        add(this.#entriesByClient, keyid, -entries);
        if (accountId !== undefined) add(this.#entriesByAccount, accountId, -entries);
      }
    }
  }
}

function add(counts: Map<string, number>, name: string, entries: number): void {
  const sum = (counts.get(name) ?? 0) + entries;
  if (sum === 0) counts.delete(name);
  else counts.set(name, sum);
}

function rememberedClient([keyid, { accountId, entries }]: [string, ClientEntries]): [
  keyid: string,
  entries: number,
  accountId?: string,
] {
  return accountId === undefined ? [keyid, entries] : [keyid, entries, accountId];
}
