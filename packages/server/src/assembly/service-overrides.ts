import type { decide, ListenerLimits } from '@countersign/gate';
import type { AsyncReplayGuard } from '@countersign/signature/node';
import type { Api } from '../api/api.ts';
import type { PasswordCost } from '../people/identity/identity.ts';
import type { OpenGuard } from '../replay/open-guard.ts';
import type { Database } from '../storage/transaction.ts';
import type { FreeBytes } from '../health/disk-watch.ts';
import type { RequestWrites } from '../request-log/writing/request-writes.ts';

/** Replacements for real parts, for tests and benchmarks, and what a start depends on besides its settings. */
export interface ServiceOverrides {
  /** Interrupts the start, unless it has come so far that it listens. */
  readonly interruption?: AbortSignal;
  /** The wall clock, in milliseconds. */
  readonly nowMs?: () => number;
  /** The wall clock of all threads, in milliseconds; replaces `nowMs`. */
  readonly clock?: BigInt64Array;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs?: () => number;
  readonly limits?: ListenerLimits;
  /** Wraps the guard, to simulate outages that tests cannot cause otherwise. */
  readonly wrapGuard?: (guard: OpenGuard) => AsyncReplayGuard;
  /** How much space a disk has, to simulate a full one. */
  readonly freeBytes?: FreeBytes;
  /** Wraps the API's database alone, to simulate outages that tests cannot cause otherwise. */
  readonly wrapApiDatabase?: (database: Database) => Database;
  /** The cost of hashing a password; lower than in production for tests of something else. */
  readonly passwordCost?: PasswordCost | undefined;
  /** The interval at which the request log is written. */
  readonly requestLogEveryMs?: number;
  /** The time after which an explanation is given up; longer for tests that need one however busy the machine is. */
  readonly explanationMsMax?: number;
  /** The interval at which notices are looked for. */
  readonly noticesEveryMs?: number;
  /** Replaces the thread that writes the request log, for the many tests that are not about it: it takes 0.2 s to start. */
  readonly requestWrites?: ((database: Database) => RequestWrites) | undefined;
  /** False to make reports in the thread that answers, for the many tests that are not about theirs. Default true. */
  readonly hasReportThread?: boolean | undefined;
  /** Replaces our decision, for a benchmark of what it costs. */
  readonly decide?: typeof decide;
  /** Replaces the API, for a benchmark without it. */
  readonly api?: Api;
}
