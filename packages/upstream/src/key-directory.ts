import { readKeySet, type VerifyingKey } from './key-set.ts';

/** Returns a key, or the reason why there is none. */
export type FindKey = (keyid: string) => Promise<VerifyingKey | 'unknown' | 'unavailable'>;

export interface KeyDirectoryOptions {
  readonly url: string;
  readonly fetch: typeof fetch;
  /** The wall clock, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * The keys that a service publishes, cached. They are read again every 5 minutes, and when a key is missing:
 * once a minute on average, with some spare for nodes that start one after the other. Keys of a directory
 * that has been unreadable for an hour are no longer trusted.
 */
export class KeyDirectory {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #nowMs: () => number;
  #keys: ReadonlyMap<string, VerifyingKey> = new Map();
  #readAtMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** The number of reads still allowed for unknown keys, and the time of that count. */
  #spareReads = spareReadsMax;
  #countedAtMs: number;

  constructor({ url, fetch, nowMs }: KeyDirectoryOptions) {
    this.#url = url;
    this.#fetch = fetch;
    this.#nowMs = nowMs;
    this.#countedAtMs = nowMs();
  }

  /** Never rejects. */
  readonly find: FindKey = async (keyid) => {
    const known = this.#usable(keyid);
    if (known !== undefined) {
      if (this.#ageMs() >= freshMs) void this.#read();
      return known;
    }
    if (this.#ageMs() >= freshMs || this.#reading !== undefined || this.#takeSpareRead()) await this.#read();
    return this.#usable(keyid) ?? (this.#ageMs() < believedMs ? 'unknown' : 'unavailable');
  };

  #usable(keyid: string): VerifyingKey | undefined {
    return this.#ageMs() < believedMs ? this.#keys.get(keyid) : undefined;
  }

  /** The time since the start of the last successful read. */
  #ageMs(): number {
    return this.#nowMs() - this.#readAtMs;
  }

  #takeSpareRead(): boolean {
    const nowMs = this.#nowMs();
    const earned = Math.max(0, nowMs - this.#countedAtMs) / spareReadEveryMs;
    this.#spareReads = Math.min(spareReadsMax, this.#spareReads + earned);
    this.#countedAtMs = nowMs;
    if (this.#spareReads < 1) return false;
    this.#spareReads -= 1;
    return true;
  }

  /** Reads the directory unless that has just failed. Callers share one read at a time. */
  #read(): Promise<void> {
    if (this.#reading) return this.#reading;
    const startedMs = this.#nowMs();
    if (Math.abs(startedMs - this.#failedAtMs) < pauseAfterFailureMs) return Promise.resolve();
    this.#reading = this.#readNow(startedMs).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(startedMs: number): Promise<void> {
    try {
      const answer = await this.#fetch(this.#url, {
        // A cache on the way may not know a new key yet.
        headers: { Accept: mediaTypes, 'Cache-Control': 'no-cache' },
        redirect: 'error',
        signal: AbortSignal.timeout(patienceMs),
      });
      this.#keys = readKeySet(JSON.parse(await textOf(answer)));
      this.#readAtMs = startedMs;
    } catch {
      this.#failedAtMs = startedMs;
    }
  }
}

const mediaTypes = 'application/http-message-signatures-directory+json, application/json;q=0.5';
const directoryBytesMax = 1_048_576;
const freshMs = 300_000;
const believedMs = 3_600_000;
const spareReadsMax = 5;
const spareReadEveryMs = 60_000;
const pauseAfterFailureMs = 5000;
const patienceMs = 5000;

async function textOf(answer: Response): Promise<string> {
  if (answer.status !== 200 || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`The directory answers ${answer.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > directoryBytesMax) throw new Error('The directory is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
