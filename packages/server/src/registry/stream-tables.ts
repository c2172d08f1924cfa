import type { Defaulted, Fixed, TimeMs } from '../storage/schema.ts';

declare module '../storage/schema.ts' {
  interface Schema {
    stream_cursors: StreamCursorsTable;
  }
}

/** How far each stream has come in each of its sources. Rows of streams that are no longer configured stay. */
export interface StreamCursorsTable {
  stream: Fixed<string>;
  source: Fixed<string>;
  /** As `StreamPlace` describes the next four. */
  position: number;
  record_id: string;
  backfill_to_id: string | null;
  from_ms: Fixed<TimeMs>;
  /** Who sends it now; null if nobody does. */
  lease_id: string | null;
  leased_until_ms: Defaulted<TimeMs>;
  /** Nothing is sent before. */
  next_attempt_at_ms: Defaulted<TimeMs>;
  /** Failed attempts since the last success. */
  failures: Defaulted<number>;
  /** The first of them; null if the last attempt succeeded. */
  failing_since_ms: TimeMs | null;
  /** When it was reported as stalled; null if it isn't. */
  stalled_at_ms: TimeMs | null;
  /** Why the last attempt failed. */
  problem: string | null;
}
