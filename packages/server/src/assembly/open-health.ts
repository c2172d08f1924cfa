import type { ServiceHealth } from '@countersign/contract';
import type { Configuration } from '../configuration/load.ts';
import type { Health } from '../health/health.ts';
import { nodeHealth } from '../health/node-health.ts';
import { healthOfParts } from '../health/part-health.ts';
import { serviceHealthReader } from '../health/service-health.ts';
import type { Parts } from './parts.ts';

/**
 * Returns the node's health, for balancers.
 *
 * @param sharesRegistry true if the registry is in a database that all nodes share
 */
export function healthOfNode(
  { ground, stores }: Pick<Parts, 'ground' | 'stores'>,
  sharesRegistry: boolean,
): Health {
  const { stages, logger } = ground;
  const { guard, registry, disk } = stores;
  return nodeHealth({ stages, guard, registry, disk, logger, sharesRegistry });
}

/** Creates a function that reads the health of the node and of each part, for its operator. */
export function openServiceHealth(
  settings: Configuration,
  parts: Pick<Parts, 'ground' | 'stores' | 'people' | 'background' | 'forwarding'>,
  health: () => Health,
): () => ServiceHealth {
  const { ground, stores, people, background, forwarding } = parts;
  const { times, logger } = ground;
  const { database, registry, guard, disk } = stores;
  const { requestStore, explanations } = background;
  const { upstreamFigures } = forwarding;
  return serviceHealthReader({
    settings,
    mail: people?.mail ?? 'folder',
    startedAtMs: ground.nowMs(),
    health,
    registryFigures: () => registry.figures(),
    requestStore,
    explanations,
    parts: () =>
      healthOfParts({
        settings,
        times,
        database,
        registry,
        guard,
        requestStore,
        explanations,
        disk,
        people,
        logger,
        upstreamFigures,
      }),
  });
}
