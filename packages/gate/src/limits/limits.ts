import type { NetworkWhitelist } from '@countersign/contract/network';
import { ClientLimit, type SharedBuckets } from './client-limit.ts';
import { FailureLimit } from './failure-limit.ts';
import type { BucketPolicy, Buckets } from './token-bucket.ts';

/** The settings behind the limits; 0 per minute means no limit. */
export interface LimitSettings {
  readonly clientRequestsPerMinuteMax: number;
  readonly clientRequestsBurstMax: number;
  readonly addressFailuresPerMinuteMax: number;
}

/** The limits that a gateway checks. */
export interface Limits {
  readonly clientLimit: ClientLimit;
  /** Undefined for no limit. */
  readonly failureLimit: FailureLimit | undefined;
}

/** Creates the tables of buckets, unless they are in this thread's memory. */
export interface LimitTables {
  readonly clients?: (policy: BucketPolicy) => Buckets;
  readonly addresses?: (policy: BucketPolicy) => Buckets;
}

/** Creates one node's limits. */
export function createLimits(
  settings: LimitSettings,
  trustedProxies: NetworkWhitelist,
  monotonicMs: () => number,
  shared: SharedBuckets | undefined,
  tables: LimitTables = {},
): Limits {
  const { clientRequestsPerMinuteMax: requestsPerMinuteMax, clientRequestsBurstMax: requestsBurstMax } =
    settings;
  const { addressFailuresPerMinuteMax: failuresPerMinuteMax } = settings;
  return {
    clientLimit: new ClientLimit({
      requestsPerMinuteMax,
      requestsBurstMax,
      monotonicMs,
      shared,
      makeTable: tables.clients,
    }),
    failureLimit:
      failuresPerMinuteMax === 0
        ? undefined
        : new FailureLimit({
            failuresPerMinuteMax,
            trustedProxies,
            monotonicMs,
            makeTable: tables.addresses,
          }),
  };
}
