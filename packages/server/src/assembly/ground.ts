import type { Logger } from 'pino';
import type { StopStages } from '../lifecycle/stop-stages.ts';
import { PartTimes } from '../telemetry/part-times.ts';
import type { Closers } from './closers.ts';
import type { ServiceOverrides } from './service-overrides.ts';

/** What every part stands on: the clocks, the log, the stages of a stop. It opens first and depends on no part. */
export interface Ground {
  /** The wall clock, in milliseconds. */
  readonly nowMs: () => number;
  /** A monotonic clock, in milliseconds, the same in all threads. */
  readonly monotonicMs: () => number;
  readonly logger: Logger;
  /** The stage that the service has reached on its way to a stop. */
  readonly stages: StopStages;
  /** How long each part took in recent minutes. */
  readonly times: PartTimes;
}

/** Chooses the clocks, which tests may set, and starts the measurements that use them. */
export function openGround(
  { logger, stages, monotonicMs: monotonicMsOfThreads }: Pick<Ground, 'logger' | 'stages' | 'monotonicMs'>,
  { clock, ...overrides }: Pick<ServiceOverrides, 'clock' | 'nowMs' | 'monotonicMs'>,
  closers: Closers,
): Ground {
  const clockNowMs = clock ? () => Number(Atomics.load(clock, 0)) : Date.now;
  const { nowMs = clockNowMs, monotonicMs = monotonicMsOfThreads } = overrides;
  const times = new PartTimes(monotonicMs);
  times.start();
  closers.push(() => times.close());
  return { nowMs, monotonicMs, logger, stages, times };
}
