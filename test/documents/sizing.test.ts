import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { runService } from '@countersign/testing/running-service';
import { readDocument } from './run-block.ts';
import { section, tables } from './tables.ts';

const { text } = readDocument('docs/sizing.md');
const benchmarks = readDocument('docs/benchmarks.md').text;

describe('docs/sizing.md', () => {
  it('has the figures of the benchmarks', () => {
    const rows = tables(text)
      .filter(({ head }) => head.includes('Benchmark'))
      .flatMap((table) => table.rows);
    assert.ok(rows.length > 10);
    for (const [what, figure = '', benchmark = ''] of rows) {
      const [number = ''] = figure.split(' ');
      assert.ok(numbersOf(benchmark).has(number), `${what}: ${benchmark} has no ${number}`);
    }
    for (const [number = ''] of section(text, 'Disk').matchAll(/\d+\.\d(?= ms)/g))
      assert.ok(numbersOf('request-log').has(number), number);
  });

  it('and docs/coming-from.md has them too', () => {
    const { text: comparison } = readDocument('docs/coming-from.md');
    const figures = [...comparison.matchAll(/(\d[\d.]*) µs/g)].map((match) => match[1] ?? '');
    assert.equal(figures.length, 2);
    for (const figure of figures) assert.ok(numbersOf('library').has(figure), figure);
  });

  it(
    'is right about the number of sockets of each port',
    { skip: process.platform !== 'linux' && 'only Linux divides connections among sockets' },
    async () => {
      const running = await runService({ COUNTERSIGN_METRICS_PORT: '0' });
      try {
        const [, shown] = /shows (\d+) lines for each port/.exec(text) ?? [];
        assert.equal(socketsOn(running.port), Number(shown));
        assert.equal(socketsOn(Number(new URL(running.service.metricsAddress!).port)), 1);
      } finally {
        await running.close();
      }
    },
  );
});

/** The numbers with which a cell of a benchmark's tables begins. */
function numbersOf(benchmark: string): ReadonlySet<string> {
  const [, found = ''] = benchmarks.split(`<!-- ${benchmark} begin -->`);
  const [cells = ''] = found.split(`<!-- ${benchmark} end -->`);
  return new Set([...cells.matchAll(/\| (\d[\d.]*)/g)].map((match) => match[1] ?? ''));
}

/** Counts what listens on a port of 127.0.0.1, as `ss -ltn` does. */
function socketsOn(port: number): number {
  const place = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local === place && state === '0A').length;
}
