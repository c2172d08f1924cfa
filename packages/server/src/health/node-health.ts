import type { Registry } from '@countersign/gate';
import type { Logger } from 'pino';
import type { Health } from './health.ts';
import type { OpenGuard } from '../replay/open-guard.ts';
import type { StopStages } from '../lifecycle/stop-stages.ts';
import type { DiskWatch } from './disk-watch.ts';
import { losesLines } from '../telemetry/logger.ts';

/** Everything that a node's health depends on. */
export interface NodeHealthParts {
  readonly stages: Pick<StopStages, 'isLeaving'>;
  readonly guard: Pick<OpenGuard, 'isReady' | 'problem' | 'refusesUntilMs'>;
  readonly registry: Pick<Registry, 'isFresh'>;
  readonly disk: Pick<DiskWatch, 'problem'>;
  readonly logger: Logger;
  /** True if the registry is in a database that all nodes share. */
  readonly sharesRegistry: boolean;
}

/**
 * Returns a node's health. Readiness is about this node alone: while a store that all nodes share is
 * unavailable, each node stays ready and rejects requests with a code and `Retry-After`. If all of them became
 * unready at once, callers would get the balancer's error, which says neither what is wrong nor that nothing
 * was done.
 */
export function nodeHealth(parts: NodeHealthParts): Health {
  const { stages, guard, registry, disk, logger, sharesRegistry } = parts;
  if (stages.isLeaving()) return unready('the service is stopping');
  const own = guard.problem ?? disk.problem ?? (losesLines(logger) ? 'the log cannot be written' : undefined);
  if (own !== undefined) return unready(own);
  if (guard.isReady === false)
    return { ready: true, decides: false, reason: "the replay guard's store is unavailable" };
  if (!registry.isFresh())
    return { ready: sharesRegistry, decides: false, reason: 'the registry is out of date' };
  const { refusesUntilMs } = guard;
  if (refusesUntilMs === undefined) return { ready: true, decides: true };
  // Another node would reject too: all of them share one guard.
  const until = new Date(refusesUntilMs).toISOString();
  const reason = `every signature is rejected until ${until}, because another replay guard may have accepted it`;
  return { ready: true, decides: false, reason };
}

function unready(reason: string): Health {
  return { ready: false, decides: false, reason };
}
