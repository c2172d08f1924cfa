import type { NetworkWhitelist } from '@countersign/contract/network';
import { ClientLimit, type SharedBuckets } from './client-limit.ts';
import { FailureLimit } from './failure-limit.ts';

/** The settings behind the limits; 0 per minute means no limit. */
export interface LimitSettings {
  readonly clientRequestsPerMinuteMax: number;
  readonly clientRequestsBurstMax: number;
  readonly addressFailuresPerMinuteMax: number;
}

/** The limits that a gateway checks; undefined where there is none. */
export interface Limits {
  readonly clientLimit: ClientLimit | undefined;
  readonly failureLimit: FailureLimit | undefined;
}

/** Creates one node's limits. */
export function createLimits(
  settings: LimitSettings,
  trustedProxies: NetworkWhitelist,
  monotonicMs: () => number,
  shared: SharedBuckets | undefined,
): Limits {
  const { clientRequestsPerMinuteMax: requestsPerMinuteMax, clientRequestsBurstMax: requestsBurstMax } =
    settings;
  const { addressFailuresPerMinuteMax: failuresPerMinuteMax } = settings;
  return {
    clientLimit:
      requestsPerMinuteMax === 0
        ? undefined
        : new ClientLimit({ requestsPerMinuteMax, requestsBurstMax, monotonicMs, shared }),
    failureLimit:
      failuresPerMinuteMax === 0
        ? undefined
        : new FailureLimit({ failuresPerMinuteMax, trustedProxies, monotonicMs }),
  };
}
