import type { DecisionMeans } from '@countersign/gate';
import { type AsyncReplayGuard, longestSignature, type TimeWindow } from '@countersign/signature/node';
import { otherProfilesOf } from '../configuration/accepted-profiles.ts';
import { keyPolicyOf } from '../configuration/key-policy.ts';
import type { Configuration } from '../configuration/load.ts';
import type { PartTimes } from '../telemetry/part-times.ts';
import type { Parts } from './parts.ts';
import type { ServiceOverrides } from './service-overrides.ts';

/** Returns how far a signature's time and a request's date may be from the node's clock. */
export function windowOf(settings: Configuration): TimeWindow {
  return {
    maxAgeSeconds: settings.createdMaxAgeSeconds,
    maxFutureSeconds: settings.createdMaxFutureSeconds,
    maxDateDifferenceSeconds: settings.dateMaxDifferenceSeconds,
  };
}

/** Returns everything that the checks of a signed request use. Each use of the guard is measured. */
export function decisionOf(
  settings: Configuration,
  { ground, stores }: Pick<Parts, 'ground' | 'stores'>,
  { wrapGuard }: Pick<ServiceOverrides, 'wrapGuard'>,
): DecisionMeans {
  const { registry, guard } = stores;
  return {
    registry,
    guard: measuredGuard(wrapGuard?.(guard) ?? guard, ground.times),
    rules: { window: windowOf(settings), nonce: settings.nonce },
    signatureBytesMax: longestSignature(keyPolicyOf(settings)),
    otherProfiles: otherProfilesOf(settings.profiles),
  };
}

function measuredGuard(guard: AsyncReplayGuard, times: PartTimes): AsyncReplayGuard {
  return {
    use: (signature, nowSeconds) => times.measure(times.guard, () => guard.use(signature, nowSeconds)),
  };
}
