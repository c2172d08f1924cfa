import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Metrics } from '../../packages/server/src/telemetry/metrics.ts';
import { readDocument } from './run-block.ts';
import { section, tableRows } from './tables.ts';

it('docs/operations.md lists the metrics, each by its name, and no others', async () => {
  const { text } = readDocument('docs/operations.md');
  const listed = tableRows(section(text, 'Metrics')).map(([name = '']) => name.replaceAll('`', ''));
  const metrics = new Metrics({
    guard: { size: 0 },
    guardEntriesMax: 1,
    registryFigures: () => ({ clientCount: 0, unreadCount: 0, ageMs: 0 }),
    listenerFigures: () => ({ openCount: 0, unprovedCount: 0, connectionsMax: 1, turnedAwayCount: 0 }),
    requestStore: { droppedCount: 0 },
    explanationFigures: () => ({ explainedCount: 0, droppedCount: 0, usedMs: 0 }),
    upstreamFigures: () => [],
    connectionFigures: () => ({ open: 0, idle: 0, waiting: 0 }),
  });
  try {
    const served = [...(await metrics.text()).matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    assert.deepEqual(listed.toSorted(), served.toSorted());
  } finally {
    metrics.close();
  }
});
