import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makePrivateFolder } from './private-folder.ts';

/** A body that is too large for memory: a file without a name, hashed while it was written. */
export interface SpooledBody {
  /** In bytes. */
  readonly length: number;
  /** The expected `Content-Digest` (RFC 9530). */
  readonly contentDigest: string;
  /** Reads it from the start. */
  open(): Readable;
  /** Frees its space. Further calls do nothing. */
  remove(): void;
}

/** The body of a request: its bytes, or the file that holds them. */
export type ReceivedBody = Uint8Array | SpooledBody;

/** Returns true if the bytes are in memory. */
export function isInMemory(body: ReceivedBody): body is Uint8Array {
  return body instanceof Uint8Array;
}

/** Returns the bytes of a body on a route that never spools to disk. */
export function inMemory(body: ReceivedBody): Uint8Array {
  if (isInMemory(body)) return body;
  throw new Error('The body is not in memory.');
}

export interface SpoolOptions {
  /** The folder; created when it is first needed. */
  readonly folder: string;
  /** The space for all bodies together, in bytes. */
  readonly bytesMax: number;
  /** Shares the space with other threads; undefined if this is the only spool of its process. */
  readonly shared?: SharedSpool;
}

/** Lets the spools of several threads share their space. */
export interface SharedSpool {
  /** The bytes that each thread has used. */
  readonly usedBytes: BigInt64Array;
  /** This thread's number, also used in its file names. */
  readonly thread: number;
}

/** Keeps large bodies on disk while they are verified and forwarded. No files remain after a crash. */
export class Spool {
  readonly #options: SpoolOptions;
  #bytes = 0;
  #count = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Begins a body. Rejects if no file can be created. */
  async begin(): Promise<SpoolWriter> {
    const { folder, shared } = this.#options;
    makePrivateFolder(folder);
    this.#count += 1;
    const name = join(folder, `${process.pid}-${shared?.thread ?? 0}-${this.#count}`);
    const file = await open(name, 'wx+', 0o600);
    // A file without a name disappears with its process.
    await rm(name);
    return new SpoolWriter(file, (bytes) => this.#take(bytes));
  }

  /** Throws if there is no more space; a negative number gives space back. */
  #take(bytes: number): void {
    const { bytesMax, shared } = this.#options;
    if (shared) return takeShared(bytes, bytesMax, shared);
    if (bytes > 0 && this.#bytes + bytes > bytesMax) throw new Error('the spool is full');
    this.#bytes += bytes;
  }
}

/** Each thread has its own counter, so that its space is free again when it ends. */
function takeShared(bytes: number, bytesMax: number, { usedBytes, thread }: SharedSpool): void {
  Atomics.add(usedBytes, thread, BigInt(bytes));
  if (bytes <= 0) return;
  const sum = usedBytes.reduce((all, _, index) => all + Atomics.load(usedBytes, index), 0n);
  if (sum <= BigInt(bytesMax)) return;
  Atomics.sub(usedBytes, thread, BigInt(bytes));
  throw new Error('the spool is full');
}

/** A body that is being written. */
export class SpoolWriter {
  readonly #file: FileHandle;
  readonly #take: (bytes: number) => void;
  readonly #hash = createHash('sha256');
  #length = 0;
  #isRemoved = false;

  constructor(file: FileHandle, take: (bytes: number) => void) {
    this.#file = file;
    this.#take = take;
  }

  /** Appends bytes. Rejects if there is no space. Do not call it again before it resolves. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#take(bytes.length);
    this.#length += bytes.length;
    this.#hash.update(bytes);
    await this.#file.writeFile(bytes);
  }

  /** Ends the body. */
  finish(): SpooledBody {
    const length = this.#length;
    return {
      length,
      contentDigest: `sha-256=:${this.#hash.digest('base64')}:`,
      open: () => this.#file.createReadStream({ start: 0, end: length - 1, autoClose: false }),
      remove: () => this.remove(),
    };
  }

  /** Frees the space. */
  remove(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.#take(-this.#length);
    // A reader that still uses the file fails, which cuts off its request.
    void this.#file.close().catch(() => undefined);
  }
}
