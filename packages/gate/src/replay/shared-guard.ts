import {
  type AsyncReplayGuard,
  entryLimits,
  profileTimeWindow,
  type Refusal,
  type RepeatPolicy,
  type TimeWindow,
  type UsedSignature,
} from '@countersign/signature/node';
import { andThen, type Awaitable, refuse } from '@countersign/signature/profile';
import {
  createdOf,
  partsOf,
  reservedSlots,
  secondOf,
  type SharedGuardMemory,
  type SharedParts,
  words,
} from './shared-memory.ts';
import { accountNameOf, nameOf } from './shared-names.ts';
import { SharedTable } from './shared-table.ts';

/** Options of a shared guard, the same in all threads. They are sent to worker threads. */
export interface SharedGuardPolicy {
  readonly repeat?: RepeatPolicy;
  /** The share of the entries that one client may fill. Defaults to one quarter. */
  readonly clientShareMax?: number;
  /** The share of the entries that all clients of one account may fill together. Defaults to one half. */
  readonly accountShareMax?: number;
  readonly window?: TimeWindow;
}

/** Everything that a shared guard needs in each thread. */
export interface SharedGuardMeans {
  readonly memory: SharedGuardMemory;
  /** This thread's number: 0 for the one that maintains the memory. */
  readonly thread: number;
  /** A monotonic clock in milliseconds that is the same in all threads. Defaults to `monotonicMsOfProcess`. */
  readonly monotonicMs?: () => number;
  /** Makes sure that a second is reserved, if it is not yet. Returns a rejection if it cannot be reserved. */
  readonly reserve: (created: number, nowSeconds: number) => Awaitable<Refusal | undefined>;
}

const equalReadsMs = 2000;

/**
 * One thread's view of a replay guard that all threads of a process share. A signature passes once, on
 * whichever threads it arrives.
 */
export class SharedReplayGuard implements AsyncReplayGuard {
  readonly #parts: SharedParts;
  readonly #table: SharedTable;
  readonly #reserve: SharedGuardMeans['reserve'];
  readonly #monotonicMs: () => number;
  readonly #repeat: RepeatPolicy;
  readonly #window: TimeWindow;

  /** @throws RangeError for limits that have no effect */
  constructor(means: SharedGuardMeans, policy: SharedGuardPolicy = {}) {
    const { memory, thread, reserve, monotonicMs = monotonicMsOfProcess } = means;
    const { repeat = 'equal-reads', window = profileTimeWindow } = policy;
    this.#parts = partsOf(memory);
    this.#reserve = reserve;
    this.#monotonicMs = monotonicMs;
    this.#repeat = repeat;
    this.#window = window;
    this.#table = new SharedTable(memory, thread, entryLimits({ ...policy, entriesMax: memory.entriesMax }));
  }

  use(signature: UsedSignature, nowSeconds: number): Awaitable<Refusal | undefined> {
    if (this.#repeat === 'unsafe-only' && signature.isSafe) return undefined;
    const second = secondOf(signature.created);
    if (second === undefined) return unavailable('the guard cannot remember this second');
    if (isReserved(this.#parts, second)) return this.#use(signature, second, nowSeconds);
    const refusal = this.#reserve(signature.created, nowSeconds);
    return andThen(refusal, (answered) => answered ?? this.#useReserved(signature, second, nowSeconds));
  }

  #useReserved(signature: UsedSignature, second: number, nowSeconds: number): Refusal | undefined {
    // Without a visible reservation, it is unknown what was reserved.
    return isReserved(this.#parts, second)
      ? this.#use(signature, second, nowSeconds)
      : unavailable("the replay guard's mark cannot be written");
  }

  #use(
    { id, keyid, accountId, created, isSafe }: UsedSignature,
    second: number,
    nowSeconds: number,
  ): Refusal | undefined {
    const nowMs = this.#monotonicMs();
    const expiresAt = expirySeconds(created, this.#window, nowMs, nowSeconds);
    const entry = { id, client: nameOf(keyid), account: accountNameOf(accountId), second, expiresAt };
    const insertion = this.#table.insert(entry, nowMs);
    switch (insertion) {
      case 'fresh':
        return undefined;
      case 'forgotten':
        return this.#forgotten(nowSeconds);
      case 'closed':
        return closed;
      case 'full':
        return full('the replay guard is full');
      case 'client full':
        return full('this client has used up its share of the replay guard');
      case 'account full':
        return full('this account has used up its share of the replay guard');
      default:
        if (isSafe && this.#repeat === 'equal-reads' && insertion <= equalReadsMs) return undefined;
        return refuse('signature_replayed', 'a request with this signature was accepted before');
    }
  }

  #forgotten(nowSeconds: number): Refusal {
    const horizonSeconds = createdOf(Atomics.load(this.#parts.words, words.horizon));
    return refuse(
      'recently_restarted',
      'the service cannot know whether this signature was used before a restart',
      { retryAfterSeconds: Math.max(1, horizonSeconds - nowSeconds + 1) },
    );
  }
}

/** A monotonic clock in milliseconds that is the same in all threads of a process. */
export function monotonicMsOfProcess(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Returns when an entry has certainly left the window, by the monotonic clock, in seconds. */
export function expirySeconds(
  created: number,
  { maxAgeSeconds }: TimeWindow,
  nowMs: number,
  nowSeconds: number,
): number {
  // One second more than the window, because it is unknown when the wall clock's second began.
  return Math.ceil(nowMs / 1000) + created + maxAgeSeconds - nowSeconds + 1;
}

/** Informs all threads that a second is reserved. */
export function noteReserved({ reserved }: SharedParts, createdSeconds: number): void {
  const second = secondOf(createdSeconds);
  if (second !== undefined) Atomics.store(reserved, slotOf(second), second);
}

/** The rejection of everything once the guard is closed. */
export const closed: Refusal = unavailable('the replay guard is closed');

function isReserved({ reserved }: SharedParts, second: number): boolean {
  return Atomics.load(reserved, slotOf(second)) === second;
}

function slotOf(second: number): number {
  return second & (reservedSlots - 1);
}

function unavailable(reason: string): Refusal {
  return refuse('guard_unavailable', reason, { retryAfterSeconds: 5 });
}

function full(reason: string): Refusal {
  return refuse('guard_full', reason, { retryAfterSeconds: 10 });
}
