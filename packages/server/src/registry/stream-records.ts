import type { Database } from '../storage/transaction.ts';

/** What streams can send: the audit log, and the request log. */
export type StreamSource = 'audit' | 'requests';

/** Where a stream begins when it is first started. */
export type StreamStart =
  | { readonly kind: 'now' }
  | { readonly kind: 'oldest' }
  | { readonly kind: 'time'; readonly atMs: number }
  /** The first position of the audit log to send. */
  | { readonly kind: 'position'; readonly position: number };

/** A record on its way. */
export interface StreamRecord {
  readonly source: StreamSource;
  /** The same each time that it is sent. */
  readonly id: string;
  readonly atMs: number;
  /** What it is about: the action of an audit event, the outcome of a request. */
  readonly name: string;
  /** True for a request that was rejected. */
  readonly isWarning: boolean;
  /** Its place in the chain; only of the audit log. */
  readonly position?: number;
  readonly hash?: string;
  /** JSON on one line. */
  readonly line: string;
}

/** How far a stream has come in one source. */
export interface StreamPlace {
  /** Of the audit log, the position of the last record; of the request log, its epoch. */
  readonly position: number;
  /** Of the request log, the last record of that epoch, or of the backfill. */
  readonly recordId: string;
  /** The last request to backfill; null afterwards, and for the audit log. */
  readonly backfillToId: string | null;
  /** Requests received before are left out. */
  readonly fromMs: number;
}

/** The next records after a place, and the place after them. */
export interface StreamPage {
  /** Can be empty although more follow. */
  readonly records: readonly StreamRecord[];
  readonly next: StreamPlace;
}

/** How far a stream is behind. */
export interface StreamLag {
  readonly records: number;
  /** Undefined if it isn't behind. */
  readonly firstAtMs: number | undefined;
}

/** Reads one source for streams. */
export interface StreamReader {
  /** Returns the place at which a stream begins; undefined while that can't be told. */
  readonly start: (database: Database, from: StreamStart) => Promise<StreamPlace | undefined>;
  /** Reads the next records; undefined if there are none. */
  readonly read: (database: Database, place: StreamPlace) => Promise<StreamPage | undefined>;
  /** Returns how much follows a place. */
  readonly lag: (database: Database, place: StreamPlace) => Promise<StreamLag>;
}

/** A page is sent as one batch. A single record may be larger. */
export const batchLimits = { records: 500, bytes: 1_048_576 } as const;

/** Returns as many of the first records as fit into a batch, at least one. */
export function withinBatch(records: readonly StreamRecord[]): readonly StreamRecord[] {
  let bytes = 0;
  const tooMany = records.findIndex(
    ({ line }, index) => (bytes += Buffer.byteLength(line) + 1) > batchLimits.bytes && index > 0,
  );
  return tooMany < 0 ? records : records.slice(0, tooMany);
}
