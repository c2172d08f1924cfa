import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { connectionLimits } from '../../src/limits/connection-limits.ts';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';

/** The descriptors that a service needs itself, according to its advice. */
function needed(environment: Record<string, string>): number {
  const { advice } = connectionLimits(loadConfiguration(environment), 1024);
  return Number(/needs (\d+) of them itself/.exec(advice ?? '')?.[1]);
}

const document = (name: string): string =>
  readFileSync(new URL(`../../../../docs/operations/${name}`, import.meta.url), 'utf8');

describe('the descriptors held back for PostgreSQL', () => {
  const none = needed({});
  const server = { COUNTERSIGN_DATABASE_URL: 'postgresql://127.0.0.1/countersign' };

  it('cover the pool and the eight connections beside it, as the documents say', () => {
    for (const poolMax of [10, 30]) {
      const withServer = needed({ ...server, COUNTERSIGN_DATABASE_CONNECTIONS_MAX: String(poolMax) });
      assert.equal(withServer - none, poolMax + 8);
    }
    assert.match(document('stores.md'), /`databaseConnectionsMax` plus eight/);
    assert.match(
      document('settings.md'),
      /plus three for the registry, four for the replay guard and one for the request log/,
    );
  });
});
