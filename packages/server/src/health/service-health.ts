import type { ServiceHealth } from '@countersign/contract';
import type { Configuration } from '../configuration/load.ts';
import type { FailureExplanations } from '../explanations/failure-explanations.ts';
import type { Health } from './health.ts';
import type { Registry } from '@countersign/gate';
import { version } from '../lifecycle/version.ts';
import type { RequestStore } from '../request-log/writing/request-store.ts';

/** The sources of a node's health. */
export interface ServiceHealthParts {
  readonly settings: Pick<Configuration, 'databaseUrl' | 'guard'>;
  readonly mail: ServiceHealth['mail'];
  readonly startedAtMs: number;
  readonly health: () => Health;
  readonly registryFigures: Registry['figures'];
  readonly requestStore: Pick<RequestStore, 'droppedCount' | 'waitingCount'>;
  readonly explanations: Pick<FailureExplanations, 'figures'>;
  readonly parts: () => ServiceHealth['parts'];
}

/** Creates a function that reads the node's health for its operator. */
export function serviceHealthReader(parts: ServiceHealthParts): () => ServiceHealth {
  const { settings, mail, startedAtMs, health, registryFigures, requestStore, explanations } = parts;
  const fixed = {
    version: version(),
    startedAt: new Date(startedAtMs).toISOString(),
    database: settings.databaseUrl === undefined ? 'sqlite' : 'postgresql',
    guard: settings.guard,
    mail,
  } as const;
  return () => {
    const { decides, reason } = health();
    const { clientCount, ageMs } = registryFigures();
    const { explainedCount, droppedCount } = explanations.figures;
    return {
      ...fixed,
      isReady: decides,
      ...(reason !== undefined && { reason }),
      registry: { clients: clientCount, ageMs: Math.max(0, Math.round(ageMs)) },
      requestLog: { dropped: requestStore.droppedCount, queued: requestStore.waitingCount },
      explanations: { explained: explainedCount, skipped: droppedCount },
      parts: parts.parts(),
    };
  };
}
