import type { NetworkWhitelist } from '@countersign/contract/network';
import { ClientLimit, type SharedBuckets } from './client-limit.ts';
import { FailureLimit } from './failure-limit.ts';

/** The settings that limits follow from; 0 a minute is no limit. */
export interface LimitSettings {
  readonly clientRequestsPerMinuteMax: number;
  readonly clientRequestsBurstMax: number;
  readonly addressFailuresPerMinuteMax: number;
}

/** What a gateway asks; what is not limited is undefined. */
export interface Limits {
  readonly clientLimit: ClientLimit | undefined;
  readonly failureLimit: FailureLimit | undefined;
}

/** Makes the limits of one node. */
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
