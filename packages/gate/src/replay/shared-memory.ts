import { randomFillSync } from 'node:crypto';

/** The memory of a guard that several threads share. It is passed to worker threads unchanged. */
export interface SharedGuardMemory {
  readonly buffer: SharedArrayBuffer;
  /** Maximum number of signatures held. */
  readonly entriesMax: number;
  /** The multipliers of the hashes. Random at each start, so that nobody can force collisions. */
  readonly secret: Uint32Array;
}

/** The most entries that are removed in one batch. Their nodes are freed together, before the next batch. */
export const removedAtOnce = 5000;
/** The maximum number of threads that use one memory at once. */
export const threadsMax = 64;
/** The length of an id, in bytes. */
export const idBytes = 16;
/** A length-prefixed name. Each node has two: the client's and the account's. */
export const nameBytes = 48;
/** Cells in each of the two rows that count the entries of clients and accounts. */
export const countCells = 65_536;
/** The number of seconds whose reservation can be looked up directly: more than the longest window has. */
export const reservedSlots = 16_384;

/** The words at the beginning of the memory. */
export const words = {
  /** The last second of which entries may have been forgotten, in the format of `secondOf`. */
  horizon: 0,
  /** 1 once nothing is accepted any more. */
  isClosed: 1,
  entries: 2,
  /** The first free node; 0 for none. */
  free: 3,
  /** The number of nodes that were ever used. */
  taken: 4,
} as const;
/** A cache line for each thread's word, so that they do not slow each other down. */
export const threadStride = 16;

/** The parts of a memory. Each entry is a node: an index above 0 into all arrays that are as long as `nodes`. */
export interface SharedParts {
  readonly nodes: number;
  readonly words: Int32Array;
  /** Odd while a thread is inside an operation. */
  readonly threads: Int32Array;
  readonly reserved: Int32Array;
  readonly counts: Int32Array;
  /** The first node of each chain; 0 for none. */
  readonly heads: Int32Array;
  /** The next node of the chain, or of the free list. */
  readonly next: Int32Array;
  readonly created: Int32Array;
  /** Four words for each node. */
  readonly ids: Int32Array;
  /** By the monotonic clock, in seconds; `never` for a node that holds no entry. */
  readonly expiresAt: Int32Array;
  /** By the monotonic clock, in milliseconds. */
  readonly firstUsedMs: Float64Array;
  readonly names: Uint8Array;
  /** The bits of a hash that select a chain. */
  readonly headBits: number;
}

/** Creates an empty memory. Untouched pages take no space. */
export function makeSharedMemory(entriesMax: number): SharedGuardMemory {
  const { bytes } = layOut(entriesMax);
  const secret = randomFillSync(new Uint32Array(1 + idBytes + 2 * (1 + nameBytes)));
  const memory = { buffer: new SharedArrayBuffer(bytes), entriesMax, secret };
  const parts = partsOf(memory);
  parts.words[words.horizon] = noSecond;
  parts.reserved.fill(noSecond);
  return memory;
}

/** Returns the parts of a memory. */
export function partsOf({ buffer, entriesMax }: SharedGuardMemory): SharedParts {
  const { nodes, headBits, at } = layOut(entriesMax);
  const integers = (name: keyof typeof at, length: number): Int32Array =>
    new Int32Array(buffer, at[name], length);
  return {
    nodes,
    headBits,
    words: integers('words', threadStride),
    threads: integers('threads', threadsMax * threadStride),
    reserved: integers('reserved', reservedSlots),
    counts: integers('counts', 2 * countCells),
    heads: integers('heads', 2 ** headBits),
    next: integers('next', nodes),
    created: integers('created', nodes),
    ids: integers('ids', 4 * nodes),
    expiresAt: integers('expiresAt', nodes),
    firstUsedMs: new Float64Array(buffer, at.firstUsedMs, nodes),
    names: new Uint8Array(buffer, at.names, 2 * nameBytes * nodes),
  };
}

/** Seconds are stored as 32 bits relative to this one, which works until 2101. */
const middleSeconds = 2_000_000_000;
/** Earlier than every second. */
export const noSecond: number = -(2 ** 31);

/** Later than every time. */
export const never: number = 2 ** 31 - 1;

/** Returns a second of `created` as it is stored; undefined if it is out of range, as no valid signature's is. */
export function secondOf(created: number): number | undefined {
  const second = created - middleSeconds;
  return Number.isInteger(created) && second > noSecond && second < 2 ** 31 ? second : undefined;
}

/** Returns the Unix seconds of a stored second; negative infinity for `noSecond`. */
export function createdOf(second: number): number {
  return second === noSecond ? Number.NEGATIVE_INFINITY : second + middleSeconds;
}

interface Layout {
  readonly nodes: number;
  readonly headBits: number;
  readonly bytes: number;
  /** Where each part begins, in bytes. */
  readonly at: Readonly<Record<Exclude<keyof SharedParts, 'nodes' | 'headBits'>, number>>;
}

function layOut(entriesMax: number): Layout {
  const nodes = entriesMax + nodesBeside;
  const headBits = Math.min(headBitsMax, Math.max(10, Math.ceil(Math.log2(entriesMax))));
  let bytes = 0;
  const take = (length: number): number => {
    const start = bytes;
    bytes = Math.ceil((bytes + length) / 64) * 64;
    return start;
  };
  const at = {
    words: take(4 * threadStride),
    threads: take(4 * threadsMax * threadStride),
    reserved: take(4 * reservedSlots),
    counts: take(4 * 2 * countCells),
    heads: take(4 * 2 ** headBits),
    next: take(4 * nodes),
    created: take(4 * nodes),
    ids: take(4 * 4 * nodes),
    expiresAt: take(4 * nodes),
    firstUsedMs: take(8 * nodes),
    names: take(2 * nameBytes * nodes),
  };
  return { nodes, headBits, bytes, at };
}

/**
 * The state of index 0, which is never used, of removed nodes that are not yet free, and of nodes that a
 * thread has taken but not used.
 */
const nodesBeside = 1 + removedAtOnce + 1024;
/** As many bits of a hash of bytes as are strongly universal (shared-hash.ts). */
const headBitsMax = 25;
