import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyMetrics } from '../../packages/cli/src/proxy/proxy-metrics.ts';
import { proxyRefusals } from '../../packages/cli/src/proxy/refusals.ts';
import { readDocument } from './run-block.ts';
import { section, tableRows } from './tables.ts';

const { text } = readDocument('docs/signing-proxy.md');

describe('docs/signing-proxy.md', () => {
  it('lists the errors of the proxy, in the order of the code', () => {
    const rows = tableRows(section(text, "The proxy's own errors")).map(([code, status]) => [code, status]);
    const expected = Object.entries(proxyRefusals).map(([code, { status }]) => [
      `\`${code}\``,
      String(status),
    ]);
    assert.deepEqual(rows, expected);
  });

  it('lists the metrics', () => {
    const rows = tableRows(section(text, 'Log and metrics')).map(([name]) => name);
    assert.deepEqual(
      rows,
      Object.keys(proxyMetrics).map((name) => `\`${name}\``),
    );
  });
});
