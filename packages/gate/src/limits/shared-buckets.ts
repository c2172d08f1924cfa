import type { BucketPolicy, Buckets } from './token-bucket.ts';

/** Cells in each of the two rows. */
const cells = 131_072;
const cellBits = Math.log2(cells);
/** The longest name is that of a client (docs/profile.md section 2.6). */
const nameLengthMax = 256;

/** Makes the memory of buckets that threads share. */
export function makeSharedBuckets(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * cells * BigInt64Array.BYTES_PER_ELEMENT);
}

/** The random numbers that `SharedBucketTable` needs as its secret. */
export const bucketSecretLength: number = 2 * (1 + nameLengthMax);

/**
 * Buckets by name, in memory that threads share. A cell holds the time at which its bucket is full again, so
 * unused buckets need no removal.
 *
 * A name has one cell in each of two rows, and its remaining tokens are the larger of both. So a name never
 * gets more than its bucket holds, and gets less only if it shares both cells with other names in use, which
 * an attacker cannot arrange.
 */
export class SharedBucketTable implements Buckets {
  readonly policy: BucketPolicy;
  readonly #fullAt: BigInt64Array;
  readonly #secret: Uint32Array;
  readonly #monotonicMs: () => number;

  /** @param monotonicMs the same clock in all threads */
  constructor(
    policy: BucketPolicy,
    memory: SharedArrayBuffer,
    secret: Uint32Array,
    monotonicMs: () => number,
  ) {
    this.policy = policy;
    this.#fullAt = new BigInt64Array(memory);
    this.#secret = secret;
    this.#monotonicMs = monotonicMs;
  }

  /** The exact number is unknown and not needed: it is above 0. */
  get size(): number {
    return Number.POSITIVE_INFINITY;
  }

  tokens(name: string, policy: BucketPolicy = this.policy): number {
    const [first, second] = this.#cells(name);
    const nowMs = this.#monotonicMs();
    return Math.max(this.#tokensIn(first, nowMs, policy), this.#tokensIn(second, nowMs, policy));
  }

  take(name: string, policy: BucketPolicy = this.policy): void {
    const nowMs = this.#monotonicMs();
    for (const cell of this.#cells(name)) this.#takeFrom(cell, nowMs, policy);
  }

  set(name: string, tokens: number, { tokensMax, tokensPerSecond }: BucketPolicy = this.policy): void {
    const fullAtMs = this.#monotonicMs() + ((tokensMax - tokens) / tokensPerSecond) * 1000;
    for (const cell of this.#cells(name)) Atomics.store(this.#fullAt, cell, microseconds(fullAtMs));
  }

  #tokensIn(cell: number, nowMs: number, { tokensMax, tokensPerSecond }: BucketPolicy): number {
    const fullAtMs = Number(Atomics.load(this.#fullAt, cell)) / 1000;
    return tokensMax - (Math.max(0, fullAtMs - nowMs) / 1000) * tokensPerSecond;
  }

  #takeFrom(cell: number, nowMs: number, { tokensPerSecond }: BucketPolicy): void {
    const now = microseconds(nowMs);
    const token = microseconds(1000 / tokensPerSecond);
    for (let before = Atomics.load(this.#fullAt, cell); ;) {
      const after = (before > now ? before : now) + token;
      const seen = Atomics.compareExchange(this.#fullAt, cell, before, after);
      if (seen === before) return;
      before = seen;
    }
  }

  #cells(name: string): [number, number] {
    const secret = this.#secret;
    return [hashText(name, secret, 0, cellBits), cells + hashText(name, secret, 1 + nameLengthMax, cellBits)];
  }
}

/**
 * Hashes a text to its highest bits with secret multipliers, starting at the given one (see
 * replay/shared-hash.ts).
 */
function hashText(text: string, secret: Uint32Array, from: number, bits: number): number {
  let sum = secret[from]!;
  for (let index = 0; index < text.length; index++)
    sum = (sum + Math.imul(secret[from + 1 + index]!, text.charCodeAt(index))) | 0;
  return sum >>> (32 - bits);
}

function microseconds(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1000));
}
