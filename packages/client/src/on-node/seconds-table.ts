import type { UsedSeconds } from '@countersign/signature';

/** The number of seconds of `created` per block. */
const blockSeconds = 8;
/** 512 seconds in total: longer than any service accepts a signature. */
const blockCount = 64;
const ringSeconds = blockSeconds * blockCount;
/** Slots per level of a block. A program that signs little touches only the first level, one page of memory. */
const levelSlots: readonly number[] = [1024, 8192, 65_536];
/** The number of slots that are tried per level. */
const probes = 16;
const slotsPerBlock = levelSlots.reduce((sum, slots) => sum + slots, 0);

const slotCount = blockCount * slotsPerBlock;

/** The bytes of the shared memory: the slots, and the time when each was taken. Untouched pages cost nothing. */
export const secondsTableBytes: number = 2 * slotCount * Int32Array.BYTES_PER_ELEMENT;

/**
 * Remembers for all threads of a process which requests were signed in which second, without locks: a thread
 * that ends in the middle blocks no other.
 *
 * A slot is a word: 8 bits are the turn of the ring in which it was taken, 24 bits are a hash of the request
 * and its second. A slot of another turn is free. Which block and slots are tried follows from request and
 * second alone, and a taken slot stays taken for its turn, so threads with an equal request meet at the same
 * first free slot, where one compare-and-set wins. A hash collision of two different requests costs one
 * second, no more. So does a full block, at more than 8,000 signatures a second.
 *
 * Next to each slot is the time when it was taken, as the low 32 bits of milliseconds. Every thread that
 * finds the slot free writes the time before the slot: whichever of the racing times remains, it is not later
 * than the moment when one thread won.
 */
export class SecondsTable implements UsedSeconds {
  readonly #slots: Int32Array;
  readonly #takenMs: Int32Array;
  readonly #monotonicMs: () => number;

  /** @param monotonicMs a monotonic clock that all threads share, in milliseconds; the system's by default */
  constructor(memory: SharedArrayBuffer, monotonicMs: () => number = systemMs) {
    this.#slots = new Int32Array(memory, 0, slotCount);
    this.#takenMs = new Int32Array(memory, slotCount * Int32Array.BYTES_PER_ELEMENT, slotCount);
    this.#monotonicMs = monotonicMs;
  }

  add(what: string, created: number, sharedMs = 0): boolean {
    const nowMs = this.#monotonicMs();
    const [place, mark] = hashPair(`${created} ${what}`);
    const turn = Math.floor(created / ringSeconds) & 0xff;
    // Never 0, which means a slot that was never used.
    const word = (turn << 24) | (mark & 0xff_ffff) || 1;
    let level = (Math.floor(created / blockSeconds) % blockCount) * slotsPerBlock;
    for (const slots of levelSlots) {
      for (let probe = 0; probe < probes; probe++) {
        const index = level + ((place + probe) & (slots - 1));
        const taken = this.#take(index, word, { turn, nowMs, sharedMs });
        if (taken !== undefined) return taken;
      }
      level += slots;
    }
    return false;
  }

  /**
   * Returns true if the slot was free and is now taken, or may be shared; false if an equal request has it,
   * undefined if another one has.
   */
  #take(index: number, word: number, { turn, nowMs, sharedMs }: Taking): boolean | undefined {
    let found = Atomics.load(this.#slots, index);
    for (;;) {
      if (found === word) return sharedMs > 0 && this.#ageMs(index, nowMs) < sharedMs;
      if (found !== 0 && found >>> 24 === turn) return undefined;
      Atomics.store(this.#takenMs, index, nowMs);
      const before = Atomics.compareExchange(this.#slots, index, found, word);
      if (before === found) return true;
      found = before;
    }
  }

  /** Negative if another thread took the slot after this one had read the clock. */
  #ageMs(index: number, nowMs: number): number {
    return (nowMs - Atomics.load(this.#takenMs, index)) | 0;
  }
}

interface Taking {
  readonly turn: number;
  readonly nowMs: number;
  readonly sharedMs: number;
}

/** `performance.now()` starts at zero in each thread. */
function systemMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + Math.floor(nanoseconds / 1e6);
}

/** Two independent 32-bit hashes (FNV-1a and a multiplicative one, mixed at the end). Not for security. */
function hashPair(text: string): readonly [number, number] {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995);
    high ^= high >>> 15;
  }
  return [mixed(low), mixed(high)];
}

/** The finalizer of MurmurHash3: each bit of the input changes half of the output. */
function mixed(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
