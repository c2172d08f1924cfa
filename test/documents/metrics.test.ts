import assert from 'node:assert/strict';
import { it } from 'node:test';
import { idleMetrics } from '@countersign/testing/idle-metrics';
import { readDocument } from './run-block.ts';
import { section, tableRows } from './tables.ts';

it('docs/operations/monitoring.md lists the metrics, each by its name, and no others', async () => {
  const { text } = readDocument('docs/operations/monitoring.md');
  const listed = tableRows(section(text, 'Metrics')).map(([name = '']) => name.replaceAll('`', ''));
  const served = [...(await idleMetrics()).matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
  assert.deepEqual(listed.toSorted(), served.toSorted());
});
