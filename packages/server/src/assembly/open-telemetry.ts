import type { Configuration } from '../configuration/load.ts';
import { namedFailure } from '../explanations/failure-explanations.ts';
import { connectionFigures } from '../storage/connection-figures.ts';
import { measuredRequests } from '../telemetry/measured-requests.ts';
import type { RunningStreams } from '../webhooks/streams/run-streams.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { listenForMetrics, MetricsListener } from '../telemetry/metrics-listener.ts';
import { createObserver } from '../telemetry/observer.ts';
import type { Closers } from './closers.ts';
import type { Ground } from './ground.ts';
import type { Listeners } from './listeners.ts';
import type { Parts, Telemetry } from './parts.ts';

/** The code of the metrics. */
export interface MetricsCode {
  readonly Metrics: typeof Metrics;
  readonly listenForMetrics: typeof listenForMetrics;
}

/** Loads the code of the metrics; undefined if they have no port. */
export async function loadMetrics({ metricsPort }: Configuration): Promise<MetricsCode | undefined> {
  if (metricsPort === undefined) return undefined;
  return {
    ...(await import('../telemetry/metrics.ts')),
    ...(await import('../telemetry/metrics-listener.ts')),
  };
}

/** Opens the metrics. Nothing serves them yet. */
export function openMetrics(
  code: MetricsCode,
  { guardEntriesMax }: Configuration,
  {
    stores,
    background,
    forwarding,
    streams,
  }: Pick<Parts, 'stores' | 'background' | 'forwarding'> & { readonly streams: RunningStreams },
  listeners: Listeners,
  closers: Closers,
): Metrics {
  const { guard, registry, database } = stores;
  const { requestStore, explanations } = background;
  const { threads, upstreamFigures } = forwarding;
  const metrics = new code.Metrics({
    guard,
    guardEntriesMax,
    registryFigures: () => registry.figures(),
    listenerFigures: () => threads.connectionFigures(listeners.connections.figures),
    requestStore,
    explanationFigures: () => explanations.figures,
    upstreamFigures,
    streamFigures: () => streams.figures(),
    connectionFigures: () => connectionFigures(database),
  });
  closers.push(() => metrics.close());
  return metrics;
}

/** Serves the metrics, if they have a port. */
export async function serveMetrics(
  code: MetricsCode | undefined,
  metrics: Metrics | undefined,
  { metricsHost: host, metricsPort: port }: Configuration,
  { logger }: Ground,
  closers: Closers,
): Promise<MetricsListener | undefined> {
  if (!code || !metrics || port === undefined) return undefined;
  const served = await code.listenForMetrics(metrics, { host, port, logger });
  closers.push(() => served.close());
  return served;
}

/**
 * Opens the receivers of finished requests.
 *
 * @param scraped the metrics that are served; undefined if none are
 */
export function openTelemetry(
  { shownQueryParameters }: Configuration,
  { ground, stores, background }: Pick<Parts, 'ground' | 'stores' | 'background'>,
  scraped: Metrics | undefined,
): Telemetry {
  const { requestStore, explanations } = background;
  const metrics = measuredRequests(ground.times, scraped);
  const observer = createObserver({
    logger: ground.logger,
    metrics,
    registry: stores.registry,
    requestStore,
    noteFailure: (failed) => {
      const named = namedFailure(failed);
      if (named) explanations.note(named);
    },
    shownQueryParameters: new Set(shownQueryParameters),
  });
  return { metrics, observer };
}
