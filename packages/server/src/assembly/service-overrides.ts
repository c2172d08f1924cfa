import type { ListenerLimits } from '@countersign/gate';
import type { AsyncReplayGuard } from '@countersign/signature/node';
import type { PasswordCost } from '../people/identity/identity.ts';
import type { OpenGuard } from '../replay/open-guard.ts';
import type { DirectoryFollowing } from '../registry/follow-directories.ts';
import type { Database } from '../storage/transaction.ts';
import type { FreeBytes } from '../health/disk-watch.ts';
import type { StreamsOptions } from '../webhooks/streams/run-streams.ts';
import type { DeliveringOptions } from '../webhooks/deliver-webhooks.ts';
import type { RequestWrites } from '../request-log/writing/request-writes.ts';

/** Replacements for real parts, for tests. */
export interface ServiceOverrides {
  /** The wall clock, in milliseconds. */
  readonly nowMs?: () => number;
  /** The wall clock of all threads, in milliseconds; replaces `nowMs`. */
  readonly clock?: BigInt64Array;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs?: () => number;
  readonly limits?: ListenerLimits;
  /** Wraps the guard, to simulate outages that tests cannot cause otherwise. */
  readonly wrapGuard?: (guard: OpenGuard) => AsyncReplayGuard;
  /** Returns the free space of a disk, to simulate a full one. */
  readonly freeBytes?: FreeBytes;
  /** Wraps only the API's database, to simulate outages that tests cannot cause otherwise. */
  readonly wrapApiDatabase?: (database: Database) => Database;
  /** The cost of hashing a password; lower than in production, for tests that are not about it. */
  readonly passwordCost?: PasswordCost | undefined;
  /** The interval at which the request log is written. */
  readonly requestLogEveryMs?: number;
  /** The time limit for an explanation; longer for tests that need one however busy the machine is. */
  readonly explanationMsMax?: number;
  /** The interval at which notices are generated. */
  readonly noticesEveryMs?: number;
  /** Replaces the network on which directories of keys are fetched. */
  readonly directories?: Pick<DirectoryFollowing['fetching'], 'means' | 'deadline'>;
  /** The interval at which directories of keys that are due are fetched. */
  readonly directoriesEveryMs?: number;
  /** Returns a number from 0 to 1, which makes a pause after a failed fetch a little longer. */
  readonly directoriesRandom?: () => number;
  /** Replaces the network on which webhooks are sent, and the times of their attempts. */
  readonly webhooks?: Pick<DeliveringOptions, 'means' | 'deadline' | 'retryScale' | 'leaseMs'>;
  /** The interval at which events that are due are sent to webhooks. */
  readonly webhooksEveryMs?: number;
  /** Replaces the network on which streams are sent. */
  readonly streams?: Pick<StreamsOptions, 'means' | 'deadline'>;
  /** The interval at which the audit log is linked, and streams are sent. */
  readonly streamsEveryMs?: number;
  /**
   * Replaces the thread that writes the request log, for the many tests that are not about it: it takes 0.2 s
   * to start.
   */
  readonly requestWrites?: ((database: Database) => RequestWrites) | undefined;
  /**
   * False to make reports in the main thread, for the many tests that are not about the report thread. Default
   * true.
   */
  readonly hasReportThread?: boolean | undefined;
}
