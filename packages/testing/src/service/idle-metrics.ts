import { Metrics } from '../../../server/src/telemetry/metrics.ts';

/** Returns all metrics, as text, of a service that has done nothing yet and has its data in PostgreSQL. */
export async function idleMetrics(): Promise<string> {
  const metrics = new Metrics({
    guard: { size: 0 },
    guardEntriesMax: 1,
    registryFigures: () => ({ clientCount: 0, unreadCount: 0, ageMs: 0 }),
    listenerFigures: () => ({ openCount: 0, unprovedCount: 0, connectionsMax: 1, turnedAwayCount: 0 }),
    requestStore: { droppedCount: 0 },
    explanationFigures: () => ({ explainedCount: 0, droppedCount: 0, usedMs: 0 }),
    upstreamFigures: () => [],
    streamFigures: () => [],
    connectionFigures: () => ({ open: 0, idle: 0, waiting: 0 }),
  });
  try {
    return await metrics.text();
  } finally {
    metrics.close();
  }
}
