import type { Database } from '../../storage/transaction.ts';
import type { StreamLag, StreamReader, StreamSource } from '../../registry/stream-records.ts';
import { readCursor, type StreamKey } from './stream-cursors.ts';

/** How far a source of a stream is behind. */
export interface StreamFigures extends StreamKey {
  /** Records that were not acknowledged yet. */
  readonly records: number;
  /** The age of the oldest of them; 0 if there is none. */
  readonly seconds: number;
  readonly isStalled: boolean;
}

interface Measured extends StreamLag {
  readonly isStalled: boolean;
  readonly atMs: number;
}

/** Measures now and then how far streams are behind, whichever node sends them. */
export class StreamLags {
  readonly #measured = new Map<string, Measured & { readonly key: StreamKey }>();
  readonly #database: Database;
  readonly #readers: Readonly<Record<StreamSource, StreamReader>>;
  readonly #nowMs: () => number;

  constructor(
    database: Database,
    readers: Readonly<Record<StreamSource, StreamReader>>,
    nowMs: () => number,
  ) {
    this.#database = database;
    this.#readers = readers;
    this.#nowMs = nowMs;
  }

  /** Measures a source, unless it was measured a moment ago. */
  async measure(key: StreamKey): Promise<void> {
    const name = `${key.stream} ${key.source}`;
    const atMs = this.#nowMs();
    if (Math.abs(atMs - (this.#measured.get(name)?.atMs ?? 0)) < everyMs) return;
    const cursor = await readCursor(this.#database, key);
    if (cursor === undefined) return;
    const lag = await this.#readers[key.source].lag(this.#database, cursor.place);
    this.#measured.set(name, { ...lag, isStalled: cursor.stalledAtMs !== null, atMs, key });
  }

  figures(): readonly StreamFigures[] {
    return [...this.#measured.values()].map(({ key, records, firstAtMs, isStalled }) => ({
      ...key,
      records,
      seconds: firstAtMs === undefined ? 0 : Math.max(this.#nowMs() - firstAtMs, 0) / 1000,
      isStalled,
    }));
  }
}

const everyMs = 5000;
